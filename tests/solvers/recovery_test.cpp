// SPDX-License-Identifier: BSD-3-Clause
// Every solver finds the true solution of random valid samples, as often as
// src/synthetic/solver_scenes.def says.
#include "solvers/batches.hpp"

namespace bifocal::test {
namespace {

constexpr int kSamples = 100000;

using Recovery = SolverTest;

TEST_P(Recovery, misses_no_more_than_stated) {
  const SolverRow& row = GetParam();
  const SampleBatch batch = make_samples(row.solver, kSamples);
  const auto f64 = errors_to_truth(batch, solve<double>(batch), row.distance);
  const auto f32 = errors_to_truth(batch, solve<float>(batch), row.distance);
  const synthetic::SolverScene& scene = synthetic::solver_scene(row.solver);
  EXPECT_LE(100 * failure_rate(std::string(row.name) + " f64", f64, 1e-6), scene.missed_f64);
  EXPECT_LE(100 * failure_rate(std::string(row.name) + " f32", f32, 1e-2), scene.missed_f32);
}

INSTANTIATE_TEST_SUITE_P(, Recovery, testing::ValuesIn(solver_rows()), row_name);

}  // namespace
}  // namespace bifocal::test
