// SPDX-License-Identifier: BSD-3-Clause
// Samples without a finite number of solutions terminate and give no solutions or only
// finite numbers.
#include <functional>

#include "solvers/batches.hpp"

namespace bifocal::test {
namespace {

std::vector<SolverRow> rows_of(bool SolverRow::*wanted) {
  std::vector<SolverRow> rows;
  std::copy_if(
      solver_rows().begin(), solver_rows().end(), std::back_inserter(rows),
      [wanted](const SolverRow& row) { return row.*wanted && is_built_for_cpus(row.solver); });
  return rows;
}
const std::vector<SolverRow> kTwoView = rows_of(&SolverRow::is_two_view);
const std::vector<SolverRow> kHomographies = rows_of(&SolverRow::is_homography);
constexpr int kCount = 1000;

// Makes a batch of two-view samples whose points edit(x1, y1, x2, y2) changes in place, one call
// per sample.
using Edit = std::function<void(std::vector<std::array<double, 4>>&)>;
SampleBatch edited_batch(const SolverRow& row, const Edit& edit) {
  SampleBatch batch = make_samples(row.solver, kCount);
  const int m = solver_shape(row.solver).sample_rows / 4;
  for (int i = 0; i < kCount; ++i) {
    std::vector<std::array<double, 4>> points(m);
    const auto at = [&](int k, int p) -> double& {
      return batch.samples[static_cast<std::size_t>(k * m + p) * kCount + i];
    };
    for (int p = 0; p < m; ++p) {
      for (int k = 0; k < 4; ++k) points[p][k] = at(k, p);
    }
    edit(points);
    for (int p = 0; p < m; ++p) {
      for (int k = 0; k < 4; ++k) at(k, p) = points[p][k];
    }
  }
  return batch;
}

template <class T>
void expect_finite_solutions(const SolvedBatch<T>& solved) {
  for (int i = 0; i < solved.n; ++i) {
    ASSERT_GE(solved.counts[i], 0);
    ASSERT_LE(solved.counts[i], solved.shape.max_solutions);
    for (int s = 0; s < solved.counts[i]; ++s) {
      for (int k = 0; k < solved.shape.solution_rows; ++k)
        ASSERT_TRUE(std::isfinite(solved.at(i, s, k)))
            << "instance " << i << ", solution " << s << " of " << solved.counts[i];
    }
  }
}
int total(const std::vector<int>& counts) {
  int sum = 0;
  for (int c : counts) sum += c;
  return sum;
}

TEST(Degenerate, points_that_are_all_equal_have_no_solution) {
  for (const SolverRow& row : kTwoView) {
    const SampleBatch batch = edited_batch(row, [](auto& points) {
      for (auto& p : points) p = points[0];
    });
    EXPECT_EQ(total(solve<double>(batch).counts), 0);
    EXPECT_EQ(total(solve<float>(batch).counts), 0);
  }
}

TEST(Degenerate, repeated_points_have_no_solution) {
  for (const SolverRow& row : kTwoView) {
    const SampleBatch batch = edited_batch(row, [](auto& points) { points[1] = points.back(); });
    EXPECT_EQ(total(solve<double>(batch).counts), 0) << row.name;
    EXPECT_EQ(total(solve<float>(batch).counts), 0) << row.name;
  }
}

TEST(Degenerate, not_a_number_has_no_solution) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (const SolverRow& row : kTwoView) {
      for (int k = 0; k < 4; ++k) {
        const SampleBatch batch = edited_batch(row, [&](auto& points) { points.back()[k] = bad; });
        EXPECT_EQ(total(solve<double>(batch).counts), 0) << row.name;
        EXPECT_EQ(total(solve<float>(batch).counts), 0) << row.name;
      }
    }
    SampleBatch batch = make_samples(MinimalSolver::p3p, kCount);
    for (int i = 0; i < kCount; ++i)
      batch.samples[static_cast<std::size_t>(i % 18) * kCount + i] = bad;
    EXPECT_EQ(total(solve<double>(batch).counts), 0);
    EXPECT_EQ(total(solve<float>(batch).counts), 0);
  }
}

TEST(Degenerate, three_collinear_points_have_no_homography) {
  for (const SolverRow& row : kHomographies) {
    for (const int first : {0, 2}) {  // in both images, in the second alone
      const SampleBatch batch = edited_batch(row, [first](auto& points) {
        for (int k = first; k < 4; ++k) points[2][k] = 0.25 * points[0][k] + 0.75 * points[1][k];
      });
      EXPECT_EQ(total(solve<double>(batch).counts), 0);
    }
  }
}

TEST(Degenerate, a_folded_quadrilateral_has_no_homography) {
  // Mirroring the first point at the line through the next two reverses the orientation of this
  // triple and keeps the orientation of the last three points. No camera sees a plane like that.
  const Edit fold = [](auto& points) {
    const double dx = points[2][2] - points[1][2], dy = points[2][3] - points[1][3];
    const double x = points[0][2] - points[1][2], y = points[0][3] - points[1][3];
    const double along = (x * dx + y * dy) / (dx * dx + dy * dy);
    points[0][2] = points[1][2] + 2 * along * dx - x;
    points[0][3] = points[1][3] + 2 * along * dy - y;
  };
  for (const SolverRow& row : kHomographies)
    EXPECT_EQ(total(solve<double>(edited_batch(row, fold)).counts), 0);
}

