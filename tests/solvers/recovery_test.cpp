// SPDX-License-Identifier: BSD-3-Clause
// Every solver finds the true solution of random valid samples, at the rate given
// in tests/synthetic/solver_scenes.def.
#include "solvers/batches.hpp"

namespace bifocal::test {
namespace {

constexpr int kSamples = 100000;

class Recovery : public testing::TestWithParam<SolverRow> {};

TEST_P(Recovery, misses_at_most_the_stated_rate) {
  const SolverRow& row = GetParam();
  SKIP_UNLESS_BUILT(row.solver);
  const SampleBatch batch = make_samples(row.solver, kSamples);
  const auto f64 = errors_to_truth(batch, solve<double>(batch), row.distance);
  const synthetic::SolverScene& scene = synthetic::solver_scene(row.solver);
  EXPECT_LE(100 * failure_rate(std::string(row.name) + " f64", f64, 1e-6), scene.missed_f64);
  const auto f32 = errors_to_truth(batch, solve<float>(batch), row.distance);
  EXPECT_LE(100 * failure_rate(std::string(row.name) + " f32", f32, 1e-2), scene.missed_f32);
}

INSTANTIATE_TEST_SUITE_P(, Recovery, testing::ValuesIn(solver_rows()), row_name);

}  // namespace
}  // namespace bifocal::test
