// SPDX-License-Identifier: BSD-3-Clause
#include "pair/self_calibration.hpp"

#include <fmt/format.h>
#include <bifocal/camera.hpp>
#include <bifocal/rectify.hpp>
#include <bifocal/two_view.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "math/median.hpp"
#include "pair/deviations.hpp"
#include "verify/inlier_points.hpp"
#include "robust/jackknife.hpp"
#include "robust/lens_fit.hpp"

namespace bifocal::pair {
namespace {

using PhotographView = ImageView<const std::uint8_t>;

// A lens is accepted under four conditions: it lowers the squared errors of F by this many squared
// noises (a likelihood ratio); its distortion is this many standard deviations from 0; it moves the
// inliers by at least this many px in the median; and two deviations, with assumptions included, do
// not exceed its distortion.
constexpr double kLikelihoodRatio = 100, kDeviations = 6, kMovedPx = 1;
// A focal length is accepted if its deviation is below this fraction of the length, because
// otherwise two deviations exceed the error of the usual guess. In addition the pose must explain
// at least this fraction of the inliers of F; otherwise the images come from two cameras.
constexpr double kMaxFocalDeviation = 0.2, kLeastPoseShare = 0.95;
constexpr double kUsualFocalLength = 1.2;  // of the longer side: 45 degrees across it
// Limits of an undistorted image: its sides, in sides of the photograph, and its pixels. The image
// is cropped to both.
constexpr double kMostSides = 2, kMostPixels = 1 << 27;
// Least parallax in px for a reliable direction of t.
constexpr double kLeastParallax = 1;

// Returns the camera of radial_fundamental: the principal point is the image centre, and half the
// diagonal is the unit of the distortion k.
Intrinsics lens_unit(PhotographView image) {
  return camera_of(image, std::hypot(image.width, image.height) / 2);
}

LensCamera lens_of(PhotographView image, double distortion) {
  const Intrinsics unit = lens_unit(image);
  const double parameters[] = {unit.fx, unit.cx, unit.cy, distortion};
  return LensCamera("SIMPLE_DIVISION", parameters, image.width, image.height);
}

// Returns the pinhole camera that sees the whole image of `lens` after undistortion, with the
// lens's axis at its centre.
Camera undistorted_view(const LensCamera& lens) {
  const Intrinsics& pinhole = lens.pinhole();
  const double right = double(lens.width() - 1), bottom = double(lens.height() - 1);
  const double most =
      std::clamp(std::sqrt(kMostPixels / ((right + 1) * (bottom + 1))), 1.0, kMostSides) / 2;
  // The corner lies furthest out with barrel distortion, the middle of a side
  // with pincushion distortion.
  double across = 0, down = 0;
  for (const Vec2 px : {Vec2{right, bottom}, {right, pinhole.cy}, {pinhole.cx, bottom}}) {
    const Vec2 at = lens.undistort(px);  // NaN if no pinhole sees it
    across = std::max(across, std::isfinite(at[0]) ? at[0] - pinhole.cx : most * right);
    down = std::max(down, std::isfinite(at[1]) ? at[1] - pinhole.cy : most * bottom);
  }
  Camera view{pinhole, {}, 0, 0};
  view.width = 2 * static_cast<int>(std::min(across, most * right)) + 1;
  view.height = 2 * static_cast<int>(std::min(down, most * bottom)) + 1;
  view.intrinsics.cx = (view.width - 1) / 2.0, view.intrinsics.cy = (view.height - 1) / 2.0;
  return view;
}

SamplingMap undistorting_map(const LensCamera& lens, const Camera& view) {
  Rectification r;
  RectifiedSide& side = r.sides[0];
  side.R = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  side.camera = view.intrinsics;
  r.width = view.width, r.height = view.height;
  side.input = {
      lens.pinhole(), {}, static_cast<int>(lens.width()), static_cast<int>(lens.height())};
  side.lens = lens;
  return sampling_map(r, 0);
}

// Undistorts images and points. found: an estimate of radial_fundamental with lens_unit().
UndistortedPair undistorted_pair(Queue& queue, const Photograph& image1, const Photograph& image2,
                                 std::span<const PointPair> points, const Estimate& found) {
  const LensCamera lens = lens_of(image1, found.distortion);
  const Camera view = undistorted_view(lens);
  const Remapper remapper(queue, undistorting_map(lens, view));
  UndistortedPair out;
  out.image1 = image1.remapped(queue, remapper);
  out.image2 = image2.remapped(queue, remapper, &out.inside);
  out.points.assign(points.begin(), points.end());
  undistort(std::span(out.points), lens, lens);
  const double dx = view.intrinsics.cx - lens.pinhole().cx,
               dy = view.intrinsics.cy - lens.pinhole().cy;
  for (PointPair& p : out.points) p.x1 += dx, p.y1 += dy, p.x2 += dx, p.y2 += dy;
  // found.model refers to px about the photograph's centre, in the scale of the lens's unit.
  const Intrinsics &from = lens.intrinsics(), &to = view.intrinsics;
  out.scale = to.fx / from.fx;
  const double s = 1 / out.scale;
  const Mat3 unit_px = {s, 0, from.cx - s * to.cx, 0, s, from.cy - s * to.cy, 0, 0, 1};
  out.F = times(transposed(unit_px), times(found.model, unit_px));
  return out;
}

bool shows_distortion(const Estimate& alone, const Estimate& found, double threshold) {
  const double squares = (found.score - alone.score) * threshold * threshold;
  return squares > kLikelihoodRatio * found.noise * found.noise &&
         std::abs(found.distortion) > kDeviations * found.distortion_deviation;
}

// Returns the median distance by which the distortion moves the inliers, in px.
double moved_px(std::span<const PointPair> points, const EstimateResult& found,
                const Intrinsics& unit) {
  std::vector<double> moved;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!found.inliers[i]) continue;
    for (const double r : {std::hypot(points[i].x1 - unit.cx, points[i].y1 - unit.cy),
                           std::hypot(points[i].x2 - unit.cx, points[i].y2 - unit.cy)})
      moved.push_back(std::abs(found.distortion) * r * (r / unit.fx) * (r / unit.fx));
  }
  return upper_median(moved);
}

