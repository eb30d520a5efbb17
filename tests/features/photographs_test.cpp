// SPDX-License-Identifier: BSD-3-Clause
// Compares the correct matches on real photographs with OpenCV 4.6 at its defaults on the same
// pair: its RootSIFT, and for SURF its AKAZE.
#include <bifocal/features.hpp>
#include <bifocal/io.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "support/data.hpp"

namespace bifocal::test {
namespace {

struct Pair {
  const char *set, *image1, *image2, *homography;
  int correct;       // OpenCV's, within 3 px of the true homography
  double precision;  // per cent
};
void PrintTo(const Pair& p, std::ostream* out) { *out << p.set << "/" << p.image2; }

// Returns the number of correct matches and the number of all matches.
template <class Detect>
std::pair<int, std::size_t> matches_of(const Pair& pair, const Detect& detect) {
  const std::string folder = std::string("oxford_affine/") + pair.set + "/";
  const Features a = detect(to_grey(read_image(data(folder + pair.image1))));
  const Features b = detect(to_grey(read_image(data(folder + pair.image2))));
  double H[9];
  std::ifstream in(data(folder + pair.homography));
  for (double& h : H) in >> h;
  EXPECT_TRUE(in);
  const std::vector<Match> matches = match(a, b);
  int correct = 0;
  for (const PointPair& p : matched_points(a, b, matches)) {
    const double z = H[6] * p.x1 + H[7] * p.y1 + H[8];
    const double x = (H[0] * p.x1 + H[1] * p.y1 + H[2]) / z,
                 y = (H[3] * p.x1 + H[4] * p.y1 + H[5]) / z;
    correct += std::hypot(x - p.x2, y - p.y2) < 3;
  }
  std::printf("%d of %zu (OpenCV 4.6: %d, %.1f %%)\n", correct, matches.size(), pair.correct,
              pair.precision);
  return {correct, matches.size()};
}

class Photographs : public testing::TestWithParam<Pair> {};

TEST_P(Photographs, match_better_than_with_opencv) {
  BIFOCAL_NEEDS_DATA(std::string("oxford_affine/") + GetParam().set);
  const auto [correct, all] =
      matches_of(GetParam(), [](const ImageU8& image) { return detect_sift(image); });
  EXPECT_GE(correct, GetParam().correct);
  EXPECT_GE(100.0 * correct / double(all), GetParam().precision);
}

// Pooling gives more correct matches (2, 6, 7 and 10 % here: docs/features.md), with nearly the
// same precision.
TEST_P(Photographs, match_better_with_pooled_domain_sizes) {
  BIFOCAL_NEEDS_DATA(std::string("oxford_affine/") + GetParam().set);
  const auto [plain, all] =
      matches_of(GetParam(), [](const ImageU8& image) { return detect_sift(image); });
  const auto [pooled, all_pooled] = matches_of(GetParam(), [](const ImageU8& image) {
    return detect_sift(image, {.domain_size_pooling = true});
  });
  EXPECT_GT(pooled, plain);
  EXPECT_GT(pooled / double(all_pooled), plain / double(all) - 0.015);
}

INSTANTIATE_TEST_SUITE_P(, Photographs,
                         testing::Values(Pair{"graf", "img1.png", "img3.png", "H1to3p", 453, 69.0},
                                         Pair{"boat", "img1.pgm", "img3.pgm", "H1to3p", 1857, 97.6},
                                         Pair{"bikes", "img1.png", "img4.png", "H1to4p", 303, 91.5},
                                         Pair{"leuven", "img1.png", "img4.png", "H1to4p", 719,
                                              95.3}),
                         [](const auto& test) { return std::string(test.param.set); });

class SurfPhotographs : public testing::TestWithParam<Pair> {};

// The number of correct matches is tested, not the precision, which is below
// AKAZE's (docs/features.md).
TEST_P(SurfPhotographs, match_more_than_akaze) {
  BIFOCAL_NEEDS_DATA(std::string("oxford_affine/") + GetParam().set);
  const auto [correct, all] =
      matches_of(GetParam(), [](const ImageU8& image) { return detect_surf(image); });
  EXPECT_GE(correct, GetParam().correct);
  EXPECT_GT(double(correct), 0.55 * double(all));
}

INSTANTIATE_TEST_SUITE_P(, SurfPhotographs,
                         testing::Values(Pair{"graf", "img1.png", "img3.png", "H1to3p", 266, 77.6},
                                         Pair{"wall", "img1.png", "img3.png", "H1to3p", 1232, 98.0},
                                         Pair{"bikes", "img1.png", "img4.png", "H1to4p", 706, 97.8},
                                         Pair{"leuven", "img1.png", "img4.png", "H1to4p", 480,
                                              95.6}),
                         [](const auto& test) { return std::string(test.param.set); });

}  // namespace
}  // namespace bifocal::test
