// SPDX-License-Identifier: BSD-3-Clause
// Correct matches on real photographs, against what OpenCV 4.6's RootSIFT reaches with its defaults
// on the same pair.
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

class Photographs : public testing::TestWithParam<Pair> {};

TEST_P(Photographs, match_better_than_with_opencv) {
  const Pair& pair = GetParam();
  const std::string folder = std::string("oxford_affine/") + pair.set + "/";
  BIFOCAL_NEEDS_DATA(folder + pair.image2);
  const Features a = detect_sift(to_grey(read_image(data(folder + pair.image1))));
  const Features b = detect_sift(to_grey(read_image(data(folder + pair.image2))));
  double H[9];
  std::ifstream in(data(folder + pair.homography));
  for (double& h : H) in >> h;
  ASSERT_TRUE(in);
  const std::vector<Match> matches = match(a, b);
  int correct = 0;
  for (const PointPair& p : matched_points(a, b, matches)) {
    const double z = H[6] * p.x1 + H[7] * p.y1 + H[8];
    const double x = (H[0] * p.x1 + H[1] * p.y1 + H[2]) / z,
                 y = (H[3] * p.x1 + H[4] * p.y1 + H[5]) / z;
    correct += std::hypot(x - p.x2, y - p.y2) < 3;
  }
  const double precision = 100.0 * correct / static_cast<double>(matches.size());
  std::printf("%d of %zu, %.1f %% (OpenCV 4.6: %d, %.1f %%)\n", correct, matches.size(), precision,
              pair.correct, pair.precision);
  EXPECT_GE(correct, pair.correct);
  EXPECT_GE(precision, pair.precision);
}

INSTANTIATE_TEST_SUITE_P(, Photographs,
                         testing::Values(Pair{"graf", "img1.png", "img3.png", "H1to3p", 453, 69.0},
                                         Pair{"boat", "img1.pgm", "img3.pgm", "H1to3p", 1857, 97.6},
                                         Pair{"bikes", "img1.png", "img4.png", "H1to4p", 303, 91.5},
                                         Pair{"leuven", "img1.png", "img4.png", "H1to4p", 719,
                                              95.3}),
                         [](const auto& test) { return std::string(test.param.set); });

}  // namespace
}  // namespace bifocal::test
