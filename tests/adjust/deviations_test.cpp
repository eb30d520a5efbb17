// SPDX-License-Identifier: BSD-3-Clause
// Deviations of intrinsics, compared with the covariances of adjust().
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
    const auto deviations = adjustment::intrinsic_deviations(problem).deviations;
    for (std::size_t c = 0; c < deviations.size(); ++c) {
      const std::size_t count = deviations[c].size();
      ASSERT_EQ(result.camera_covariances[c].size(), count * count);
      for (std::size_t k = 0; k < count; ++k) {
        const double expected = std::sqrt(unit * result.camera_covariances[c][k * count + k]);
        EXPECT_NEAR(deviations[c][k], expected, 0.01 * expected) << c << " " << k;
      }
      EXPECT_GT(deviations[c][0], 0);
    }
  }
}

TEST(Deviations, ConstantFocalLengthsHaveNone) {
  AdjustProblem problem = make_scene({.images = 6}).truth;
  problem.cameras[0].is_constant = true;
  const std::vector<std::vector<double>> deviations =
      adjustment::intrinsic_deviations(problem).deviations;
  ASSERT_EQ(deviations.size(), 1U);
  EXPECT_EQ(deviations[0], std::vector<double>(deviations[0].size(), 0.0));
}

}  // namespace
}  // namespace bifocal::test