TEST(Degenerate, collinear_points_end_and_stay_finite) {
  for (const SolverRow& row : kTwoView) {
    const SampleBatch batch = edited_batch(row, [](auto& points) {
      for (auto& p : points) p[1] = 0.5 * p[0] + 0.1, p[3] = -0.25 * p[2] + 0.2;
    });
    const auto f64 = solve<double>(batch);
    expect_finite_solutions(f64);
    expect_finite_solutions(solve<float>(batch));
    // Such a line leaves at most a family of calibrated cameras of at most five points, and the
    // nine equations of distorted images stay independent.
    if (row.is_homography || (solver_shape(row.solver).sample_rows > 20 &&
                              row.solver != MinimalSolver::fundamental_9pt_shared_radial)) {
      EXPECT_EQ(total(f64.counts), 0) << row.name;
    }
  }
}

TEST(Degenerate, equal_images_end_and_stay_finite) {
  for (const SolverRow& row : kTwoView) {
    const SampleBatch batch = edited_batch(row, [](auto& points) {
      for (auto& p : points) p[2] = p[0], p[3] = p[1];
    });
    SCOPED_TRACE(row.name);
    expect_finite_solutions(solve<double>(batch));
    expect_finite_solutions(solve<float>(batch));
  }
}

TEST(Degenerate, seven_points_on_a_plane_end_and_stay_finite) {
  for (const MinimalSolver solver :
       {MinimalSolver::fundamental_7pt, MinimalSolver::fundamental_8pt}) {
    const SampleBatch batch = make_samples(solver, SceneKind::planar, kCount);
    const auto solved = solve<double>(batch);
    expect_finite_solutions(solved);
    EXPECT_EQ(total(solved.counts), 0);
  }
}

TEST(Degenerate, five_points_on_a_plane_are_solved) {
  SampleBatch batch = make_samples(MinimalSolver::essential_5pt, SceneKind::planar, 10000, 9);
  auto solved = solve<double>(batch);
  expect_finite_solutions(solved);
  EXPECT_LE(failure_rate("essential_5pt f64, planar",
                         errors_to_truth(batch, solved, matrix_distance), 1e-6),
            0.04);
  batch.solver = MinimalSolver::essential_5pt_action;
  solved = solve<double>(batch);
  expect_finite_solutions(solved);
  EXPECT_LE(failure_rate("essential_5pt_action f64, planar",
                         errors_to_truth(batch, solved, matrix_distance), 1e-6),
            0.001);
}

// Rectified pairs: their polynomial of degree 10 has no highest powers.
TEST(Degenerate, a_camera_that_moved_along_its_rows_is_found) {
  constexpr int kSamples = 4000;
  SampleBatch batch = make_samples(MinimalSolver::essential_5pt, SceneKind::general, kSamples, 9);
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> place(-1, 1), depth(4, 12);
  for (int i = 0; i < kSamples; ++i) {
    for (int k = 0; k < 5; ++k) {
      const double x = place(random), y = place(random), z = depth(random);
      const double rows[4] = {x, y, x + 1 / z, y};
      for (int r = 0; r < 4; ++r)
        batch.samples[static_cast<std::size_t>(5 * r + k) * kSamples + i] = rows[r];
    }
  }
  const auto solved = solve<double>(batch);
  expect_finite_solutions(solved);
  int missed = 0, odd = 0;
  for (int i = 0; i < kSamples; ++i) {
    double nearest = 1;
    for (int slot = 0; slot < solved.counts[static_cast<std::size_t>(i)]; ++slot) {
      Matrix3 E = solved.matrix(i, slot);
      const double along = (E(2, 1) - E(1, 2)) * std::sqrt(0.5);
      nearest = std::min(nearest, std::sqrt(std::max(0.0, 1 - along * along)));
    }
    missed += nearest > 1e-6;
    odd += solved.counts[static_cast<std::size_t>(i)] % 2;
  }
  fmt::print("essential_5pt f64, along the rows: {} of {} missed, {} counts odd\n", missed,
             kSamples, odd);
  EXPECT_LE(missed, 15);
  EXPECT_LE(odd, 2);
}

TEST(Degenerate, collinear_or_equal_scene_points_have_no_absolute_pose) {
  SampleBatch batch = make_samples(MinimalSolver::p3p, kCount);
  for (int i = 0; i < kCount; ++i) {
    for (int k = 0; k < 3; ++k) {
      const auto at = [&](int p) -> double& {
        return batch.samples[static_cast<std::size_t>(9 + 3 * p + k) * kCount + i];
      };
      at(2) = i % 2 ? at(0) : 2 * at(1) - at(0);
    }
  }
  expect_finite_solutions(solve<double>(batch));
  int equal = 0;
  const auto solved = solve<double>(batch);
  for (int i = 1; i < kCount; i += 2) equal += solved.counts[i];
  EXPECT_EQ(equal, 0);
}

TEST(Degenerate, equal_bearings_end_and_stay_finite) {
  SampleBatch batch = make_samples(MinimalSolver::p3p, kCount);
  for (int i = 0; i < kCount; ++i) {
    for (int k = 0; k < 3; ++k) {
      batch.samples[static_cast<std::size_t>(3 + k) * kCount + i] =
          batch.samples[static_cast<std::size_t>(k) * kCount + i];
    }
  }
  expect_finite_solutions(solve<double>(batch));
  expect_finite_solutions(solve<float>(batch));
}

}  // namespace
}  // namespace bifocal::test
