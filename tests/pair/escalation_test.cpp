// SPDX-License-Identifier: BSD-3-Clause
// Further attempts for pairs that are rejected, doubted or have few inliers.
#include <gtest/gtest.h>
#include <bifocal/io.hpp>
#include <bifocal/two_photographs.hpp>
#include <bifocal/two_view.hpp>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "pair/attempt.hpp"
#include "support/data.hpp"

namespace bifocal::test {
namespace {

PairResult pair_of(const std::string& folder, const std::string& first, const std::string& second,
                   const Intrinsics& camera, bool escalate = true) {
  const ImageU8 image1 = read_image(data(folder + first)),
                image2 = read_image(data(folder + second));
  return estimate_pair(
      image1, image2, {.camera1 = camera, .camera2 = camera, .escalate = escalate, .dense = false});
}

PairResult castle_pair(const std::string& first, const std::string& second, bool escalate = true) {
  return pair_of("collections/castle-P19/", first, second,
                 {919.826667, 921.386667, 506.563333, 335.27}, escalate);
}

int taken(const PairResult& r) {
  int last = -1;
  for (std::size_t i = 0; i < r.tries.size(); ++i)
    if (r.tries[i].is_taken) last = static_cast<int>(i);
  return last;
}

// Makes blurred noise, which has features of all sizes.
ImageU8 texture(unsigned seed) {
  ImageU8 image(400, 300, 1);
  std::mt19937 random(seed);
  for (auto& v : image.pixels) v = static_cast<std::uint8_t>(random() >> 24);
  return warp(image, {5, 0, 0, 0, 5, 0, 0, 0, 1}, 400, 300);
}

TEST(PairBelief, InliersDoNotReplaceBelief) {
  using pair::Belief;
  const Belief refused, doubted{1, -80, 300}, weak{2, -5, 12}, strong{2, -9, 11};
  EXPECT_TRUE(doubted.exceeds(refused));
  EXPECT_TRUE(weak.exceeds(doubted));
  EXPECT_FALSE(doubted.exceeds(strong));
  EXPECT_TRUE(strong.exceeds(weak));
  EXPECT_FALSE(weak.exceeds(strong));
  EXPECT_FALSE(weak.exceeds(weak));
  EXPECT_FALSE(refused.exceeds(refused));
}

TEST(PairBelief, OfEqualSignificanceTheLargerSupportCounts) {
  const pair::Belief few{2, -5, 12}, more{2, -5, 13};
  EXPECT_TRUE(more.exceeds(few));
  EXPECT_FALSE(few.exceeds(more));
}

TEST(PairBelief, AHomographyDoesNotReplaceAnEpipolarModel) {
  const pair::Belief epipolar{1, -3, 12, true, -3}, plane{2, -90, 200, false, -60};
  EXPECT_FALSE(plane.exceeds(epipolar));
  EXPECT_TRUE(epipolar.exceeds({}));
  EXPECT_TRUE(plane.exceeds({}));
}

TEST(PairBelief, AnEpipolarModelIsComparedWithTheEpipolarModelNextToAHomography) {
  const pair::Belief plane{2, -90, 47, false, -20};
  EXPECT_TRUE((pair::Belief{2, -30, 82, true, -30}.exceeds(plane)));
  EXPECT_FALSE((pair::Belief{2, -19, 82, true, -19}.exceeds(plane)));
  EXPECT_FALSE((pair::Belief{1, -30, 82, true, -30}.exceeds(plane)));
}

TEST(PairEscalation, AnAnswerWithManyInliersIsNotTriedAgain) {
  BIFOCAL_NEEDS_DATA("collections/castle-P19")
  const PairResult r = castle_pair("0003.jpg", "0004.jpg"),
                   once = castle_pair("0003.jpg", "0004.jpg", false);
  ASSERT_EQ(r.tries.size(), 1u);
  EXPECT_TRUE(r.tries[0].is_taken);
  EXPECT_EQ(r.tries[0].inliers, r.estimate.num_inliers);
  EXPECT_EQ(r.estimate.model, once.estimate.model);
  EXPECT_EQ(r.estimate.inliers, once.estimate.inliers);
  EXPECT_EQ(r.repetition.evidence, once.repetition.evidence);
}

// Without affine shapes the pose has 40 inliers and is doubted.
TEST(PairEscalation, AffineShapesFindAWidePair) {
  BIFOCAL_NEEDS_DATA("collections/fountain-P11")
  const PairResult r = pair_of("collections/fountain-P11/", "0002.jpg", "0009.jpg",
                               {1379.74, 1382.08, 760.095, 503.155});
  ASSERT_EQ(r.outcome, Outcome::ok) << r.reason;
  EXPECT_EQ(r.kind, ModelKind::essential);
  EXPECT_FALSE(r.repetition.is_doubted) << r.repetition.reason;
  ASSERT_EQ(r.tries.size(), 2u);  // 50 inliers are enough
  EXPECT_LT(r.tries[0].inliers, 50);
  EXPECT_EQ(r.tries[1].name, "affine shapes");
  EXPECT_TRUE(r.tries[1].is_taken);
  EXPECT_GE(r.tries[1].inliers, 50);
  EXPECT_EQ(r.tries[1].inliers, r.estimate.num_inliers);
}

// The guided round has 5 to 10 times as many inliers.
TEST(PairEscalation, AGuidedRoundDoesNotRemoveADoubt) {
  BIFOCAL_NEEDS_DATA("collections/castle-P19")
  for (const auto& [first, second] :
       {std::pair{"0005.jpg", "0011.jpg"}, {"0001.jpg", "0013.jpg"}, {"0005.jpg", "0013.jpg"}}) {
    const PairResult r = castle_pair(first, second);
    EXPECT_EQ(r.tries.size(), 3u) << first;
    EXPECT_TRUE(r.outcome != Outcome::ok || r.repetition.is_doubted) << first << " " << second;
  }
}

TEST(PairEscalation, TheLevelOfTheDoubtIsDividedByTheTries) {
  BIFOCAL_NEEDS_DATA("collections/castle-P19")
  const PairResult once = castle_pair("0011.jpg", "0014.jpg", false),
                   r = castle_pair("0011.jpg", "0014.jpg");
  EXPECT_FALSE(once.is_doubted());
  ASSERT_GE(r.tries.size(), 2u);
  EXPECT_EQ(r.tries[0].inliers, once.estimate.num_inliers);
  EXPECT_TRUE(r.tries[0].is_doubted);  // its evidence is between both levels
}

TEST(PairEscalation, UnrelatedImagesAreRefusedByAllTries) {
  const ImageU8 image1 = texture(1), image2 = texture(2);
  const PairResult r = estimate_pair(image1, image2);
  EXPECT_NE(r.outcome, Outcome::ok);
  ASSERT_EQ(r.tries.size(), 2u);  // without a model there can be no guided round
  EXPECT_EQ(taken(r), 0);
  for (const PairTry& t : r.tries) EXPECT_EQ(t.inliers, 0);
  EXPECT_EQ(estimate_pair(image1, image2, {.escalate = false}).tries.size(), 1u);
}

TEST(PairEscalation, TriesThatTheOptionsAskForAreNotRepeated) {
  const ImageU8 image1 = texture(1), image2 = texture(2);
  PairOptions options;
  options.sift.affine_shape = true;
  EXPECT_EQ(estimate_pair(image1, image2, options).tries.size(), 1u);
  options = {};
  options.surf.emplace();
  EXPECT_EQ(estimate_pair(image1, image2, options).tries.size(), 1u);
}

// An image and its oblique view, which shrinks along one direction.
struct ObliqueView {
  Mat3 truth;
  ImageU8 image1, image2;
};
ObliqueView oblique_view(double tilt) {
  ObliqueView v;
  v.image1 = to_grey(read_image(data("oxford_affine/graf/img1.png")));
  const double a = std::cos(0.5), b = std::sin(0.5), s = 1 / tilt;
  const double x = v.image1.width / 2.0, y = v.image1.height / 2.0;
  const double xx = s * a * a + b * b, xy = (s - 1) * a * b, yy = s * b * b + a * a;
  v.truth = {xx, xy, x - x * xx - y * xy, xy, yy, y - x * xy - y * yy, 0, 0, 1};
  v.image2 = warp(v.image1, v.truth, v.image1.width, v.image1.height);
  return v;
}

// Centres of the four quarters of the first image, with their positions in the second image.
std::vector<PointPair> corresponding_corners(const ObliqueView& v) {
  std::vector<PointPair> points;
  for (const double x : {0.25, 0.75})
    for (const double y : {0.25, 0.75}) {
      const double u = x * v.image1.width, w = y * v.image1.height;
      const Mat3& H = v.truth;
      points.push_back({u, w, H[0] * u + H[1] * w + H[2], H[3] * u + H[4] * w + H[5]});
    }
  return points;
}

TEST(PairEscalation, FindsObliqueViewsThatAreRefusedWithoutIt) {
  BIFOCAL_NEEDS_DATA("oxford_affine/graf")
  for (const double tilt : {3.5, 4.0, 5.0}) {
    const ObliqueView v = oblique_view(tilt);
    PairOptions options{.kind = ModelRequest::homography};
    const PairResult r = estimate_pair(v.image1, v.image2, options);
    options.escalate = false;
    EXPECT_EQ(estimate_pair(v.image1, v.image2, options).outcome, Outcome::not_significant) << tilt;
    ASSERT_EQ(r.outcome, Outcome::ok) << tilt << ": " << r.reason;
    EXPECT_GE(taken(r), 1) << tilt;  // affine shapes, or guided matching along their model
    const std::vector<PointPair> corners = corresponding_corners(v);
    for (const double error : residuals(ModelKind::homography, r.estimate.model, corners))
      EXPECT_LT(error, 3) << tilt;
  }
}

TEST(PairEscalation, AGuidedRoundReplacesASmallAnswer) {
  BIFOCAL_NEEDS_DATA("oxford_affine/graf")
  const ObliqueView v = oblique_view(5);
  const PairResult r = estimate_pair(v.image1, v.image2, {.kind = ModelRequest::homography});
  ASSERT_EQ(r.tries.size(), 3u);
  EXPECT_LT(r.tries[1].inliers, 50);
  EXPECT_EQ(taken(r), 2);
  EXPECT_GT(r.estimate.num_inliers, 2 * r.tries[1].inliers);
  for (const double error :
       residuals(ModelKind::homography, r.estimate.model, corresponding_corners(v)))
    EXPECT_LT(error, 3);
}

}  // namespace
}  // namespace bifocal::test
