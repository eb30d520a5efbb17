// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/two_photographs.hpp>

#include <cmath>

#include "pair/dense_pair.hpp"
#include "pair/escalation.hpp"
#include "pair/self_calibration.hpp"
#include "pair/stage_clock.hpp"

namespace bifocal {
namespace {

using PhotographView = ImageView<const std::uint8_t>;

void check_picture(PhotographView image, const char* name) {
  if (image.empty() || image.channels < 1 || image.channels > 4) {
    throw Error(ErrorCode::usage,
                fmt::format("{}: {} x {} px with {} channels: not an image of 1 to 4 channels",
                            name, image.width, image.height, image.channels));
  }
}

// Points outside of their images come from another scale or another origin.
void check_matches(std::span<const PointPair> matches, PhotographView image1,
                   PhotographView image2) {
  const auto check_point = [](double x, double y, std::size_t i, PhotographView image, int number) {
    // Tolerates programs whose pixel origin is the corner of a pixel.
    if (x >= -1 && y >= -1 && x <= image.width && y <= image.height) return;
    throw Error(ErrorCode::usage,
                fmt::format("matches: point {} of image {} at ({:g}, {:g}) lies outside of the "
                            "image of {} x {} px",
                            i, number, x, y, image.width, image.height));
  };
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const PointPair& m = matches[i];
    if (!std::isfinite(m.x1 + m.y1 + m.x2 + m.y2)) continue;  // no match
    check_point(m.x1, m.y1, i, image1, 1);
    check_point(m.x2, m.y2, i, image2, 2);
  }
}

void check(PhotographView image1, PhotographView image2, const PairOptions& options) {
  check_picture(image1, "image1");
  check_picture(image2, "image2");
  for (const auto& camera : {options.camera1, options.camera2}) {
    if (camera && !camera->valid()) {
      throw Error(ErrorCode::usage,
                  fmt::format("camera1, camera2: focal lengths {}, {} must be positive", camera->fx,
                              camera->fy));
    }
  }
  if (options.model == ModelRequest::essential && !(options.camera1 && options.camera2)) {
    throw Error(ErrorCode::usage, "model = essential: needs the intrinsics of both cameras");
  }
  if (options.matches && options.guided)
    throw Error(ErrorCode::usage, "guided: given matches are not matched again");
  check_options(options);
  if (options.near_depth > 0 && options.far_depth > 0 && options.near_depth >= options.far_depth)
    throw Error(ErrorCode::usage, fmt::format("near_depth = {}, far_depth = {}: near must be less",
                                              options.near_depth, options.far_depth));
  if (options.matches) check_matches(*options.matches, image1, image2);
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

}  // namespace

const char* to_string(CameraSource source) {
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

PairResult estimate_pair(PhotographView image1, PhotographView image2, const PairOptions& options) {
  check(image1, image2, options);
  std::vector<StageTime> timings;
  PairResult result;
  {
    pair::StageClock clock(timings, options.progress);
    Queue queue(options.device);
    pair::Photograph photograph1(image1), photograph2(image2);
    pair::Attempt answer = pair::escalated({queue, photograph1, photograph2, clock}, options);
    result = std::move(answer.result);
    clock.start("pose", 0.7);
    if (result.outcome == Outcome::ok && result.kind == ModelKind::essential && !result.undistorted)
      pair::set_pose(answer.found.epipolar, options.camera1->fx, result);
    pair::estimate_focal_length(queue, photograph1, photograph2, options, result);
    pair::add_pose_deviation(photograph1, photograph2, options, result);
    result.dense_reason = options.dense ? why_no_depth(result) : "it was not requested";
    if (options.dense && result.dense_reason.empty())
      pair::add_dense(queue, pair::pinhole_pair(photograph1, photograph2, result), options, clock,
                      result);
  }
  result.timings = std::move(timings);
  return result;
}

}  // namespace bifocal