// Removes inliers outside the undistorted images.
void keep_seen(const UndistortedPair& pair, EstimateResult& found) {
  const auto is_seen = [&](double x, double y) {
    return x > -0.5 && y > -0.5 && x < pair.image1.width - 0.5 && y < pair.image1.height - 0.5;
  };
  for (std::size_t i = 0; i < pair.points.size(); ++i) {
    const auto& [x1, y1, x2, y2] = pair.points[i];
    if (!found.inliers[i] || (is_seen(x1, y1) && is_seen(x2, y2))) continue;
    found.inliers[i] = 0;
    --found.num_inliers;
  }
}

// Returns the undistorted points of a photograph, in px of an undistorted view.
std::vector<PointPair> undistorted_points(PhotographView photograph, double distortion,
                                          const Intrinsics& view, std::vector<PointPair> points) {
  const LensCamera lens = lens_of(photograph, distortion);
  undistort(std::span(points), lens, lens);
  const Intrinsics& from = lens.pinhole();
  for (PointPair& p : points)
    p = {view.cx + view.fx * (p.x1 - from.cx) / from.fx,
         view.cy + view.fy * (p.y1 - from.cy) / from.fy,
         view.cx + view.fx * (p.x2 - from.cx) / from.fx,
         view.cy + view.fy * (p.y2 - from.cy) / from.fy};
  return points;
}

// Returns the standard deviation of the distortion, including correlated errors and the assumed
// centre and aspect ratio.
double distortion_deviation(PhotographView image, const EstimateResult& found,
                            const PairOptions& options, std::span<const PointPair> points) {
  const std::vector<PointPair> inliers = verify::inlier_points(points, found.inliers);
  robust::LensModel model{found.model, found.distortion, lens_unit(image)};
  const double whole = robust::refined_distortion(model, inliers);
  double variance = std::pow(found.distortion_deviation, 2) + std::pow(whole - found.distortion, 2);
  for (const auto& [others, scale] : robust::jackknife_parts(inliers))
    variance += std::pow(scale * (robust::refined_distortion(model, others) - whole), 2);
  for (const Intrinsics& unit :
       deviating_cameras(model.unit, assumed_deviation(options, image, 1))) {
    model.unit = unit;
    variance += std::pow(robust::refined_distortion(model, inliers) - whole, 2);
  }
  return std::sqrt(variance);
}

// Returns the inliers with the distortion one standard deviation off; empty if no
// lens was estimated.
std::vector<std::vector<PointPair>> with_other_distortion(PhotographView photograph,
                                                          const PinholePair& pair,
                                                          const PairResult& result) {
  if (!result.undistorted) return {};
  const EstimatedCamera& lens = result.estimated_camera;
  const Intrinsics view = camera_of(pair.image1, pair.scale * lens_unit(photograph).fx);
  return {undistorted_points(photograph, lens.distortion + lens.distortion_deviation, view,
                             verify::inlier_points(result.points, result.estimate.inliers))};
}

