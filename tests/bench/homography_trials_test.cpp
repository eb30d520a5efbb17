// SPDX-License-Identifier: BSD-3-Clause
// Compares trials of homographies on every device with the closed form and a plain count on
// the host.
#include "seeds/homography_trials.hpp"

#include <bifocal/solvers.hpp>
#include <fmt/format.h>

#include <cmath>
#include <random>

#include "bench/trials.hpp"
#include "synthetic/random.hpp"
#include "synthetic/two_view_scenes.hpp"

namespace bifocal::test {
namespace {

using bench::seeds::HomographyTrials;

// Coordinates are relative to the image centre, where float is most accurate; H is the
// true homography.
struct Scene {
  std::vector<PointPair> points;
  Mat3 H;
};
Mat3 product(const Mat3& a, const Mat3& b) {
  Mat3 out{};
  for (std::size_t i = 0; i < 9; ++i) {
    for (std::size_t k = 0; k < 3; ++k) out[i] += a[i / 3 * 3 + k] * b[3 * k + i % 3];
  }
  return out;
}
Scene planar_scene(int n, std::mt19937_64& random) {
  synthetic::TwoViewScene scene =
      synthetic::make_scene({.points = n, .inliers = 0.6, .noise = 0.5, .planar = true}, random);
  for (PointPair& p : scene.points) p.x1 -= 640, p.x2 -= 640, p.y1 -= 480, p.y2 -= 480;
  const Mat3 to = {1, 0, -640, 0, 1, -480, 0, 0, 1}, from = {1, 0, 640, 0, 1, 480, 0, 0, 1};
  return {scene.points, product(product(to, scene.H), from)};
}

// Solves with the closed form. Returns [9][trials], NaN without a solution.
std::vector<double> closed_form(const std::vector<PointPair>& points,
                                const std::vector<int>& drawn) {
  const std::size_t n = drawn.size() / 4;
  std::vector<double> H(9 * n);
  std::vector<int> counts(n);
  solve_minimal(MinimalSolver::homography_4pt, coordinates_of<double>(points, drawn), H, counts);
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

class Homographies : public OnDevice {};

TEST_P(Homographies, come_from_the_cpu_samples) {
  std::mt19937_64 random(3);
  const Scene scene = planar_scene(333, random);
  HomographyTrials here(queue, scene.points, 1001), there(cpu, scene.points, 1001);
  for (const int seed : {1, 7}) {
    here.draw(seed), there.draw(seed);
    const std::vector<int> drawn = numbers_of(queue, here.drawn, 4 * 1001);
    expect_samples(drawn, 4, 333);
    EXPECT_EQ(drawn, numbers_of(cpu, there.drawn, 4 * 1001));
    EXPECT_EQ(numbers_of(queue, here.samples, 16 * 1001),
              coordinates_of<float>(scene.points, drawn));
  }
  here.draw(1);
  EXPECT_NE(numbers_of(queue, here.drawn, 4 * 1001), numbers_of(cpu, there.drawn, 4 * 1001));
}

TEST_P(Homographies, agree_with_the_closed_form_and_a_plain_count) {
  std::mt19937_64 random(1);
  int degenerate = 0, compared = 0, far = 0, off_counts = 0;
  // The numbers of points are no multiple of a group size, the numbers of trials no multiple of a
  // SIMD register.
  for (const auto& [n, count] : {std::pair{4, 1}, {7, 3}, {64, 17}, {500, 333}, {2000, 2000}}) {
    const std::vector<PointPair> points = planar_scene(n, random).points;
    HomographyTrials trials(queue, points, count);
    trials.draw(n);
    trials.solve();
    trials.count(2);
    trials.choose();
    const std::vector<float> H = numbers_of(queue, trials.H, 9 * count);
    const std::vector<int> inliers = numbers_of(queue, trials.inliers, count);
    const std::vector<double> expected =
        closed_form(points, numbers_of(queue, trials.drawn, 4 * count));
    for (int i = 0; i < count; ++i) {
      double h[9], truth[9], difference = 0;
      for (int k = 0; k < 9; ++k) {
        const auto at = static_cast<std::size_t>(k * count + i);
        h[k] = H[at], truth[k] = expected[at];
        difference = std::max(difference, std::abs(h[k] - truth[k]));
      }
      if (std::isnan(h[0])) {
        ASSERT_EQ(inliers[static_cast<std::size_t>(i)], 0);
        degenerate += 1;
        continue;
      }
      int plain = 0, unsure = 0;  // points within rounding of the threshold
      for (const PointPair& p : points) {
        const double error = std::sqrt(squared_error(h, p));
        plain += error < 2;
        unsure += std::abs(error - 2) < 0.02;
      }
      off_counts += std::abs(inliers[static_cast<std::size_t>(i)] - plain) > unsure;
      far += !(difference < 1e-3);  // ill-conditioned samples; elements are at most 1
      compared += 1;
    }
    const auto best = std::max_element(inliers.begin(), inliers.end());
    const bench::seeds::Chosen chosen = trials.chosen();
    EXPECT_EQ(chosen.inliers, *best);
    EXPECT_EQ(chosen.model, best - inliers.begin());
    for (int k = 0; k < 9 && chosen.inliers > 0; ++k)
      EXPECT_EQ(chosen.matrix[static_cast<std::size_t>(k)],
                H[static_cast<std::size_t>(k * count + chosen.model)]);
  }
  fmt::print("{}: {} trials, {} of them far from the closed form, {} degenerate, {} counts off\n",
             GetParam(), compared, far, degenerate, off_counts);
  EXPECT_GT(compared, 500);
  EXPECT_LE(far, compared / 20);
  EXPECT_LE(off_counts, compared / 200);
}

// Points within a hundredth of the threshold are left out, because rounding could decide them.
TEST_P(Homographies, count_inliers_exactly) {
  std::mt19937_64 random(4);
  constexpr int kModels = 24;
  const Scene scene = planar_scene(2000, random);
  std::vector<double> models;
  for (int i = 0; i < kModels; ++i) {
    Mat3 shift = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (const std::size_t k : {2, 5}) shift[k] = synthetic::uniform(random, -4, 4);
    for (const std::size_t k : {0, 1, 3, 4}) shift[k] += synthetic::uniform(random, -0.01, 0.01);
    for (const double v : product(shift, scene.H)) models.push_back(v);
  }
  std::vector<PointPair> sure;
  for (const PointPair& p : scene.points) {
    bool is_sure = true;
    for (int i = 0; i < kModels; ++i)
      is_sure =
          is_sure && std::abs(std::sqrt(squared_error(&models[9 * std::size_t(i)], p)) - 2) > 0.02;
    if (is_sure) sure.push_back(p);
  }
  std::vector<float> rows(9 * kModels);
  std::vector<int> expected(kModels);
  for (std::size_t i = 0; i < kModels; ++i) {
    for (std::size_t k = 0; k < 9; ++k)
      rows[k * kModels + i] = static_cast<float>(models[9 * i + k]);
    for (const PointPair& p : sure) expected[i] += squared_error(&models[9 * i], p) < 4;
  }
  ASSERT_GT(sure.size(), 1000U);
  EXPECT_GT(*std::max_element(expected.begin(), expected.end()), 300);
  HomographyTrials trials(queue, sure, kModels);
  trials.H.upload(queue, rows);
  trials.count(2);
  EXPECT_EQ(numbers_of(queue, trials.inliers, kModels), expected);
}

TEST_P(Homographies, of_degenerate_samples_have_no_inliers) {
  std::mt19937_64 random(2);
  std::vector<PointPair> points = planar_scene(40, random).points;
  for (int i = 0; i < 20; ++i) points[static_cast<std::size_t>(i)] = points[0];
  points[39].x2 = std::nan("");
  HomographyTrials trials(queue, points, 3), none(queue, points, 0);
  // Samples with equal points, with one point four times, and with a NaN point.
  const std::vector<int> drawn = {3, 25, 30, 4, 25, 31, 22, 25, 32, 23, 25, 39};
  const std::vector<float> samples = coordinates_of<float>(points, drawn);
  trials.samples.upload(queue, samples);
  for (HomographyTrials* t : {&trials, &none}) {
    t->solve();
    t->count(2);
    t->choose();
  }
  EXPECT_EQ(numbers_of(queue, trials.inliers, 3), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(trials.chosen().inliers, 0);
}

INSTANTIATE_TEST_SUITE_P(, Homographies, testing::ValuesIn(device_ids()), device_name);

}  // namespace
}  // namespace bifocal::test
