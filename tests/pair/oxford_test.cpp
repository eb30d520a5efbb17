// SPDX-License-Identifier: BSD-3-Clause
// Homographies of the Oxford planar pairs, compared with the true homographies (which are accurate
// to about 1 px).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <bifocal/io.hpp>
#include <bifocal/two_photographs.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "support/data.hpp"
#include "support/long_tests.hpp"

namespace bifocal {
namespace {

struct Case {
  const char *set, *extension;
  int second;

  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.set << " 1-" << c.second; }
};

Mat3 read_matrix(const std::filesystem::path& file) {
  Mat3 H{};
  std::ifstream in(file);
  for (double& v : H) in >> v;
  EXPECT_TRUE(in) << file;
  return H;
}

std::pair<double, double> mapped(const Mat3& H, double x, double y) {
  const double w = H[6] * x + H[7] * y + H[8];
  return {(H[0] * x + H[1] * y + H[2]) / w, (H[3] * x + H[4] * y + H[5]) / w};
}

double distance(const Mat3& A, const Mat3& B, double x, double y) {
  const auto [ax, ay] = mapped(A, x, y);
  const auto [bx, by] = mapped(B, x, y);
  return std::hypot(ax - bx, ay - by);
}

// Mean over a grid of 20 x 20 points of the first image that are visible in the second image.
double grid_error(const Mat3& H, const Mat3& truth, const ImageU8& first, const ImageU8& second) {
  constexpr int kGrid = 20;
  double sum = 0;
  int seen = 0;
  for (int j = 0; j < kGrid; ++j) {
    for (int i = 0; i < kGrid; ++i) {
      const double x = (i + 0.5) * first.width / kGrid, y = (j + 0.5) * first.height / kGrid;
      const auto [u, v] = mapped(truth, x, y);
      if (u < 0 || v < 0 || u >= second.width || v >= second.height) continue;
      sum += distance(H, truth, x, y);
      ++seen;
    }
  }
  return sum / seen;
}

double worst_corner(const Mat3& H, const Mat3& truth, const ImageU8& image) {
  double worst = 0;
  for (const double x : {0.0, image.width - 1.0}) {
    for (const double y : {0.0, image.height - 1.0})
      worst = std::max(worst, distance(H, truth, x, y));
  }
  return worst;
}

class Oxford : public testing::TestWithParam<Case> {};

TEST_P(Oxford, the_homography_is_within_two_pixels) {
  const Case c = GetParam();
  const std::string folder = fmt::format("oxford_affine/{}/", c.set);
  BIFOCAL_NEEDS_DATA(folder);
  const ImageU8 first = read_image(test::data(fmt::format("{}img1.{}", folder, c.extension)));
  const ImageU8 second =
      read_image(test::data(fmt::format("{}img{}.{}", folder, c.second, c.extension)));
  const Mat3 truth = read_matrix(test::data(fmt::format("{}H1to{}p", folder, c.second)));
  PairOptions options{.dense = false};
  options.kind = ModelRequest::homography;
  const PairResult r = estimate_pair(first, second, options);
  ASSERT_EQ(r.outcome, Outcome::ok) << r.reason;
  const double error = grid_error(r.estimate.model, truth, first, second);
  const double corner = worst_corner(r.estimate.model, truth, first);
  fmt::print(
      "{} 1-{}: {} of {} inliers, mean error on the grid {:.2f} px, worst corner {:.2f} px\n",
      c.set, c.second, r.estimate.num_inliers, r.points.size(), error, corner);
  EXPECT_LE(error, 2.0);
  // The images of graf also show the ground in front of the wall, off its plane, so the scene has
  // depth for every seed.
  const bool planar = std::string(c.set) != "graf";
  if (!planar && c.second == 3) {
    EXPECT_LE(corner, 5.0);
  }
  options.guided = true;
  const PairResult again = estimate_pair(first, second, options);
  EXPECT_GE(again.estimate.num_inliers, r.estimate.num_inliers);
  EXPECT_LE(grid_error(again.estimate.model, truth, first, second), 2.0);
  options.guided = false;
  options.kind = ModelRequest::automatic;
  for (options.robust.seed = 0; options.robust.seed < test::short_or_long(1U, 3U);
       ++options.robust.seed) {
    const PairResult chosen = estimate_pair(first, second, options);
    EXPECT_EQ(chosen.kind, planar ? ModelKind::homography : ModelKind::fundamental)
        << chosen.reason;
  }
}

INSTANTIATE_TEST_SUITE_P(
    , Oxford,
    testing::Values(Case{"graf", "png", 2}, Case{"graf", "png", 3}, Case{"wall", "png", 2},
                    Case{"wall", "png", 3}, Case{"boat", "pgm", 2}, Case{"boat", "pgm", 3},
                    Case{"bark", "png", 2}, Case{"bark", "png", 3}, Case{"bikes", "png", 4},
                    Case{"leuven", "png", 4}, Case{"ubc", "png", 4}),
    [](const auto& test) { return fmt::format("{}_{}", test.param.set, test.param.second); });

}  // namespace
}  // namespace bifocal
