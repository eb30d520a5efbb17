// SPDX-License-Identifier: BSD-3-Clause
// The batched API gives the same solutions for single samples, on every SIMD target, and for any
// number of samples; invalid arguments are refused.
#include <bifocal/error.hpp>
#include <bifocal/device.hpp>

#include "solvers/batches.hpp"
#include "support/targets.hpp"

namespace bifocal::test {
namespace {

class EverySolver : public testing::TestWithParam<SolverRow> {};

TEST_P(EverySolver, gives_the_solutions_of_the_scalar_on_every_target) {
  SKIP_UNLESS_BUILT(GetParam().solver);
  const SampleBatch batch = make_samples(GetParam().solver, 2000);
  const auto f64 = solve<double>(batch, LaneKind::scalar);
  for_each_target([&](const std::string& target) {
    EXPECT_GE(share_of_same(f64, solve<double>(batch), 1e-6), least_share(batch.solver, false))
        << target;
  });
  const auto f32 = solve<float>(batch, LaneKind::scalar);
  for_each_target([&](const std::string& target) {
    EXPECT_GE(share_of_same(f32, solve<float>(batch), 1e-2), least_share(batch.solver, true))
        << target;
  });
}

TEST_P(EverySolver, gives_the_same_for_any_size_and_thread_count) {
  SKIP_UNLESS_BUILT(GetParam().solver);
  const SampleBatch all = make_samples(GetParam().solver, 3001);
  const auto whole = solve<double>(all);
  const ThreadLimit one(1);
  const auto alone = solve<double>(all);
  EXPECT_EQ(whole.counts, alone.counts);
  for (std::size_t k = 0; k < whole.solutions.size(); ++k) {
    ASSERT_TRUE(whole.solutions[k] == alone.solutions[k] || std::isnan(whole.solutions[k]));
  }
  for (const int n : {0, 1, 2, 3, 7, 9, 17}) {
    SampleBatch few{all.solver, n, {}, {}};
    for (int r = 0; r < whole.shape.sample_rows; ++r) {
      const auto row = all.samples.begin() + static_cast<std::ptrdiff_t>(r) * all.n;
      few.samples.insert(few.samples.end(), row, row + n);
    }
    const auto solved = solve<double>(few);
    for (int i = 0; i < n; ++i) {
      ASSERT_EQ(solved.counts[i], whole.counts[i]);
      for (int s = 0; s < solved.counts[i]; ++s) {
        for (int k = 0; k < solved.shape.solution_rows; ++k)
          ASSERT_EQ(solved.at(i, s, k), whole.at(i, s, k));
      }
    }
  }
}

TEST_P(EverySolver, leaves_nan_in_unused_slots) {
  SKIP_UNLESS_BUILT(GetParam().solver);
  const auto solved = solve<double>(make_samples(GetParam().solver, 500));
  for (int i = 0; i < solved.n; ++i) {
    for (int s = 0; s < solved.shape.max_solutions; ++s) {
      for (int k = 0; k < solved.shape.solution_rows; ++k) {
        ASSERT_EQ(std::isnan(solved.at(i, s, k)), s >= solved.counts[i]);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, EverySolver, testing::ValuesIn(solver_rows()), row_name);

TEST(Batches, refuse_spans_that_do_not_fit) {
  std::vector<double> samples(16 * 4), solutions(9 * 4);
  std::vector<int> counts(4);
  EXPECT_NO_THROW(solve_minimal(MinimalSolver::homography_4pt, samples, solutions, counts));
  EXPECT_THROW(solve_minimal(MinimalSolver::essential_5pt, samples, solutions, counts), Error);
  solutions.pop_back();
  EXPECT_THROW(solve_minimal(MinimalSolver::homography_4pt, samples, solutions, counts), Error);
  EXPECT_THROW((void)solver_shape(static_cast<MinimalSolver>(77)), Error);
}

}  // namespace
}  // namespace bifocal::test
