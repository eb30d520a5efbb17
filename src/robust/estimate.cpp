// SPDX-License-Identifier: BSD-3-Clause
// Homography and fundamental matrix of one pair.
#include <bifocal/robust.hpp>

#include "robust/result.hpp"

namespace bifocal {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "ok";
    case Outcome::too_few_points:
      return "too_few_points";
    case Outcome::no_model:
      return "no_model";
    case Outcome::degenerate_sample:
      break;
  }
  return "degenerate_sample";
}

namespace {

using ToPixels = Mat3 (*)(const double* info, const double* model);

RobustResult estimate_in_pixels(robust::Problem problem, std::span<const PointPair> points,
                                const RobustOptions& options, const MatchPriors& priors,
                                ToPixels to_pixels) {
  robust::check_options(options);
  robust::check_priors(priors, points.size());
  RobustResult result;
  result.inliers.assign(points.size(), 0);
  robust::PairPoints pair;
  robust::Result found;
  robust::set_two_view_points(problem, points, options, nullptr, pair, priors);
  robust::run_search(problem, pair, options, pair.info[robust::Lanes::INFO_LENGTH], found, result);
  if (result.ok()) result.model = to_pixels(pair.info.data(), found.data());
  return result;
}

}  // namespace

RobustResult estimate_homography(std::span<const PointPair> points, const RobustOptions& options,
                                 const MatchPriors& priors) {
  return estimate_in_pixels(robust::Problem::homography, points, options, priors,
                            robust::homography_in_pixels);
}

RobustResult estimate_fundamental(std::span<const PointPair> points, const RobustOptions& options,
                                  const MatchPriors& priors) {
  return estimate_in_pixels(robust::Problem::fundamental, points, options, priors,
                            robust::fundamental_in_pixels);
}

}  // namespace bifocal
