// SPDX-License-Identifier: BSD-3-Clause
// Every solver gives the CPU's solutions on every device of this machine.
#include "solvers/batches.hpp"

namespace bifocal::test {
namespace {

class SolverDevices : public testing::TestWithParam<SolverRow> {};

template <class T>
void expect_the_solutions_of_the_cpu(const SampleBatch& batch, const char* precision) {
  const double tolerance = sizeof(T) == 8 ? 1e-6 : 1e-2;
  const auto expected = solve<T>(batch, LaneKind::scalar);
  for (const DeviceInfo& info : list_devices()) {
    if (sizeof(T) == 8 && !info.has_double) continue;
    Queue queue{Device(info.id)};
    const auto solved = solve<T>(queue, batch);
    const double share = share_of_same(expected, solved, tolerance);
    fmt::print("{} {} {}: {:.2f} % of {} samples as on the CPU\n", info.id, info.name, precision,
               100 * share, batch.n);
    EXPECT_GE(share, least_share(batch.solver, sizeof(T) == 4)) << info.id;
    for (int i = 0; i < batch.n; ++i) {
      for (int s = 0; s < solved.shape.max_solutions; ++s)
        ASSERT_EQ(std::isnan(solved.at(i, s, 0)), s >= solved.counts[i]) << info.id;
    }
  }
}

TEST_P(SolverDevices, give_the_solutions_of_the_cpu) {
  const MinimalSolver solver = GetParam().solver;
  SKIP_UNLESS_BUILT(solver);
  const SampleBatch batch = make_samples(solver, 2003);
  expect_the_solutions_of_the_cpu<double>(batch, "f64");
  expect_the_solutions_of_the_cpu<float>(batch, "f32");
}

INSTANTIATE_TEST_SUITE_P(, SolverDevices, testing::ValuesIn(solver_rows()), row_name);

// Samples and solutions in device memory give the same results as samples and solutions in
// host memory.
TEST(SolverDevice, works_in_its_own_memory) {
  const SampleBatch batch = make_samples(MinimalSolver::fundamental_7pt, 517);
  const std::vector<float> samples(batch.samples.begin(), batch.samples.end());
  for (const DeviceInfo& info : list_devices()) {
    const Device device(info.id);
    Queue queue(device);
    const auto expected = solve<float>(queue, batch);
    Buffer<float> in(device, samples.size()), out(device, expected.solutions.size());
    Buffer<int> counts(device, expected.counts.size());
    in.upload(queue, samples);
    solve_minimal(queue, batch.solver, batch.n, in, out, counts);
    std::vector<float> solutions(expected.solutions.size());
    std::vector<int> found(expected.counts.size());
    out.download(queue, solutions);
    counts.download(queue, found);
    queue.wait();
    EXPECT_EQ(found, expected.counts) << info.id;
    for (std::size_t k = 0; k < solutions.size(); ++k) {
      ASSERT_TRUE(solutions[k] == expected.solutions[k] ||
                  (std::isnan(solutions[k]) && std::isnan(expected.solutions[k])));
    }
  }
}

TEST(SolverDevice, refuses_a_buffer_that_is_too_small) {
  for (const DeviceInfo& info : list_devices()) {
    const Device device(info.id);
    Queue queue(device);
    Buffer<float> samples(device, 16 * 100), solutions(device, 9 * 100);
    Buffer<int> counts(device, 99);
    EXPECT_THROW(
        solve_minimal(queue, MinimalSolver::homography_4pt, 100, samples, solutions, counts), Error)
        << info.id;
  }
}

}  // namespace
}  // namespace bifocal::test