// Estimates F and the distortion of one lens; nullopt unless they explain the matches better than F
// alone. A dominant plane leaves F and the distortion undetermined.
std::optional<EstimateResult> lens_found(Queue& queue, PhotographView image,
                                         const EstimateResult& alone, const PairOptions& options,
                                         std::span<const PointPair> points,
                                         const Memory<const PointPair>& on_device) {
  constexpr ModelKind kKind = ModelKind::radial_fundamental;
  if (options.kind != ModelRequest::automatic || options.robust.dominant_plane || !alone.ok() ||
      !problem_info(kKind).is_built)
    return {};
  RobustOptions robust = one_pair_options(kKind, points.size(), options.robust);
  // Models that explain clearly fewer matches than F are not searched for.
  robust.min_inlier_ratio = std::max(robust.min_inlier_ratio,
                                     0.95 * alone.num_inliers / static_cast<double>(points.size()));
  const Intrinsics unit = lens_unit(image);
  const std::int64_t offsets[] = {0, std::ssize(points)};
  EstimateResult found = single_result(estimate_batch(
      queue, kKind, on_device, {.offsets = offsets, .cameras1 = {&unit, 1}, .options = robust}));
  if (!found.ok() || !shows_distortion(alone, found, robust.threshold) ||
      moved_px(points, found, unit) < kMovedPx)
    return {};
  found.distortion_deviation = distortion_deviation(image, found, options, points);
  if (!(2 * found.distortion_deviation < std::abs(found.distortion))) return {};
  return found;
}

void set_lens(Queue& queue, const Photograph& image1, const Photograph& image2,
              const Estimate& found, PairResult& result) {
  result.estimated_camera.distortion = found.distortion;
  result.estimated_camera.distortion_deviation = found.distortion_deviation;
  result.undistorted = undistorted_pair(queue, image1, image2, result.points, found);
}

void set_radial_model(Queue& queue, const Photograph& image1, const Photograph& image2,
                      EstimateResult found, PairResult& result) {
  set_lens(queue, image1, image2, found, result);
  keep_seen(*result.undistorted, found);
  result.kind = ModelKind::radial_fundamental;
  result.reason = fmt::format(
      "{}; with the distortion {:.3f} of one lens it explains {}, and its error is {:.2f} px",
      result.reason, found.distortion, found.num_inliers, found.rms);
  result.estimate = std::move(found);
}

// Replaces E by E of the undistorted images if that explains at least as many matches.
void set_undistorted_essential(Queue& queue, const Photograph& image1, const Photograph& image2,
                               const Estimate& lens, const PairOptions& options,
                               PairResult& result) {
  PairResult without_lens = result;
  set_lens(queue, image1, image2, lens, without_lens);
  const Intrinsics camera = camera_of(without_lens.undistorted->image1,
                                      without_lens.undistorted->scale * options.camera1->fx);
  RelativePoseResult found =
      estimate_relative_pose(queue, ModelKind::essential, without_lens.undistorted->points,
                             {.cameras = std::array{camera, camera}, .options = options.robust});
  keep_seen(*without_lens.undistorted, found);
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < found.inliers.size(); ++i)
    if (!found.inliers[i]) found.triangulated[i] = {kNaN, kNaN, kNaN};
  if (!found.ok() || found.num_inliers < result.estimate.num_inliers) return;
  without_lens.reason = fmt::format(
      "{}; without the distortion {:.3f} of the lens it explains {}, and its error is {:.2f} px",
      result.reason, lens.distortion, found.num_inliers, found.rms);
  without_lens.estimate = found;
  set_pose(std::move(found), camera.fx, without_lens);
  result = std::move(without_lens);
}

bool has_depth(const PairResult& result, PhotographView image1, PhotographView image2) {
  return result.outcome == Outcome::ok && result.kind != ModelKind::homography &&
         image1.width == image2.width && image1.height == image2.height;
}

}  // namespace

Intrinsics camera_of(PhotographView image, double focal_length) {
  return {focal_length, focal_length, (image.width - 1) / 2.0, (image.height - 1) / 2.0};
}

PinholePair pinhole_pair(const Photograph& image1, const Photograph& image2,
                         const PairResult& result) {
  PinholePair pair{image1, image2, {}, 1, {}, result.estimate.model, {}, {}};
  if (result.undistorted) {
    pair.image1 = Photograph(result.undistorted->image1);
    pair.image2 = Photograph(result.undistorted->image2);
    pair.inside = result.undistorted->inside;
    pair.scale = result.undistorted->scale;
    pair.F = result.undistorted->F;
  }
  const auto usual = [&](PhotographView image, PhotographView photograph) {
    return camera_of(
        image, pair.scale * kUsualFocalLength * std::max(photograph.width, photograph.height));
  };
  pair.usual1 = usual(pair.image1, image1), pair.usual2 = usual(pair.image2, image2);
  const std::vector<PointPair>& points =
      result.undistorted ? result.undistorted->points : result.points;
  pair.inliers = verify::inlier_points(points, result.estimate.inliers);
  return pair;
}

