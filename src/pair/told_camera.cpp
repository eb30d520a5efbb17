// SPDX-License-Identifier: BSD-3-Clause
#include "pair/told_camera.hpp"

#include <fmt/format.h>
#include <bifocal/camera.hpp>
#include <bifocal/rectify.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "robust/engine.hpp"

namespace bifocal::pair {
namespace {

using Picture = ImageView<const std::uint8_t>;

// A lens is told when the errors of F are this much more than those of F with it, in the unit of
// the squared noise (a likelihood ratio), when its distortion is so many standard deviations from
// none, and when it moves the inliers by so many px in the median.
constexpr double kLikelihoodRatio = 100, kDeviations = 6, kMovedPx = 1;
// A focal length is told when its deviation is less than this part of it, and the pose with it
// explains this share of what F does: else the cameras are two.
constexpr double kMaxFocalDeviation = 0.2, kLeastShare = 0.95;
// Sides of a straight picture are at most this many times the photograph's; what lies further out
// is left away.
constexpr double kMostSides = 2;

// The camera of radial_fundamental: the middle, and half the diagonal as the unit of k.
Intrinsics lens_unit(Picture image) {
  return camera_of(image, std::hypot(image.width, image.height) / 2);
}

LensCamera lens_of(Picture image, double distortion) {
  const Intrinsics unit = lens_unit(image);
  const double parameters[] = {unit.fx, unit.cx, unit.cy, distortion};
  return LensCamera("SIMPLE_DIVISION", parameters, image.width, image.height);
}

// The camera that sees all of a picture by `lens` without it. Its middle is the lens's.
Camera straight_view(const LensCamera& lens) {
  const Intrinsics& pinhole = lens.pinhole();
  const double right = double(lens.width() - 1), bottom = double(lens.height() - 1);
  // The corner of a barrel lies furthest out, the middle of a side of a cushion.
  double across = 0, down = 0;
  for (const Vec2 px : {Vec2{right, bottom}, {right, pinhole.cy}, {pinhole.cx, bottom}}) {
    const Vec2 at = lens.undistort(px);
    if (std::isfinite(at[0])) across = std::max(across, at[0] - pinhole.cx);
    if (std::isfinite(at[1])) down = std::max(down, at[1] - pinhole.cy);
  }
  Camera view{pinhole, {}, 0, 0};
  view.width = 2 * static_cast<int>(std::min(across, kMostSides * right / 2)) + 1;
  view.height = 2 * static_cast<int>(std::min(down, kMostSides * bottom / 2)) + 1;
  view.intrinsics.cx = (view.width - 1) / 2.0, view.intrinsics.cy = (view.height - 1) / 2.0;
  return view;
}

SamplingMap straightening_map(const LensCamera& lens, const Camera& view) {
  Rectification r;
  r.R1 = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  r.camera1 = view.intrinsics;
  r.width = view.width, r.height = view.height;
  r.input1 = {lens.pinhole(), {}, static_cast<int>(lens.width()), static_cast<int>(lens.height())};
  r.lens1 = lens;
  return sampling_map(r, 0);
}

// found: of radial_fundamental by lens_unit().
StraightPair straightened(Queue& queue, Picture image1, Picture image2,
                          std::span<const PointPair> points, const Estimate& found) {
  const LensCamera lens = lens_of(image1, found.distortion);
  const Camera view = straight_view(lens);
  const Remapper remapper(queue, straightening_map(lens, view));
  StraightPair out;
  out.image1 = remapper(queue, image1);
  out.image2 = remapper(queue, image2, &out.inside);
  out.points.assign(points.begin(), points.end());
  undistort(std::span(out.points), lens, lens);
  const double dx = view.intrinsics.cx - lens.pinhole().cx,
               dy = view.intrinsics.cy - lens.pinhole().cy;
  for (PointPair& p : out.points) p.x1 += dx, p.y1 += dy, p.x2 += dx, p.y2 += dy;
  // found.model is of px about the photograph's middle, in the scale of the lens's unit.
  const Intrinsics &from = lens.intrinsics(), &to = view.intrinsics;
  out.scale = to.fx / from.fx;
  const double s = 1 / out.scale;
  const Mat3 unit_px = {s, 0, from.cx - s * to.cx, 0, s, from.cy - s * to.cy, 0, 0, 1};
  out.F = times(transposed(unit_px), times(found.model, unit_px));
  return out;
}

bool is_told(const Estimate& alone, const Estimate& found, double threshold) {
  const double squares = (found.gain - alone.gain) * threshold * threshold;
  return squares > kLikelihoodRatio * found.noise * found.noise &&
         std::abs(found.distortion) > kDeviations * found.distortion_deviation;
}

// By which the distortion moves the inliers in the median.
double moved_px(std::span<const PointPair> points, const EstimateResult& found,
                const Intrinsics& unit) {
  std::vector<double> moved;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!found.inliers[i]) continue;
    for (const double r : {std::hypot(points[i].x1 - unit.cx, points[i].y1 - unit.cy),
                           std::hypot(points[i].x2 - unit.cx, points[i].y2 - unit.cy)})
      moved.push_back(std::abs(found.distortion) * r * (r / unit.fx) * (r / unit.fx));
  }
  const auto middle = moved.begin() + static_cast<std::ptrdiff_t>(moved.size() / 2);
  std::nth_element(moved.begin(), middle, moved.end());
  return *middle;
}

