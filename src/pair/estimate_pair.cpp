// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/camera.hpp>
#include <bifocal/error.hpp>
#include <bifocal/two_photographs.hpp>

#include <cmath>

#include "pair/dense_pair.hpp"
#include "pair/escalation.hpp"
#include "pair/image_order.hpp"
#include "pair/self_calibration.hpp"
#include "pair/stage_clock.hpp"

namespace bifocal {
namespace {

using PhotographView = ImageView<const std::uint8_t>;

void check_picture(const AnyImageView& image, const char* name) {
  if (image.empty() || image.channels() < 1 || image.channels() > 4) {
    throw Error(ErrorCode::usage,
                fmt::format("{}: {} x {} px with {} channels: not an image of 1 to 4 channels",
                            name, image.width(), image.height(), image.channels()));
  }
}

// Points outside of their images come from another scale or another origin.
void check_matches(std::span<const PointPair> matches, const AnyImageView& image1,
                   const AnyImageView& image2) {
  const auto check_point = [](double x, double y, std::size_t i, const AnyImageView& image,
                              int number) {
    // Tolerates programs whose pixel origin is the corner of a pixel.
    if (x >= -1 && y >= -1 && x <= image.width() && y <= image.height()) return;
    throw Error(ErrorCode::usage,
                fmt::format("matches: point {} of image {} at ({:g}, {:g}) lies outside of the "
                            "image of {} x {} px",
                            i, number, x, y, image.width(), image.height()));
  };
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const PointPair& m = matches[i];
    if (!std::isfinite(m.x1 + m.y1 + m.x2 + m.y2)) continue;  // no match
    check_point(m.x1, m.y1, i, image1, 1);
    check_point(m.x2, m.y2, i, image2, 2);
  }
}

void check(const AnyImageView& image1, const AnyImageView& image2, const PairOptions& options,
           const PairInput& input) {
  check_picture(image1, "image1");
  check_picture(image2, "image2");
  for (const auto& camera : {options.camera1, options.camera2}) {
    if (camera && !camera->valid()) {
      throw Error(ErrorCode::usage,
                  fmt::format("camera1, camera2: focal lengths {}, {} must be positive", camera->fx,
                              camera->fy));
    }
  }
  if (options.kind == ModelRequest::essential && !(options.camera1 && options.camera2)) {
    throw Error(ErrorCode::usage, "kind = essential: needs the intrinsics of both cameras");
  }
  if (input.matches && options.guided)
    throw Error(ErrorCode::usage, "guided: given matches are not matched again");
  check_options(options);
  for (const auto& [name, end] : {std::pair{"min_disparity", options.min_disparity},
                                  {"max_disparity", options.max_disparity}})
    if (end) check_option(members_path(name_of(options)), {name, "", kDisparityStarts}, *end);
  if (options.near_depth > 0 && options.far_depth > 0 && options.near_depth >= options.far_depth)
    throw Error(ErrorCode::usage, fmt::format("near_depth = {}, far_depth = {}: near must be less",
                                              options.near_depth, options.far_depth));
  if (input.matches) check_matches(*input.matches, image1, image2);
}

// Returns the doubt about a camera's intrinsics in words; empty without a doubt.
std::string doubt_of_camera(const Intrinsics& camera, PhotographView image, const char* which) {
  const std::string doubt = intrinsics_doubt(camera, image.width, image.height);
  return doubt.empty() ? doubt : fmt::format("{} ({} photograph)", doubt, which);
}

std::string doubt_of_cameras(const PairOptions& options, PhotographView image1,
                             PhotographView image2) {
  std::string doubt;
  if (options.camera1) doubt = doubt_of_camera(*options.camera1, image1, "first");
  if (options.camera2 && doubt.empty()) doubt = doubt_of_camera(*options.camera2, image2, "second");
  return doubt;
}

// Returns which image has no feature, in words; empty if both have some.
std::string missing_features(const PairResult& r, const PairInput& input) {
  const bool in_first = r.keypoints1.empty(), in_second = r.keypoints2.empty();
  if (!in_first && !in_second) return {};
  const bool has_mask = (in_first && !input.mask1.empty()) || (in_second && !input.mask2.empty());
  return fmt::format("the {} has no feature{}",
                     in_first && in_second ? "first and the second photograph"
                     : in_first            ? "first photograph"
                                           : "second photograph",
                     has_mask ? " inside its mask" : "");
}

// Returns why a pair has no depth; empty if the model describes a moving camera and a
// scene with depth.
std::string why_no_depth(const PairResult& r) {
  if (r.outcome == Outcome::ok && r.kind == ModelKind::homography)
    return "a homography explains the matches: the scene is one plane, or the camera only rotated; "
           "neither determines depth";
  if (r.outcome == Outcome::ok) return {};
  if (r.cam2_from_cam1) return "the camera only rotated or did not move: depth is not determined";
  return "no geometry was found";
}

// Estimates the model in the order of is_second_first(), and returns it for the order of image1 and
// image2.
pair::Attempt estimated(const pair::AttemptInput& input, const PairOptions& options) {
  if (!pair::is_second_first(input.image1, input.image2)) return pair::escalated(input, options);
  std::vector<PointPair> matches;
  const PairInput given = pair::exchanged(input.given, matches);
  pair::Attempt answer = pair::escalated(
      {input.queue, input.image2, input.image1, input.clock, input.camera_doubt, given},
      pair::exchanged(options));
  pair::exchange_images(answer.result);
  answer.found.epipolar =
      pair::exchanged(answer.found.epipolar_kind, std::move(answer.found.epipolar));
  return answer;
}

}  // namespace

std::string_view to_string(CameraSource source) {
  switch (source) {
    case CameraSource::given:
      return "given";
    case CameraSource::estimated:
      return "estimated";
    case CameraSource::assumed:
      return "assumed";
  }
  return "";
}

PairResult estimate_pair(const AnyImageView& image1, const AnyImageView& image2,
                         const PairOptions& options, const PairInput& input) {
  Queue cpu;
  return estimate_pair(cpu, image1, image2, options, input);
}

PairResult estimate_pair(Queue& queue, const AnyImageView& image1, const AnyImageView& image2,
                         const PairOptions& options, const PairInput& input) {
  check(image1, image2, options, input);
  std::vector<StageTime> timings;
  PairResult result;
  {
    pair::StageClock clock(timings, options.progress);
    pair::Photograph photograph1(image1), photograph2(image2);
    const std::string camera_doubt = doubt_of_cameras(options, photograph1, photograph2);
    pair::Attempt answer =
        estimated({queue, photograph1, photograph2, clock, camera_doubt, input}, options);
    result = std::move(answer.result);
    if (std::string none = missing_features(result, input); !none.empty())
      result.reason = std::move(none);
    clock.start("pose", 0.7);
    if (result.outcome == Outcome::ok && result.kind == ModelKind::essential && !result.undistorted)
      pair::set_pose(answer.found.epipolar, options.camera1->fx, result);
    pair::estimate_focal_length(queue, photograph1, photograph2, options, result);
    pair::add_pose_deviation(photograph1, photograph2, options, result);
    result.dense_reason = options.dense ? why_no_depth(result) : "it was not requested";
    if (options.dense && result.dense_reason.empty()) {
      pair::PinholePair pinhole = pair::pinhole_pair(photograph1, photograph2, result);
      pair::add_deep(queue, photograph1, photograph2, result, pinhole);
      pair::add_dense(queue, pinhole, options, clock, result);
    }
  }
  result.timings = std::move(timings);
  return result;
}

}  // namespace bifocal
