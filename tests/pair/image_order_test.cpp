// SPDX-License-Identifier: BSD-3-Clause
// `pair A B` and `pair B A` find the same matches, model and pose.
#include <gtest/gtest.h>
#include <bifocal/two_photographs.hpp>

#include <array>
#include <cmath>
#include <random>

#include "synthetic/two_view_scenes.hpp"

namespace bifocal {
namespace {

std::vector<PointPair> exchanged(std::vector<PointPair> points) {
  for (PointPair& p : points) p = {p.x2, p.y2, p.x1, p.y1};
  return points;
}

double norm_of(const Mat3& m) {
  double squares = 0;
  for (const double v : m) squares += v * v;
  return std::sqrt(squares);
}

// Largest difference of two matrices scaled to norm 1, whatever their signs.
double difference(const Mat3& a, const Mat3& b) {
  double plus = 0, minus = 0;
  for (std::size_t i = 0; i < 9; ++i) {
    const double x = a[i] / norm_of(a), y = b[i] / norm_of(b);
    plus = std::max(plus, std::abs(x - y)), minus = std::max(minus, std::abs(x + y));
  }
  return std::min(plus, minus);
}

void expect_equal(const std::vector<PointPair>& a, const std::vector<PointPair>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ((std::array{a[i].x1, a[i].y1, a[i].x2, a[i].y2}),
              (std::array{b[i].x1, b[i].y1, b[i].x2, b[i].y2}));
}

void expect_same_answer(const PairResult& a, const PairResult& b) {
  EXPECT_EQ(a.outcome, b.outcome);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.doubt, b.doubt);
  EXPECT_EQ(a.repetition.is_doubted, b.repetition.is_doubted);
  EXPECT_EQ(a.estimate.inliers, b.estimate.inliers);
  expect_equal(a.points, exchanged(b.points));
  if (a.outcome != Outcome::ok) return;
  EXPECT_LT(
      difference(a.estimate.model, a.kind == ModelKind::homography ? inverse(b.estimate.model)
                                                                   : transposed(b.estimate.model)),
      1e-9);
  ASSERT_EQ(a.cam2_from_cam1.has_value(), b.cam2_from_cam1.has_value());
  if (a.kind != ModelKind::essential) return;
  const Pose &one = *a.cam2_from_cam1, &two = *b.cam2_from_cam1;
  EXPECT_LT(difference(one.R, transposed(two.R)), 1e-9);
  EXPECT_EQ(a.in_front, b.in_front);
  ASSERT_EQ(a.triangulated.size(), b.triangulated.size());
  for (std::size_t i = 0; i < a.triangulated.size(); ++i) {
    if (!a.estimate.inliers[i]) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      double moved = one.t[k];  // the point of `a` in the frame of camera 2
      for (std::size_t j = 0; j < 3; ++j) moved += one.R[3 * k + j] * a.triangulated[i][j];
      if (!std::isfinite(moved)) continue;
      EXPECT_NEAR(moved, b.triangulated[i][k], 1e-6 * (1 + std::abs(moved)));
    }
  }
}

PairResult estimated(const ImageU8& first, const ImageU8& second, PairOptions options,
                     const PairInput& input = {}) {
  options.dense = false;
  return estimate_pair(first, second, options, input);
}

TEST(ImageOrder, changes_nothing_with_given_matches) {
  ImageU8 first(1280, 960), second(1280, 960);
  second.at(7, 900) = 1;
  std::mt19937_64 random(61);
  for (const bool planar : {false, true}) {
    for (const double inliers : {0.5, 0.08}) {
      const auto s = synthetic::make_scene(
          {.points = 200, .inliers = inliers, .noise = 0.5, .planar = planar}, random);
      const std::vector<PointPair> other = exchanged(s.points);
      for (const bool is_calibrated : {false, true}) {
        PairOptions options, reversed;
        if (is_calibrated) {
          options.camera1 = s.camera, options.camera2 = Intrinsics{1001, 1001, 640, 480};
          reversed.camera1 = options.camera2, reversed.camera2 = options.camera1;
        }
        expect_same_answer(estimated(first, second, options, {.matches = s.points}),
                           estimated(second, first, reversed, {.matches = other}));
      }
    }
  }
}

TEST(ImageOrder, changes_neither_features_nor_matches) {
  std::mt19937_64 random(62);
  ImageU8 first(240, 180), second(240, 180);
  std::array<std::array<std::uint8_t, 60>, 60> level{};
  for (auto& row : level)
    for (auto& v : row) v = static_cast<std::uint8_t>(random());
  for (int y = 0; y < 180; ++y) {
    for (int x = 0; x < 240; ++x) {
      first.at(x, y) = level[std::size_t(y) / 5][std::size_t(x) / 5];
      second.at(x, y) = level[std::size_t(y + 4) / 5][std::size_t(x + 15) / 5];
    }
  }
  const PairResult a = estimated(first, second, {}), b = estimated(second, first, {});
  EXPECT_GT(a.points.size(), 20U);
  EXPECT_EQ(a.keypoints1.size(), b.keypoints2.size());
  for (std::size_t i = 0; i < a.matches.size(); ++i) {
    EXPECT_EQ(a.matches[i].index1, b.matches[i].index2);
    const Keypoint& k = a.keypoints1[std::size_t(a.matches[i].index1)];
    EXPECT_EQ(double(k.x), a.points[i].x1);
  }
  expect_same_answer(a, b);
}

TEST(ImageOrder, messages_name_the_photographs_of_the_caller) {
  ImageU8 flat(300, 200), other(300, 200);
  for (int i = 0; i < 300 * 200; ++i)
    other.pixels[std::size_t(i)] = std::uint8_t(std::int64_t{i} * i / 97);
  EXPECT_NE(estimated(flat, other, {}).reason.find("the first photograph has no feature"),
            std::string::npos);
  EXPECT_NE(estimated(other, flat, {}).reason.find("the second photograph has no feature"),
            std::string::npos);
}

}  // namespace
}  // namespace bifocal