void add_deep(Queue& queue, const Photograph& image1, const Photograph& image2,
              const PairResult& result, PinholePair& pair) {
  if (!result.undistorted || !image1.deep() || !image2.deep()) return;
  const LensCamera lens = lens_of(image1, result.estimated_camera.distortion);
  const Remapper remapper(queue, undistorting_map(lens, undistorted_view(lens)));
  pair.image1.set_deep(image1.deep_remapped(queue, remapper));
  pair.image2.set_deep(image2.deep_remapped(queue, remapper));
}

void set_pose(RelativePoseResult found, double focal_length, PairResult& result) {
  result.cam2_from_cam1 = found.pose;
  result.in_front = found.in_front;
  result.median_parallax_deg = found.median_parallax_deg;
  result.triangulated = std::move(found.triangulated);
  const double parallax =
      std::tan(found.median_parallax_deg * std::numbers::pi / 180) * focal_length;
  if (parallax < kLeastParallax)
    result.reason += fmt::format(
        "; the parallax is {:.2g} px in the median: the direction of t is not certain", parallax);
}

void estimate_lens(Queue& queue, const Photograph& image1, const Photograph& image2,
                   const EstimateResult& fundamental, const Memory<const PointPair>& points,
                   const PairOptions& options, PairResult& result) {
  if (!has_depth(result, image1, image2)) return;
  const auto &one = options.camera1, &two = options.camera2;
  const bool is_given = one && two && options.lens_is_unknown && one->fx == two->fx;
  if (result.kind == ModelKind::essential ? !is_given : one || two) return;
  std::optional<EstimateResult> lens =
      lens_found(queue, image1, result.kind == ModelKind::essential ? fundamental : result.estimate,
                 options, result.points, points);
  if (!lens) return;
  if (result.kind == ModelKind::essential)
    set_undistorted_essential(queue, image1, image2, *lens, options, result);
  else
    set_radial_model(queue, image1, image2, std::move(*lens), result);
}

void estimate_focal_length(Queue& queue, const Photograph& image1, const Photograph& image2,
                           const PairOptions& options, PairResult& result) {
  if (!has_depth(result, image1, image2) || options.camera1 || options.camera2) return;
  const PinholePair pair = pinhole_pair(image1, image2, result);
  RelativePoseResult found = estimate_relative_pose(
      queue, ModelKind::shared_focal, pair.inliers,
      {.cameras = std::array{camera_of(pair.image1, 1)}, .options = options.robust});
  if (!found.ok() || !(found.focal_deviation < kMaxFocalDeviation * found.focal_length) ||
      found.num_inliers < kLeastPoseShare * static_cast<double>(pair.inliers.size()))
    return;
  const Intrinsics camera = camera_of(pair.image1, found.focal_length);
  FocalDeviation deviation = focal_deviation(
      {verify::inlier_points(pair.inliers, found.inliers), camera, camera, found.pose},
      found.focal_deviation / found.focal_length, assumed_deviation(options, image1, pair.scale),
      with_other_distortion(image1, pair, result));
  if (!(deviation.px < kMaxFocalDeviation * found.focal_length)) return;
  result.estimated_camera.focal_length = found.focal_length / pair.scale;
  result.estimated_camera.focal_deviation = deviation.px / pair.scale;
  result.pose_deviation = std::move(deviation.pose);
  // The pose's scene points are listed by inlier; here each moves to the index of its match.
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  std::vector<Vec3> points(result.points.size(), Vec3{kNaN, kNaN, kNaN});
  std::size_t next = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (result.estimate.inliers[i]) points[i] = found.triangulated[next++];
  found.triangulated = std::move(points);
  const double focal_length = found.focal_length;
  set_pose(std::move(found), focal_length, result);
}

void add_pose_deviation(const Photograph& image1, const Photograph& image2,
                        const PairOptions& options, PairResult& result) {
  if (result.outcome != Outcome::ok || result.kind != ModelKind::essential) return;
  if (!result.doubt.empty()) return;  // the deviations assume that the cameras are correct
  const PinholePair pair = pinhole_pair(image1, image2, result);
  Intrinsics one = *options.camera1, two = *options.camera2;
  if (result.undistorted) one = two = camera_of(pair.image1, pair.scale * one.fx);
  result.pose_deviation = pose_deviation({pair.inliers, one, two, *result.cam2_from_cam1},
                                         given_deviation(options, image1, pair.scale),
                                         given_deviation(options, image2, pair.scale));
}

}  // namespace bifocal::pair
