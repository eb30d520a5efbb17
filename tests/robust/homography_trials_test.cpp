// SPDX-License-Identifier: BSD-3-Clause
// Trials of homographies on every device, against the closed form and a plain count on the host.
#include "robust/homography_trials.hpp"

#include <bifocal/solvers.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "synthetic/two_view_scenes.hpp"

namespace bifocal::test {
namespace {

// Relative to the image's centre, where float coordinates are at their best.
std::vector<PointPair> planar_points(int n, std::mt19937_64& random) {
  synthetic::TwoViewScene scene =
      synthetic::make_scene({.points = n, .inliers = 0.6, .noise = 0.5, .planar = true}, random);
  for (PointPair& p : scene.points) p.x1 -= 640, p.x2 -= 640, p.y1 -= 480, p.y2 -= 480;
  return scene.points;
}

std::vector<int> random_samples(int trials, int n, std::mt19937_64& random) {
  std::vector<int> samples(4 * static_cast<std::size_t>(trials));
  std::uniform_int_distribution<int> pick(0, n - 1);
  for (int& p : samples) p = pick(random);
  return samples;
}

// Closed form, [9][trials], NaN without a solution.
std::vector<double> closed_form(const std::vector<PointPair>& points,
                                const std::vector<int>& samples) {
  const std::size_t n = samples.size() / 4;
  std::vector<double> in(16 * n), H(9 * n);
  std::vector<int> counts(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < 4; ++k) {
      const PointPair& p = points[static_cast<std::size_t>(samples[k * n + i])];
      in[k * n + i] = p.x1, in[(4 + k) * n + i] = p.y1;
      in[(8 + k) * n + i] = p.x2, in[(12 + k) * n + i] = p.y2;
    }
  }
  solve_minimal(MinimalSolver::homography_4pt, in, H, counts);
  return H;
}

// Squared Sampson distance of x2 ~ H x1: c' (J J')^-1 c.
double squared_error(const double* H, const PointPair& p) {
  const double w = H[6] * p.x1 + H[7] * p.y1 + H[8];
  const double c0 = w * p.x2 - (H[0] * p.x1 + H[1] * p.y1 + H[2]);
  const double c1 = w * p.y2 - (H[3] * p.x1 + H[4] * p.y1 + H[5]);
  const double a[2] = {H[6] * p.x2 - H[0], H[7] * p.x2 - H[1]};
  const double b[2] = {H[6] * p.y2 - H[3], H[7] * p.y2 - H[4]};
  const double aa = a[0] * a[0] + a[1] * a[1] + w * w, bb = b[0] * b[0] + b[1] * b[1] + w * w;
  const double ab = a[0] * b[0] + a[1] * b[1];
  return (bb * c0 * c0 - 2 * ab * c0 * c1 + aa * c1 * c1) / (aa * bb - ab * ab);
}

class Trials : public testing::TestWithParam<std::string> {
 protected:
  Device device{GetParam()};
};

TEST_P(Trials, agree_with_the_closed_form_and_a_plain_count) {
  std::mt19937_64 random(1);
  Queue queue(device);
  int degenerate = 0, compared = 0, far = 0, off_counts = 0;
  // The points are no multiple of a group, the trials none of a register.
  for (const auto& [n, trials] : {std::pair{4, 1}, {7, 3}, {64, 17}, {500, 333}, {2000, 2000}}) {
    const std::vector<PointPair> points = planar_points(n, random);
    const std::vector<int> samples = random_samples(trials, n, random);
    const robust::DevicePoints on_device = robust::upload_points(queue, points);
    robust::HomographyTrials all(device, trials);
    all.samples.upload(queue, samples);
    robust::solve_trials(queue, on_device, all);
    robust::count_inliers(queue, on_device, 2, all);
    std::vector<float> H(9 * static_cast<std::size_t>(trials));
    std::vector<int> inliers(static_cast<std::size_t>(trials));
    all.H.download(queue, H);
    all.inliers.download(queue, inliers);
    queue.wait();
    const std::vector<double> expected = closed_form(points, samples);
    for (int i = 0; i < trials; ++i) {
      double h[9], truth[9], difference = 0;
      for (int k = 0; k < 9; ++k) {
        const auto at = static_cast<std::size_t>(k * trials + i);
        h[k] = H[at], truth[k] = expected[at];
        difference = std::max(difference, std::abs(h[k] - truth[k]));
      }
      if (std::isnan(h[0])) {
        ASSERT_EQ(inliers[static_cast<std::size_t>(i)], 0);
        degenerate += 1;
        continue;
      }
      int count = 0, unsure = 0;  // within rounding of the threshold
      for (const PointPair& p : points) {
        const double error = std::sqrt(squared_error(h, p));
        count += error < 2;
        unsure += std::abs(error - 2) < 0.02;
      }
      off_counts += std::abs(inliers[static_cast<std::size_t>(i)] - count) > unsure;
      far += !(difference < 1e-3);  // of ill-conditioned samples; elements are at most 1
      compared += 1;
    }
  }
  fmt::print("{}: {} trials, {} of them far from the closed form, {} degenerate, {} counts off\n",
             GetParam(), compared, far, degenerate, off_counts);
  EXPECT_GT(compared, 500);
  EXPECT_LE(far, compared / 20);
  EXPECT_LE(off_counts, compared / 200);
}

TEST_P(Trials, of_no_use_have_no_inliers) {
  std::mt19937_64 random(2);
  Queue queue(device);
  std::vector<PointPair> points = planar_points(40, random);
  for (int i = 0; i < 20; ++i) points[static_cast<std::size_t>(i)] = points[0];
  points[39].x2 = std::nan("");
  const robust::DevicePoints on_device = robust::upload_points(queue, points);
  robust::HomographyTrials all(device, 3), none(device, 0);
  // Equal points, one point four times, a point that is not a number.
  const std::vector<int> samples = {3, 25, 30, 4, 25, 31, 22, 25, 32, 23, 25, 39};
  all.samples.upload(queue, samples);
  robust::solve_trials(queue, on_device, all);
  robust::count_inliers(queue, on_device, 2, all);
  robust::solve_trials(queue, on_device, none);
  robust::count_inliers(queue, on_device, 2, none);
  std::vector<int> inliers(3, -1);
  all.inliers.download(queue, inliers);
  queue.wait();
  EXPECT_EQ(inliers, (std::vector<int>{0, 0, 0}));
}

std::vector<std::string> device_ids() {
  std::vector<std::string> ids;
  for (const DeviceInfo& info : list_devices()) ids.push_back(info.id);
  return ids;
}

INSTANTIATE_TEST_SUITE_P(, Trials, testing::ValuesIn(device_ids()), [](const auto& test) {
  std::string name = test.param;
  std::erase(name, ':');
  return name;
});

}  // namespace
}  // namespace bifocal::test
