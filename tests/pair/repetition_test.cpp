// SPDX-License-Identifier: BSD-3-Clause
// The doubt about poses of castle-P19, a courtyard with similar sides.
#include <gtest/gtest.h>
#include <bifocal/io.hpp>
#include <bifocal/two_photographs.hpp>

#include "support/data.hpp"

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

}  // namespace
}  // namespace bifocal::test
