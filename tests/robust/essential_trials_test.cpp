// SPDX-License-Identifier: BSD-3-Clause
// Trials of essential matrices by every placement on every device, against the batched solver and a
// plain count.
#include "robust/essential_trials.hpp"

#include <bifocal/solvers.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "synthetic/two_view_scenes.hpp"

namespace bifocal::test {
namespace {

using robust::EssentialTrials;
using robust::kMostSolutions;
using robust::Placement;
using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

constexpr Placement kPlacements[] = {Placement::serial, Placement::serial_solver,
                                     Placement::parallel, Placement::overlapped};
constexpr double kThreshold = 2e-3;  // two pixels of a focal length of 1000

std::vector<PointPair> ray_pairs(int n, std::mt19937_64& random) {
  synthetic::TwoViewScene scene =
      synthetic::make_scene({.points = n, .inliers = 0.6, .noise = 0.5}, random);
  const Intrinsics& c = scene.camera;
  for (PointPair& p : scene.points)
    p = {(p.x1 - c.cx) / c.fx, (p.y1 - c.cy) / c.fy, (p.x2 - c.cx) / c.fx, (p.y2 - c.cy) / c.fy};
  return scene.points;
}

void draw(EssentialTrials& trials, int points) {
  std::mt19937_64 random(5);
  std::vector<int> order(static_cast<std::size_t>(points));
  std::iota(order.begin(), order.end(), 0);
  for (int i = 0; i < trials.samples; ++i) {
    std::shuffle(order.begin(), order.end(), random);
    for (int k = 0; k < 5; ++k)
      trials.drawn.data()[k * trials.samples + i] = order[static_cast<std::size_t>(k)];
  }
}

// Slot by slot as trials.E.
std::vector<double> solved_in_batch(const std::vector<PointPair>& rays,
                                    const EssentialTrials& trials) {
  const auto n = static_cast<std::size_t>(trials.samples);
  std::vector<double> in(20 * n), rows(90 * n), E(90 * n);
  std::vector<int> counts(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < 5; ++k) {
      const PointPair& p = rays[static_cast<std::size_t>(trials.drawn.data()[k * n + i])];
      in[k * n + i] = p.x1, in[(5 + k) * n + i] = p.y1;
      in[(10 + k) * n + i] = p.x2, in[(15 + k) * n + i] = p.y2;
    }
  }
  solve_minimal(MinimalSolver::essential_5pt, in, rows, counts);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < 90; ++k) E[90 * i + k] = rows[k * n + i];
  }
  return E;
}

