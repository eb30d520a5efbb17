// SPDX-License-Identifier: BSD-3-Clause
#include "robust/search_pair.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "robust/significance.hpp"

namespace bifocal::robust {
namespace {

// A deviation of log f above which nothing is told of f.
constexpr double kOpen = 10;

}  // namespace

PairFound search_pair(ModelKind problem, const GivenPair& given, const RobustOptions& options,
                      std::uint8_t* inliers) {
  thread_local PairPoints pair;  // kept from pair to pair
  PairFound found;
  pair.set(problem, given, options);
  found.count = pair.count();
  if (found.count < engine_steps(problem).sample_size) return found;
  search(problem, given, options, pair, found.result);
  found.info = pair.info;
  found.distinct = {pair.work[WORK_DISTINCT_POINTS], pair.work[WORK_DISTINCT_INLIERS]};
  std::copy_n(pair.inliers.begin(), given.count, inliers);
  return found;
}

PairEstimate estimate_of(ModelKind problem, const PairFound& f) {
  PairEstimate e;
  const EngineSteps& steps = engine_steps(problem);
  if (f.count < steps.sample_size) {
    e.outcome = Outcome::too_few_points;
    return e;
  }
  e.iterations = static_cast<int>(f.result[RESULT_ITERATIONS]);
  e.outcome = test_significance(problem, f.result, f.info, f.count, f.distinct, e.significance);
  if (!has_model(e.outcome)) return e;
  const double unit = f.info[INFO_UNIT];
  e.noise = f.result[RESULT_NOISE] * unit;
  e.gain = f.result[RESULT_SCORE];
  e.inlier_count =
      static_cast<int>(f.result[RESULT_INLIERS] + f.result[RESULT_ZERO_WEIGHT_INLIERS]);
  e.rms = unit * std::sqrt((f.result[RESULT_SQUARES] + f.result[RESULT_ZERO_WEIGHT_SQUARES]) /
                           std::max(1, e.inlier_count));
  const double *model = f.result.data() + RESULT_MODEL, *side = f.result.data() + RESULT_SIDE;
  if (f.result[RESULT_OUTCOME] < double(FOUND_TURN))
    steps.result_matrix(f.info.data(), model, e.model.data());
  if (steps.unknown_focal) {
    const double relative = f.result[RESULT_FOCAL_DEVIATION];
    e.focal_length = steps.model_focal(model) * f.info[INFO_LENGTH];
    e.focal_deviation =
        relative < kOpen ? relative * e.focal_length : std::numeric_limits<double>::infinity();
  }
  if (steps.has_pose) {
    double pose[12];
    steps.result_pose(f.info.data(), model, side, pose);
    std::copy_n(pose, 9, e.pose.R.begin());
    std::copy_n(pose + 9, 3, e.pose.t.begin());
  }
  return e;
}

}  // namespace bifocal::robust
