// SPDX-License-Identifier: BSD-3-Clause
// Compares trials of essential matrices, by every solver and placement on every device, with the
// batched solver and a plain count.
#include "seeds/five_point_trials.hpp"

#include <bifocal/solvers.hpp>
#include <fmt/format.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "bench/trials.hpp"
#include "seeds/five_point_hybrid.hpp"
#include "synthetic/random.hpp"
#include "synthetic/two_view_scenes.hpp"

namespace bifocal::test {
namespace {

using bench::seeds::Counting;
using bench::seeds::FivePointHybrid;
using bench::seeds::FivePointSolver;
using bench::seeds::FivePointTrials;
using bench::seeds::RayPairs;
using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

constexpr FivePointSolver kSolvers[] = {FivePointSolver::eigenpairs, FivePointSolver::spread,
                                        FivePointSolver::warps, FivePointSolver::action,
                                        FivePointSolver::polynomial};
constexpr Counting kCountings[] = {Counting::reduction, Counting::atomics};
constexpr double kThreshold = 2e-3;  // two pixels at a focal length of 1000

synthetic::TwoViewScene scene_of_rays(int n, std::mt19937_64& random) {
  synthetic::TwoViewScene scene =
      synthetic::make_scene({.points = n, .inliers = 0.6, .noise = 0.5}, random);
  const Intrinsics& c = scene.camera;
  for (PointPair& p : scene.points)
    p = {(p.x1 - c.cx) / c.fx, (p.y1 - c.cy) / c.fy, (p.x2 - c.cx) / c.fx, (p.y2 - c.cy) / c.fy};
  return scene;
}
std::vector<PointPair> ray_pairs(int n, std::mt19937_64& random) {
  return scene_of_rays(n, random).points;
}

Matrix3 cross_matrix(const Eigen::Vector3d& t) {
  Matrix3 m;
  m << 0, -t[2], t[1], t[2], 0, -t[0], -t[1], t[0], 0;
  return m;
}

// Returns model g from the array layout of FivePointTrials::E.
Matrix3 model_of(const std::vector<double>& E, int trials, int g) {
  Matrix3 model;
  for (int k = 0; k < 9; ++k)
    model(k / 3, k % 3) = E[static_cast<std::size_t>((g / trials * 9 + k) * trials + g % trials)];
  return model;
}

// Counts the models that are missing in the second list, regardless of the order within a trial.
int count_missing(const std::vector<double>& E, const std::vector<double>& others, int trials) {
  int missing = 0;
  for (int g = 0; g < 10 * trials; ++g) {
    const Matrix3 model = model_of(E, trials, g);
    if (std::isnan(model(0, 0))) continue;
    double nearest = std::numeric_limits<double>::infinity();
    for (int other = g % trials; other < 10 * trials; other += trials) {
      const Matrix3 candidate = model_of(others, trials, other);
      nearest = std::fmin(nearest, std::fmin((model - candidate).cwiseAbs().maxCoeff(),
                                             (model + candidate).cwiseAbs().maxCoeff()));
    }
    missing += !(nearest < 1e-4);
  }
  return missing;
}

// Counts the inliers of E under each of its four poses, from singular vectors and
// least-squares depths. `inliers` is the largest count; `near` counts the points within the
// threshold, `ahead` is the largest number in front of both cameras, with all_depths; `unsure`
// counts the points too close to a limit for float.
struct PlainCount {
  int inliers = 0, near = 0, ahead = 0, unsure = 0;
};
PlainCount count_plainly(const Matrix3& E, const std::vector<PointPair>& rays,
                         bool all_depths = false) {
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(E, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Matrix3d W;
  W << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  const double sign = svd.matrixU().determinant() * svd.matrixV().determinant();
  const Eigen::Vector3d t = svd.matrixU().col(2);
  const Matrix3 R[2] = {sign * svd.matrixU() * W * svd.matrixV().transpose(),
                        sign * svd.matrixU() * W.transpose() * svd.matrixV().transpose()};
  std::array<int, 4> counts{}, ahead{};
  PlainCount out;
  for (const PointPair& p : rays) {
    const Eigen::Vector3d a(p.x1, p.y1, 1), b(p.x2, p.y2, 1), line = E * a;
    const Eigen::Vector3d other = E.transpose() * b;
    const double error = std::abs(b.dot(line)) /
                         std::sqrt(line.head<2>().squaredNorm() + other.head<2>().squaredNorm());
    out.near += error < kThreshold;
    bool unsure = std::abs(error - kThreshold) < 0.01 * kThreshold;
    for (std::size_t k = 0; k < 4 && (all_depths || error < 1.01 * kThreshold); ++k) {
      Eigen::Matrix<double, 3, 2> rays_of;  // z1 R a + t = z2 b
      rays_of << R[k / 2] * a, -b;
      const Eigen::Vector3d at = k % 2 == 0 ? t : -t;
      const Eigen::Vector2d z = rays_of.colPivHouseholderQr().solve(-at);
      counts[k] += error < kThreshold && z.minCoeff() > 0;
      ahead[k] += z.minCoeff() > 0;
      const double sine = (R[k / 2] * a).cross(b).norm() / (a.norm() * b.norm());
      unsure = unsure || sine < 1e-4 || z.cwiseAbs().minCoeff() * sine < 1e-3;
    }
    out.unsure += unsure;
  }
  out.inliers = *std::max_element(counts.begin(), counts.end());
  out.ahead = *std::max_element(ahead.begin(), ahead.end());
  return out;
}

class FivePoint : public OnDevice {
 protected:
  void SetUp() override {
    if (!queue.device().info().has_double) GTEST_SKIP() << GetParam() << " has no doubles";
  }
};

TEST_P(FivePoint, samples_equal_the_cpu_samples) {
  std::mt19937_64 random(5);
  const std::vector<PointPair> points = ray_pairs(100, random);
  const RayPairs rays(queue, points), cpu_rays(cpu, points);
  FivePointTrials here(queue, rays, 37), there(cpu, cpu_rays, 50);
  here.draw(3, 13), there.draw(3);
  const std::vector<int> drawn = numbers_of(queue, here.drawn, 5 * 37),
                         all = numbers_of(cpu, there.drawn, 5 * 50);
  expect_samples(drawn, 5, 100);
  for (int k = 0; k < 5; ++k) {
    for (int i = 0; i < 37; ++i)
      ASSERT_EQ(drawn[std::size_t(37 * k + i)], all[std::size_t(50 * k + 13 + i)]);
  }
  EXPECT_EQ(numbers_of(queue, here.samples, 20 * 37), coordinates_of<double>(points, drawn));
}

TEST_P(FivePoint, solutions_agree_with_the_batched_solver_and_a_plain_count) {
  std::mt19937_64 random(1);
  int solved = 0, missing = 0, off_counts = 0;
  // The numbers of points are no multiple of a group size, the numbers of samples no multiple of a
  // SIMD register.
  for (const auto& [n, count] : {std::pair{5, 1}, {9, 3}, {64, 17}, {700, 101}}) {
    const std::vector<PointPair> points = ray_pairs(n, random);
    const RayPairs rays(queue, points);
    FivePointTrials trials(queue, rays, count);
    trials.draw(n);
    std::vector<double> expected(90 * std::size_t(count));
    std::vector<int> counts(static_cast<std::size_t>(count));
    solve_minimal(MinimalSolver::essential_5pt_action,
                  coordinates_of<double>(points, numbers_of(queue, trials.drawn, 5 * count)),
                  expected, counts);
    for (const FivePointSolver solver : kSolvers) {
      trials.solve(solver);
      const std::vector<double> E = numbers_of(queue, trials.E, 90 * count);
      missing += count_missing(E, expected, count) + count_missing(expected, E, count);
      for (const Counting counting : kCountings) {
        if (counting == Counting::atomics && solver != FivePointSolver::eigenpairs) continue;
        trials.count(kThreshold, counting);
        trials.choose();
        const std::vector<int> inliers = numbers_of(queue, trials.inliers, trials.models);
        const auto best = std::max_element(inliers.begin(), inliers.end());
        EXPECT_EQ(trials.chosen().inliers, *best);
        EXPECT_EQ(trials.chosen().model, best - inliers.begin());
        for (int g = 0; g < trials.models; ++g) {
          const Matrix3 model = model_of(E, count, g);
          if (std::isnan(model(0, 0))) {
            ASSERT_EQ(inliers[std::size_t(g)], 0);
            continue;
          }
          const PlainCount plain = count_plainly(model, points);
          off_counts += std::abs(inliers[std::size_t(g)] - plain.inliers) > plain.unsure;
          solved += 1;
        }
      }
    }
  }
  fmt::print("{}: {} E, {} found by one solver alone, {} counts off\n", GetParam(), solved, missing,
             off_counts);
  EXPECT_GT(solved, 2000);
  EXPECT_LE(missing, solved / 50);  // ill-conditioned samples
  EXPECT_LE(off_counts, solved / 200);
}

// The models are near the true E. Points that float rounding could decide are left out: points
// within a hundredth of the threshold, far away or on the baseline.
TEST_P(FivePoint, counts_are_exact) {
  std::mt19937_64 random(6);
  constexpr int kTrials = 3, kModels = 10 * kTrials;
  const synthetic::TwoViewScene scene = scene_of_rays(2000, random);
  std::vector<Matrix3> models;
  std::vector<double> rows(9 * kModels);
  for (int g = 0; g < kModels; ++g) {
    const Mat3 rotation = synthetic::rotation_about(synthetic::random_direction(random),
                                                    synthetic::uniform(random, 0, 0.004));
    models.push_back(cross_matrix(Eigen::Map<const Eigen::Vector3d>(scene.truth.t.data())) *
                     Eigen::Map<const Matrix3>(scene.truth.R.data()) *
                     Eigen::Map<const Matrix3>(rotation.data()));
    for (int k = 0; k < 9; ++k)
      rows[std::size_t((g / kTrials * 9 + k) * kTrials + g % kTrials)] =
          models.back()(k / 3, k % 3);
  }
  std::vector<PointPair> sure;
  for (const PointPair& p : scene.points) {
    if (std::ranges::all_of(
            models, [&](const Matrix3& E) { return count_plainly(E, {p}, true).unsure == 0; }))
      sure.push_back(p);
  }
  std::vector<int> expected, near, ahead;
  for (const Matrix3& E : models) {
    const PlainCount plain = count_plainly(E, sure, true);
    expected.push_back(plain.inliers);
    near.push_back(plain.near);
    ahead.push_back(plain.ahead);
  }
  ASSERT_GT(sure.size(), 500U);
  EXPECT_GT(*std::max_element(expected.begin(), expected.end()), 200);
  EXPECT_NE(*std::min_element(expected.begin(), expected.end()),
            *std::max_element(expected.begin(), expected.end()));
  const RayPairs rays(queue, sure);
  FivePointTrials trials(queue, rays, kTrials);
  trials.E.upload(queue, rows);
  for (const Counting counting : kCountings) {
    trials.count(kThreshold, counting);
    EXPECT_EQ(numbers_of(queue, trials.inliers, kModels), expected);
  }
  trials.count(kThreshold, Counting::near);
  EXPECT_EQ(numbers_of(queue, trials.inliers, kModels), near);
  trials.count(kThreshold, Counting::ahead);
  EXPECT_EQ(numbers_of(queue, trials.inliers, kModels), ahead);
  EXPECT_NE(near, expected);
  EXPECT_NE(ahead, expected);
}

TEST_P(FivePoint, host_and_device_together_agree_with_the_device) {
  std::mt19937_64 random(3);
  const std::vector<PointPair> points = ray_pairs(1000, random);
  const RayPairs rays(queue, points), cpu_rays(cpu, points);
  FivePointTrials trials(queue, rays, 41);
  FivePointHybrid hybrid(cpu, cpu_rays, queue.device(), rays, 41);
  for (const int seed : {1, 2, 3}) {
    trials.draw(seed);
    trials.solve(FivePointSolver::eigenpairs);
    trials.count(kThreshold, Counting::reduction);
    trials.choose();
    const int alone = trials.chosen().inliers;
    EXPECT_GT(alone, 200);
    EXPECT_NEAR(hybrid.run(seed, kThreshold).inliers, alone, 5);  // the two E differ by rounding
  }
}

TEST_P(FivePoint, host_and_device_together_find_the_solutions_of_the_device) {
  std::mt19937_64 random(3);
  const std::vector<PointPair> points = ray_pairs(200, random);
  const RayPairs rays(queue, points), cpu_rays(cpu, points);
  constexpr int kTrials = 300;  // blocks of 48 samples, the last of 12
  FivePointTrials trials(queue, rays, kTrials);
  FivePointHybrid hybrid(cpu, cpu_rays, queue.device(), rays, kTrials);
  trials.draw(4);
  trials.solve(FivePointSolver::eigenpairs);
  hybrid.prepare(4);
  hybrid.solve();
  const std::vector<double> E = numbers_of(queue, trials.E, 90 * kTrials);
  const auto solutions = std::ranges::count_if(E, [](double e) { return !std::isnan(e); }) / 9;
  EXPECT_GT(solutions, 900);
  EXPECT_LE(count_missing(E, hybrid.essentials(), kTrials), solutions / 100);
  EXPECT_LE(count_missing(hybrid.essentials(), E, kTrials), solutions / 100);
}

// The projections of points behind both cameras also satisfy x2' E x1 = 0.
TEST_P(FivePoint, inliers_are_in_front_of_both_cameras) {
  std::mt19937_64 random(4);
  const synthetic::TwoViewScene scene = synthetic::make_scene({.points = 1, .inliers = 1}, random);
  const Matrix3 R = Eigen::Map<const Matrix3>(scene.truth.R.data());
  const Eigen::Vector3d t = Eigen::Map<const Eigen::Vector3d>(scene.truth.t.data());
  const Matrix3 E = cross_matrix(t) * R;
  std::vector<PointPair> points;
  for (int i = 0; i < 100; ++i) {
    const double z = (i < 60 ? 1 : -1) * synthetic::uniform(random, 4, 12);
    const double x = synthetic::uniform(random, -0.5, 0.5),
                 y = synthetic::uniform(random, -0.5, 0.5);
    const Eigen::Vector3d Y = R * Eigen::Vector3d(x * z, y * z, z) + t;
    points.push_back({x, y, Y[0] / Y[2], Y[1] / Y[2]});
  }
  const RayPairs rays(queue, points);
  FivePointTrials trials(queue, rays, 1);
  std::vector<double> models(90, std::nan(""));
  for (int k = 0; k < 9; ++k) {  // E has any scale and either sign
    models[std::size_t(9 + k)] = E(k / 3, k % 3);
    models[std::size_t(27 + k)] = -3 * E(k / 3, k % 3);
  }
  trials.E.upload(queue, models);
  for (const Counting counting : kCountings) {
    trials.count(kThreshold, counting);
    EXPECT_EQ(numbers_of(queue, trials.inliers, 10),
              (std::vector<int>{0, 60, 0, 60, 0, 0, 0, 0, 0, 0}));
  }
}

TEST_P(FivePoint, degenerate_samples_have_no_solutions) {
  std::mt19937_64 random(2);
  std::vector<PointPair> points = ray_pairs(40, random);
  for (int i = 0; i < 20; ++i) points[static_cast<std::size_t>(i)] = points[0];
  points[39].x2 = std::nan("");
  const RayPairs rays(queue, points);
  FivePointTrials trials(queue, rays, 3), none(queue, rays, 0);
  // Samples with equal points, with one point five times, and with a NaN point.
  const std::vector<int> drawn = {3, 25, 30, 4, 25, 31, 22, 25, 32, 23, 25, 39, 24, 25, 33};
  const std::vector<double> samples = coordinates_of<double>(points, drawn);
  trials.samples.upload(queue, samples);
  for (const FivePointSolver solver : kSolvers) {
    for (const Counting counting : kCountings) {
      for (FivePointTrials* t : {&trials, &none}) {
        t->solve(solver);
        t->count(kThreshold, counting);
        t->choose();
      }
      for (const double e : numbers_of(queue, trials.E, 270)) EXPECT_TRUE(std::isnan(e));
      EXPECT_EQ(numbers_of(queue, trials.inliers, 30), std::vector<int>(30, 0));
      EXPECT_EQ(trials.chosen().inliers, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, FivePoint, testing::ValuesIn(device_ids()), device_name);

}  // namespace
}  // namespace bifocal::test
