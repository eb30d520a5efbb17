// SPDX-License-Identifier: BSD-3-Clause
// Deviations of focal lengths, compared with the covariances of adjust().
#include <gtest/gtest.h>

#include <cmath>

#include "adjust/tracks/deviations.hpp"
#include "adjust/scenes.hpp"

namespace bifocal::test {
namespace {

TEST(Deviations, EqualTheCovariancesOfAdjust) {
  for (const int cameras : {1, 3}) {
    AdjustProblem problem = make_scene({.images = 9, .cameras = cameras}).start;
    const AdjustResult result = adjust(problem, {.covariance = true});
    ASSERT_EQ(result.camera_covariances.size(), static_cast<std::size_t>(cameras));
    const double unit = 2 * result.final_cost / static_cast<double>(result.redundancy);
    const std::vector<double> deviations = adjustment::focal_deviations(problem);
    for (std::size_t c = 0; c < deviations.size(); ++c) {
      const double expected = std::sqrt(unit * result.camera_covariances[c][0]);
      EXPECT_GT(expected, 0);
      EXPECT_NEAR(deviations[c] / expected, 1, 0.01) << c;
    }
  }
}

TEST(Deviations, ConstantFocalLengthsHaveNone) {
  AdjustProblem problem = make_scene({.images = 6}).truth;
  problem.cameras[0].is_constant = true;
  EXPECT_EQ(adjustment::focal_deviations(problem), std::vector<double>{0});
}

}  // namespace
}  // namespace bifocal::test