// Inliers of E under each of its poses (by the singular vectors, depths by least squares), the most
// first, and how many points are too near to a limit for a float to decide.
struct PlainCount {
  int inliers = 0, unsure = 0;
};
PlainCount count_plainly(const float* model, const std::vector<PointPair>& rays) {
  const Matrix3 E =
      Eigen::Map<const Eigen::Matrix<float, 3, 3, Eigen::RowMajor>>(model).cast<double>();
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(E, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Matrix3d W;
  W << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  const double sign = svd.matrixU().determinant() * svd.matrixV().determinant();
  const Eigen::Vector3d t = svd.matrixU().col(2);
  const Matrix3 R[2] = {sign * svd.matrixU() * W * svd.matrixV().transpose(),
                        sign * svd.matrixU() * W.transpose() * svd.matrixV().transpose()};
  std::array<int, 4> counts{};
  PlainCount out;
  for (const PointPair& p : rays) {
    const Eigen::Vector3d a(p.x1, p.y1, 1), b(p.x2, p.y2, 1), line = E * a;
    const Eigen::Vector3d other = E.transpose() * b;
    const double error = std::abs(b.dot(line)) /
                         std::sqrt(line.head<2>().squaredNorm() + other.head<2>().squaredNorm());
    bool unsure = std::abs(error - kThreshold) < 0.01 * kThreshold;
    for (std::size_t k = 0; k < 4 && error < 1.01 * kThreshold; ++k) {
      Eigen::Matrix<double, 3, 2> rays_of;  // z1 R a + t = z2 b
      rays_of << R[k / 2] * a, -b;
      const Eigen::Vector3d at = k % 2 == 0 ? t : -t;
      const Eigen::Vector2d z = rays_of.colPivHouseholderQr().solve(-at);
      counts[k] += error < kThreshold && z.minCoeff() > 0;
      const double sine = (R[k / 2] * a).cross(b).norm() / (a.norm() * b.norm());
      unsure = unsure || sine < 1e-4 || z.cwiseAbs().minCoeff() * sine < 1e-3;
    }
    out.unsure += unsure;
  }
  out.inliers = *std::max_element(counts.begin(), counts.end());
  return out;
}

bool same_models(const float* a, const float* b, double tolerance) {
  for (int k = 0; k < 9; ++k) {
    if (std::isnan(a[k]) != std::isnan(b[k]) || std::abs(a[k] - b[k]) > tolerance) return false;
  }
  return true;
}

class Essentials : public testing::TestWithParam<std::string> {
 protected:
  Device device{GetParam()};
  Queue queue{device};
};

TEST_P(Essentials, agree_with_the_batched_solver_and_a_plain_count) {
  std::mt19937_64 random(1);
  int slots = 0, solved = 0, far = 0, off_counts = 0;
  // The points are no multiple of a group, the samples neither of a register nor of a block.
  for (const auto& [n, samples] : {std::pair{5, 1}, {9, 3}, {64, 17}, {700, 101}}) {
    const std::vector<PointPair> points = ray_pairs(n, random);
    const robust::RayPairs rays(queue, points);
    EssentialTrials trials(device, samples);
    draw(trials, n);
    const std::vector<double> batch = solved_in_batch(points, trials);
    const std::vector<float> expected(batch.begin(), batch.end());
    for (const Placement placement : kPlacements) {
      robust::run_trials(queue, rays, kThreshold, placement, trials);
      for (int slot = 0; slot < trials.slots(); ++slot) {
        const float* E = trials.E.data() + 9 * slot;
        const int inliers = trials.inliers.data()[slot];
        slots += 1;
        far += !same_models(E, expected.data() + 9 * slot, 1e-4);
        if (std::isnan(E[0])) {
          ASSERT_EQ(inliers, 0);
          continue;
        }
        const PlainCount plain = count_plainly(E, points);
        off_counts += std::abs(inliers - plain.inliers) > plain.unsure;
        solved += 1;
      }
    }
  }
  fmt::print("{}: {} E, {} of {} slots far from the batch's, {} counts off\n", GetParam(), solved,
             far, slots, off_counts);
  EXPECT_GT(solved, 1000);
  EXPECT_LE(far, slots / 50);  // of ill-conditioned samples
  EXPECT_LE(off_counts, solved / 200);
}

TEST_P(Essentials, are_the_same_for_every_placement) {
  std::mt19937_64 random(3);
  const std::vector<PointPair> points = ray_pairs(1000, random);
  const robust::RayPairs rays(queue, points);
  EssentialTrials serial(device, 160), other(device, 160);
  draw(serial, 1000), draw(other, 1000);
  robust::run_trials(queue, rays, kThreshold, Placement::serial, serial);
  const robust::EssentialHypothesis best = robust::best_hypothesis(serial);
  EXPECT_GT(best.inliers, 500);
  for (const Placement placement :
       {Placement::serial_solver, Placement::overlapped, Placement::parallel}) {
    const bool same_solver = placement != Placement::parallel;
    robust::run_trials(queue, rays, kThreshold, placement, other);
    int far = 0, off_counts = 0;
    for (int slot = 0; slot < serial.slots(); ++slot) {
      const float* E = serial.E.data() + 9 * slot;
      if (!same_models(E, other.E.data() + 9 * slot, same_solver ? 0 : 1e-4)) {
        far += 1;
      } else {
        const int unsure = std::isnan(E[0]) ? 0 : count_plainly(E, points).unsure;
        const int off = serial.inliers.data()[slot] - other.inliers.data()[slot];
        off_counts += std::abs(off) > unsure;
      }
    }
    EXPECT_LE(far, same_solver ? 0 : serial.slots() / 50);
    EXPECT_LE(off_counts, serial.slots() / 200);
    EXPECT_NEAR(robust::best_hypothesis(other).inliers, best.inliers, 5);
  }
}

// The projections of points behind both cameras obey x2' E x1 = 0 too.
TEST_P(Essentials, count_points_in_front_of_both_cameras) {
  std::mt19937_64 random(4);
  const synthetic::TwoViewScene scene = synthetic::make_scene({.points = 1, .inliers = 1}, random);
  const Matrix3 R = Eigen::Map<const Matrix3>(scene.truth.R.data());
  const Eigen::Vector3d t = Eigen::Map<const Eigen::Vector3d>(scene.truth.t.data());
  Matrix3 cross;
  cross << 0, -t[2], t[1], t[2], 0, -t[0], -t[1], t[0], 0;
  const Matrix3 E = cross * R;
  std::vector<PointPair> points;
  std::uniform_real_distribution<double> xy(-0.5, 0.5), depth(4, 12);
  for (int i = 0; i < 100; ++i) {
    const double z = (i < 60 ? 1 : -1) * depth(random);
    const Eigen::Vector3d X(xy(random) * z, xy(random) * z, z), Y = R * X + t;
    points.push_back({X[0] / z, X[1] / z, Y[0] / Y[2], Y[1] / Y[2]});
  }
  const robust::RayPairs rays(queue, points);
  EssentialTrials trials(device, 1);
  std::fill(trials.E.data(), trials.E.data() + trials.E.size(), std::nanf(""));
  for (int k = 0; k < 9; ++k) {  // E has any scale and either sign
    trials.E.data()[9 + k] = static_cast<float>(E(k / 3, k % 3));
    trials.E.data()[27 + k] = static_cast<float>(-3 * E(k / 3, k % 3));
  }
  const std::vector<int> expected = {0, 60, 0, 60, 0, 0, 0, 0, 0, 0};
  robust::count_inliers(rays, kThreshold, trials, 0, 1);
  EXPECT_EQ(std::vector<int>(trials.inliers.data(), trials.inliers.data() + 10), expected);
  std::vector<int> inliers(10, -1);
  trials.on_device.E.upload(queue, trials.E.span());
  robust::count_inliers(queue, rays, kThreshold, trials, 0, 1);
  trials.on_device.inliers.download(queue, inliers);
  queue.wait();
  EXPECT_EQ(inliers, expected);
}

TEST_P(Essentials, of_degenerate_samples_have_no_inliers) {
  std::mt19937_64 random(2);
  std::vector<PointPair> points = ray_pairs(40, random);
  for (int i = 0; i < 20; ++i) points[static_cast<std::size_t>(i)] = points[0];
  points[39].x2 = std::nan("");
  const robust::RayPairs rays(queue, points);
  EssentialTrials trials(device, 3), none(device, 0);
  // Equal points, one point five times, a point that is not a number.
  const int drawn[] = {3, 25, 30, 4, 25, 31, 22, 25, 32, 23, 25, 39, 24, 25, 33};
  std::copy(std::begin(drawn), std::end(drawn), trials.drawn.data());
  for (const Placement placement : kPlacements) {
    std::fill(trials.inliers.data(), trials.inliers.data() + trials.slots(), -1);
    robust::run_trials(queue, rays, kThreshold, placement, trials);
    for (const float e : trials.E.span()) EXPECT_TRUE(std::isnan(e));
    for (const int inliers : trials.inliers.span()) EXPECT_EQ(inliers, 0);
    EXPECT_EQ(robust::best_hypothesis(trials).inliers, 0);
    robust::run_trials(queue, rays, kThreshold, placement, none);
    EXPECT_EQ(robust::best_hypothesis(none).inliers, 0);
  }
}

std::vector<std::string> device_ids() {
  std::vector<std::string> ids;
  for (const DeviceInfo& info : list_devices()) ids.push_back(info.id);
  return ids;
}

INSTANTIATE_TEST_SUITE_P(, Essentials, testing::ValuesIn(device_ids()), [](const auto& test) {
  std::string name = test.param;
  std::erase(name, ':');
  return name;
});

}  // namespace
}  // namespace bifocal::test
