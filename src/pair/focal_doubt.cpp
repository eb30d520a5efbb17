// SPDX-License-Identifier: BSD-3-Clause
#include "pair/focal_doubt.hpp"

#include <fmt/format.h>
#include <bifocal/two_view.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "math/median.hpp"
#include "verify/inlier_points.hpp"

namespace bifocal::pair {
namespace {

constexpr double kFStatistic = 20, kFactor = 1.2;
constexpr double kLeastShare = 0.85, kFactorOfFew = 1.4;
constexpr double kMargin = 1.05;  // of root mean square errors, or of numbers of inliers
constexpr int kFundamentalParameters = 7, kEssentialParameters = 5;

Mat3 px_to_rays(const Intrinsics& k) {
  return {1 / k.fx, 0, -k.cx / k.fx, 0, 1 / k.fy, -k.cy / k.fy, 0, 0, 1};
}

// Sum and median of the squared Sampson distances.
struct Errors {
  double sum = 0, median = 0;
};
Errors errors_of(const Mat3& F, std::span<const PointPair> points) {
  std::vector<double> squares;
  for (const double r : residuals(ModelKind::fundamental, F, points)) squares.push_back(r * r);
  Errors e;
  for (const double s : squares) e.sum += s;
  e.median = upper_median(squares);
  return e;
}

// Returns whether the inliers of the pose fit a fundamental matrix clearly better: significantly,
// and by the margin, because with many matches any imperfection of the lens is significant.
bool fit_another_camera(const CalibratedEstimates& pair) {
  const std::vector<PointPair> inliers = verify::inlier_points(pair.points, pair.essential.inliers);
  const auto free = static_cast<double>(inliers.size()) - kFundamentalParameters;
  if (free < 1) return false;
  const Mat3 F = times(transposed(px_to_rays(pair.camera2)),
                       times(pair.essential.model, px_to_rays(pair.camera1)));
  const Refined refined = refine(ModelKind::fundamental, F, inliers);
  const Errors posed = errors_of(F, inliers), best = errors_of(refined.model, inliers);
  const double statistic =
      (posed.sum - best.sum) / (kFundamentalParameters - kEssentialParameters) / best.sum * free;
  return statistic > kFStatistic && posed.median > best.median &&
         posed.sum > kMargin * kMargin * best.sum;
}

// The pose of the hypothesis that both focal lengths are longer by a common factor.
struct FocalHypothesis {
  double factor = 1;  // 1: the matches do not determine it
  int num_inliers = 0;
};
FocalHypothesis other_focal_lengths(Queue& queue, const CalibratedEstimates& pair,
                                    const RobustOptions& options) {
  const Intrinsics &one = pair.camera1, &two = pair.camera2;
  std::vector<PointPair> points(pair.points.begin(), pair.points.end());
  for (PointPair& p : points) {  // px of a camera of focal length one.fx about (0, 0)
    p.x1 -= one.cx, p.y1 = (p.y1 - one.cy) * one.fx / one.fy;
    p.x2 = (p.x2 - two.cx) * one.fx / two.fx, p.y2 = (p.y2 - two.cy) * one.fx / two.fy;
  }
  const Intrinsics unit{1, 1, 0, 0};
  const EstimateResult found =
      estimate(queue, ModelKind::shared_focal, points,
               {.cameras = {&unit, 1},
                .options = one_pair_options(ModelKind::shared_focal, points.size(), options)});
  if (!found.ok() || !(found.focal_length > 0)) return {};
  return {found.focal_length / one.fx, found.num_inliers};
}

}  // namespace

std::string focal_doubt(Queue& queue, const CalibratedEstimates& pair,
                        const RobustOptions& options) {
  if (!pair.essential.ok() || !pair.fundamental.ok() ||
      !problem_info(ModelKind::shared_focal).is_built)
    return {};
  const int calibrated = pair.essential.num_inliers, free = pair.fundamental.num_inliers;
  const bool has_few = calibrated < kLeastShare * free, fits_another = fit_another_camera(pair);
  if (!has_few && !fits_another) return {};
  const auto [factor, found] = other_focal_lengths(queue, pair, options);
  const double off = std::max(factor, 1 / factor);
  const bool fits_better = fits_another && off > kFactor && found >= calibrated / kMargin,
             has_more = has_few && off > kFactorOfFew && found > kMargin * calibrated;
  if (!fits_better && !has_more) return {};
  constexpr double kPlausibleFactor = 3;  // the matches determine larger factors poorly
  return fmt::format(
      "the matches contradict these intrinsics: a pose has {} inliers, with {} {}{}", calibrated,
      off < kPlausibleFactor ? fmt::format("focal lengths {:.2g} times as long", factor)
                             : "other focal lengths",
      found, has_more ? "" : " and smaller errors");
}

}  // namespace bifocal::pair
