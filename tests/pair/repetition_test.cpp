// SPDX-License-Identifier: BSD-3-Clause
// The doubt about models of castle-P19, a courtyard with similar sides, and of wallpapers.
#include <gtest/gtest.h>
#include <bifocal/io.hpp>
#include <bifocal/two_photographs.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/data.hpp"
#include "support/long_tests.hpp"
#include "synthetic/wallpaper.hpp"

namespace bifocal::test {
namespace {

PairResult castle_pair(const std::string& first, const std::string& second) {
  const std::string folder = "collections/castle-P19/";
  const ImageU8 image1 = read_image(data(folder + first)),
                image2 = read_image(data(folder + second));
  const Intrinsics camera{919.826667, 921.386667, 506.563333, 335.27};
  return estimate_pair(image1, image2, {.camera1 = camera, .camera2 = camera, .dense = false});
}

TEST(PairRepetition, APoseOfTwoSidesThatLookAlikeIsDoubted) {
  BIFOCAL_NEEDS_DATA("collections/castle-P19")
  const PairResult r = castle_pair("0005.jpg", "0011.jpg");
  ASSERT_EQ(r.outcome, Outcome::ok);  // the doubt changes no outcome
  EXPECT_TRUE(r.repetition.is_doubted);
  EXPECT_LT(r.repetition.twin_distance, 150);
  EXPECT_NE(r.repetition.reason.find("repeated structure"), std::string::npos);
}

TEST(PairRepetition, APoseOfOneSideIsNotDoubted) {
  BIFOCAL_NEEDS_DATA("collections/castle-P19")
  const PairResult r = castle_pair("0003.jpg", "0004.jpg");
  ASSERT_EQ(r.outcome, Outcome::ok);
  EXPECT_FALSE(r.repetition.is_doubted);
  EXPECT_GT(r.repetition.evidence, 10);
  EXPECT_TRUE(r.repetition.reason.empty());
}

TEST(PairRepetition, AHomographyOfTwoSidesThatLookAlikeIsDoubted) {
  BIFOCAL_NEEDS_DATA("collections/castle-P19")
  const PairResult r = castle_pair("0008.jpg", "0014.jpg");
  ASSERT_EQ(r.outcome, Outcome::ok);
  ASSERT_EQ(r.kind, ModelKind::homography);
  EXPECT_TRUE(r.repetition.is_doubted);
  EXPECT_EQ(r.repetition.rival_inliers, 0);  // a second plane would be a rival, too
}

TEST(PairRepetition, AHomographyOfAWallWithoutRepetitionIsNotDoubted) {
  BIFOCAL_NEEDS_DATA("oxford_affine")
  const PairResult r = estimate_pair(read_image(data("oxford_affine/graf/img1.png")),
                                     read_image(data("oxford_affine/graf/img3.png")),
                                     {.kind = ModelRequest::homography, .dense = false});
  ASSERT_EQ(r.outcome, Outcome::ok);
  EXPECT_FALSE(r.repetition.is_doubted) << r.repetition.reason;
  EXPECT_GT(r.repetition.unique_ratio, 0.9);
}

bool maps(const Mat3& H, const PointPair& p) {
  const Vec3 x = times(H, Vec3{p.x1, p.y1, 1});
  return std::hypot(x[0] / x[2] - p.x2, x[1] / x[2] - p.y2) < 5;
}

// Returns whether most inliers are correct matches and a pose from given cameras is correct.
bool is_right(const synthetic::WallpaperPair& pair, const PairResult& r) {
  int inliers = 0, correct = 0;
  for (std::size_t i = 0; i < r.points.size(); ++i) {
    if (!r.estimate.inliers[i]) continue;
    ++inliers;
    correct += maps(pair.wall, r.points[i]) || maps(pair.board, r.points[i]);
  }
  if (correct < 0.7 * inliers) return false;
  if (r.kind != ModelKind::essential || !r.cam2_from_cam1) return true;
  const Vec3 &a = r.cam2_from_cam1->t, &b = pair.truth.t;
  const double cosine = (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / std::hypot(a[0], a[1], a[2]) /
                        std::hypot(b[0], b[1], b[2]);
  return cosine > std::cos(10 * std::numbers::pi / 180);
}

// Wallpapers of four periods, of which each image shows at least two, with and without stains, half
// of them with a board.
TEST(PairRepetition, AWrongModelOfAWallpaperIsDoubted) {
  const int pairs = test::short_or_long(8, 40);
  int wrong = 0, undoubted = 0, right = 0;
  for (int i = 0; i < pairs; ++i) {
    const double periods[] = {0.8, 1.2, 1.8, 2.1}, variations[] = {0, 0.1, 0.2};
    const auto pair = synthetic::make_wallpaper({.period = periods[i % 4],
                                                 .variation = variations[i % 3],
                                                 .has_second_plane = i / 4 % 2 == 1,
                                                 .seed = 64000U + static_cast<unsigned>(i)});
    PairOptions options{.dense = false};
    if (i / 8 % 2 == 1) options.camera1 = options.camera2 = pair.camera;
    const PairResult r = estimate_pair(pair.image1, pair.image2, options);
    if (r.outcome != Outcome::ok) continue;
    const bool is_wrong = !is_right(pair, r);
    wrong += is_wrong;
    undoubted += is_wrong && !r.is_doubted();
    right += !is_wrong && !r.is_doubted();
  }
  RecordProperty("wrong", wrong);
  RecordProperty("right_undoubted", right);
  EXPECT_GE(wrong, pairs / 4);
  EXPECT_LE(undoubted, std::max(1, pairs / 20));
}

}  // namespace
}  // namespace bifocal::test
