// SPDX-License-Identifier: BSD-3-Clause
// Priors that are refused (AdjustPriors).
#include <gtest/gtest.h>

#include <bifocal/error.hpp>

#include <limits>
#include <random>

#include "adjust/prior_scenes.hpp"

namespace bifocal {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Expects Error(usage) with these words.
template <class Change>
void expect_refused(const std::vector<std::string>& words, const Change& change) {
  AdjustProblem problem = test::make_scene({.images = 5, .points = 30}).start;
  std::mt19937_64 random(1);
  problem.priors = test::priors_of(problem, test::kAllPriors, random);
  change(problem.priors);
  try {
    (void)adjust(problem);
    ADD_FAILURE() << "not refused: " << words[0];
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    for (const std::string& word : words)
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}
using Priors = AdjustPriors;

TEST(PriorInput, IndicesOutOfRangeAreNamed) {
  expect_refused({"priors.positions[1].image = 5", "5 images"},
                 [](Priors& p) { p.positions[1].image = 5; });
  expect_refused({"priors.directions[0].image = -1"},
                 [](Priors& p) { p.directions[0].image = -1; });
  expect_refused({"priors.orientations[2].image = 7"},
                 [](Priors& p) { p.orientations[2].image = 7; });
  expect_refused({"priors.points[1].point = 30", "30 points"},
                 [](Priors& p) { p.points[1].point = 30; });
  expect_refused({"priors.heights[3].image = 9"}, [](Priors& p) { p.heights[3].image = 9; });
  expect_refused({"priors.parameters[0].camera = 1", "1 cameras"},
                 [](Priors& p) { p.parameters[0].camera = 1; });
  expect_refused({"priors.parameters[0].param = 4", "4 params"},
                 [](Priors& p) { p.parameters[0].param = 4; });
}

TEST(PriorInput, NumbersThatAreNotFiniteAreNamed) {
  expect_refused({"priors.positions[1].centre[2] = nan"},
                 [](Priors& p) { p.positions[1].centre[2] = kNaN; });
  expect_refused({"priors.positions[1].covariance[5] = nan"},
                 [](Priors& p) { p.positions[1].covariance[5] = kNaN; });
  expect_refused({"priors.points[0].position[0] = inf"},
                 [](Priors& p) { p.points[0].position[0] = 1 / 0.0; });
  expect_refused({"priors.heights[0].height = nan"}, [](Priors& p) { p.heights[0].height = kNaN; });
  expect_refused({"priors.parameters[0].value = nan"},
                 [](Priors& p) { p.parameters[0].value = kNaN; });
  expect_refused({"priors.directions[0].camera[1] = nan"},
                 [](Priors& p) { p.directions[0].camera[1] = kNaN; });
  expect_refused({"priors.orientations[0].R"}, [](Priors& p) { p.orientations[0].R[0] = kNaN; });
  expect_refused({"priors.up[0] = nan"}, [](Priors& p) { p.up[0] = kNaN; });
}

TEST(PriorInput, WrongDeviationsAndCovariancesAreNamed) {
  expect_refused({"priors.positions[0].covariance[0] = 0", "positive"},
                 [](Priors& p) { p.positions[0] = {}; });
  expect_refused({"priors.positions[4].covariance is not symmetric"},
                 [](Priors& p) { p.positions[4].covariance = {1, 0.5, 0, 0, 1, 0, 0, 0, 1}; });
  expect_refused({"priors.points[2].covariance is not positive definite"},
                 [](Priors& p) { p.points[2].covariance = {1, 1, 0, 1, 1, 0, 0, 0, 1}; });
  expect_refused({"priors.directions[1].deviation = 0"},
                 [](Priors& p) { p.directions[1].deviation = 0; });
  expect_refused({"priors.orientations[1].deviations[2] = -1"},
                 [](Priors& p) { p.orientations[1].deviations[2] = -1; });
  expect_refused({"priors.heights[1].deviation = inf"},
                 [](Priors& p) { p.heights[1].deviation = 1 / 0.0; });
  expect_refused({"priors.parameters[0].deviation = nan"},
                 [](Priors& p) { p.parameters[0].deviation = kNaN; });
  expect_refused({"priors.height_loss.scale = 0"}, [](Priors& p) { p.height_loss.scale = 0; });
}

TEST(PriorInput, WrongDirectionsAndRotationsAreNamed) {
  expect_refused({"priors.directions[2].world has length 0"}, [](Priors& p) {
    p.directions[2].world = {0, 0, 0};
  });
  expect_refused({"priors.orientations[2].R", "no rotation"},
                 [](Priors& p) { p.orientations[2].R = {1, 0, 0, 0, 1, 0, 0, 0, -1}; });
  expect_refused({"priors.up has length 0"}, [](Priors& p) { p.up = {0, 0, 0}; });
}

TEST(PriorInput, ADeviationOfObservationsMustBePositive) {
  AdjustProblem problem = test::make_scene({.images = 5, .points = 30}).start;
  EXPECT_THROW((void)adjust(problem, {.deviation_px = 0}), Error);
}

}  // namespace
}  // namespace bifocal