void tell_lens(Queue& queue, const ResidentPair& resident, Picture image1, Picture image2,
               const PairOptions& options, PairResult& result) {
  if (options.model != ModelRequest::automatic || !robust::is_built(ModelKind::radial_fundamental))
    return;
  const Estimate& alone = result.model;
  RobustOptions robust = options.robust;  // what explains fewer matches than F does is not sought
  robust.min_inlier_ratio =
      std::max(robust.min_inlier_ratio,
               0.95 * alone.inlier_count / static_cast<double>(result.points.size()));
  const Intrinsics unit = lens_unit(image1);
  EstimateResult found = resident.estimate(ModelKind::radial_fundamental, {&unit, 1}, robust);
  if (!found.ok() || !is_told(alone, found, robust.threshold) ||
      moved_px(result.points, found, unit) < kMovedPx)
    return;
  result.told.distortion = found.distortion;
  result.told.distortion_deviation = found.distortion_deviation;
  result.straight = straightened(queue, image1, image2, result.points, found);
  result.kind = ModelKind::radial_fundamental;
  result.reason = fmt::format(
      "{}; with the distortion {:.3f} of one lens it explains {}, and its error is {:.2f} px",
      result.reason, found.distortion, found.inlier_count, found.rms);
  result.model = std::move(found);
}

void tell_focal_length(Queue& queue, Picture image1, Picture image2, const PairOptions& options,
                       PairResult& result) {
  const PinholePair pair = pinhole_pair(image1, image2, result);
  const RelativePoseResult found =
      estimate_relative_pose(ModelKind::shared_focal, pair.inliers,
                             {.cameras = std::array{camera_of(pair.image1, 1)},
                              .options = options.robust,
                              .queue = &queue});
  if (!found.ok() || !(found.focal_deviation < kMaxFocalDeviation * found.focal_length) ||
      found.inlier_count < kLeastShare * static_cast<double>(pair.inliers.size()))
    return;
  const double scale = result.straight ? result.straight->scale : 1;
  result.told.focal_length = found.focal_length / scale;
  result.told.focal_deviation = found.focal_deviation / scale;
  result.cam2_from_cam1 = found.pose;
  result.in_front = found.in_front;
  result.median_parallax_deg = found.median_parallax_deg;
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  result.triangulated.assign(result.points.size(), Vec3{kNaN, kNaN, kNaN});
  std::size_t next = 0;
  for (std::size_t i = 0; i < result.points.size(); ++i)
    if (result.model.inliers[i]) result.triangulated[i] = found.triangulated[next++];
}

}  // namespace

Intrinsics camera_of(Picture image, double focal_length) {
  return {focal_length, focal_length, (image.width - 1) / 2.0, (image.height - 1) / 2.0};
}

PinholePair pinhole_pair(Picture image1, Picture image2, const PairResult& result) {
  PinholePair pair{image1, image2, {}, {}, result.model.model};
  if (result.straight)
    pair = {result.straight->image1,
            result.straight->image2,
            result.straight->inside,
            {},
            result.straight->F};
  const std::vector<PointPair>& points = result.straight ? result.straight->points : result.points;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (result.model.inliers[i]) pair.inliers.push_back(points[i]);
  return pair;
}

void tell_camera(Queue& queue, const ResidentPair& resident, Picture image1, Picture image2,
                 const PairOptions& options, PairResult& result) {
  const bool is_one_camera = !options.camera1 && !options.camera2 && image1.width == image2.width &&
                             image1.height == image2.height;
  if (result.outcome != Outcome::ok || result.kind != ModelKind::fundamental || !is_one_camera)
    return;
  tell_lens(queue, resident, image1, image2, options, result);
  tell_focal_length(queue, image1, image2, options, result);
}

}  // namespace bifocal::pair
