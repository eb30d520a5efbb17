// SPDX-License-Identifier: BSD-3-Clause
#include "robust/ransac_pair.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "robust/significance.hpp"

namespace bifocal::robust {
namespace {

// Standard deviation of log f, or of the distortion in scoring coordinates, above which the
// parameter counts as undetermined.
constexpr double kOpen = 10;

}  // namespace

PairFound ransac_pair(ModelKind problem, const GivenPair& given, const RobustOptions& options,
                      std::uint8_t* inliers) {
  thread_local PairPoints pair;  // its memory is reused from pair to pair
  PairFound found;
  pair.set(problem, given, options);
  found.work = pair.work;
  if (pair.count() < ransac_steps(problem).sample_size) return found;
  found.info = pair.info;
  run_ransac(problem, given, options, pair, found.result);
  found.work = pair.work;  // with the distinct matches
  std::copy_n(pair.inliers.begin(), given.count, inliers);
  return found;
}

Estimate estimate_of(ModelKind problem, const PairFound& f) {
  Estimate e;
  const RansacSteps& steps = ransac_steps(problem);
  const ransac_result& result = f.result;
  if (f.work.count < steps.sample_size) {
    e.outcome = Outcome::too_few_points;
    return e;
  }
  e.iterations = static_cast<int>(result.iterations);
  e.outcome = test_significance(problem, result, f.info, f.work, e.significance);
  if (!has_model(e.outcome)) return e;
  const double unit = f.info.unit;
  e.noise = result.noise * unit;
  e.score = result.support.score;
  e.num_inliers = static_cast<int>(result.support.inliers + result.zero_weight_inliers);
  e.rms = unit * std::sqrt((result.support.squares + result.zero_weight_squares) /
                           std::max(1, e.num_inliers));
  if (result.outcome < double(FOUND_ROTATION))
    steps.result_matrix(&f.info, f.info.rays, result.model, e.model.data());
  if (steps.unknown_focal) {
    const double relative = result.deviation;
    const double image_unit = steps.two_views ? f.info.length : f.info.focal[0];
    e.focal_length = steps.model_focal(result.model) * image_unit;
    e.focal_deviation =
        relative < kOpen ? relative * e.focal_length : std::numeric_limits<double>::infinity();
  }
  if (steps.unknown_distortion) {
    const double unit2 = f.info.rays[0] * f.info.rays[0];
    e.distortion = steps.model_distortion(result.model) / unit2;
    e.distortion_deviation = result.deviation < kOpen ? result.deviation / unit2
                                                      : std::numeric_limits<double>::infinity();
  }
  if (steps.has_pose) {
    double pose[12];
    steps.result_pose(&f.info, result.model, result.side, pose);
    std::copy_n(pose, 9, e.pose.R.begin());
    std::copy_n(pose + 9, 3, e.pose.t.begin());
  }
  return e;
}

}  // namespace bifocal::robust
