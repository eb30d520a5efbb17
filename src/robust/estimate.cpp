// SPDX-License-Identifier: BSD-3-Clause
// Homography and fundamental matrix of one pair.
#include <bifocal/robust.hpp>

#include "robust/result.hpp"
#include "robust/two_view.hpp"

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

using MakeProblem = std::unique_ptr<robust::Problem> (*)(const robust::TwoViewPoints&,
                                                         double threshold);
using ToPixels = Mat3 (*)(const robust::Frame&, const robust::Model&);

RobustResult estimate_in_pixels(std::span<const PointPair> pairs, const RobustOptions& options,
                                int sample_size, MakeProblem make_problem, ToPixels to_pixels) {
  robust::check_options(options);
  RobustResult result;
  result.inliers.assign(pairs.size(), 0);
  robust::TwoViewPoints points = robust::two_view_points(pairs, options.seed);
  result.not_finite = std::move(points.not_finite);
  if (points.count() < sample_size) {
    result.outcome = Outcome::too_few_points;
    return result;
  }
  const auto problem = make_problem(points, options.threshold);
  const robust::SearchResult found = robust::search(*problem, options);
  robust::fill_result(*problem, points.order, points.frame.length, found, result);
  if (result.ok()) result.model = to_pixels(points.frame, found.model);
  return result;
}

}  // namespace

RobustResult estimate_homography(std::span<const PointPair> points, const RobustOptions& options) {
  return estimate_in_pixels(points, options, 4, robust::homography_problem,
                            robust::homography_in_pixels);
}

RobustResult estimate_fundamental(std::span<const PointPair> points, const RobustOptions& options) {
  return estimate_in_pixels(points, options, 7, robust::fundamental_problem,
                            robust::fundamental_in_pixels);
}

}  // namespace bifocal
