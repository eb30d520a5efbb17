// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/camera.hpp>
#include <bifocal/error.hpp>
#include <bifocal/two_photographs.hpp>
#include <bifocal/two_view.hpp>

#include <cmath>

#include "pair/dense_pair.hpp"
#include "pair/detect.hpp"
#include "pair/repetition.hpp"
#include "pair/stage_clock.hpp"
#include "pair/self_calibration.hpp"
#include "verify/policies.hpp"

namespace bifocal {
namespace {

using Picture = ImageView<const std::uint8_t>;

void check_picture(Picture image, const char* name) {
  if (image.empty() || image.channels < 1 || image.channels > 4) {
    throw Error(ErrorCode::usage,
                fmt::format("{}: {} x {} px with {} channels: not a picture of 1 to 4 channels",
                            name, image.width, image.height, image.channels));
  }
}

void check(Picture image1, Picture image2, const PairOptions& options) {
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
  check_options(options);
}

// Takes the matches and the model of a round.
void take(const verify::Verified<verify::ChosenModel>& round, PairResult& result) {
  const verify::ChosenModel& found = round.results[0];
  result.matches.assign(round.matches.begin(), round.matches.end());
  result.points = found.points;
  result.kind = found.kind;
  result.reason = found.reason;
  result.model = found.model;
  result.outcome = found.model.outcome;
  result.cam2_from_cam1.reset();
  result.median_parallax_deg = 0;
  if (found.epipolar.outcome != Outcome::rotation_only) return;
  result.cam2_from_cam1 = found.epipolar.pose;
  result.median_parallax_deg = found.epipolar.median_parallax_deg;
}

// Empty without a doubt.
std::string doubt_of_camera(const Intrinsics& camera, Picture image, const char* which) {
  const std::string doubt = intrinsics_doubt(camera, image.width, image.height);
  return doubt.empty() ? doubt : fmt::format("{} ({} picture)", doubt, which);
}

// Intrinsics that are not the pictures' (of another size, or zoom): an essential matrix explains
// clearly fewer matches than a fundamental matrix, which needs none.
//   J. Schoenberger, J.-M. Frahm, Structure-from-motion revisited, CVPR 2016 (the rule of 95 %).
std::string doubt_of_cameras(const verify::ChosenModel& found, const PairOptions& options,
                             Picture image1, Picture image2) {
  constexpr double kLeastShare = 0.95;
  const int calibrated = found.epipolar.inlier_count, free = found.uncalibrated.inlier_count;
  if (found.epipolar_kind == ModelKind::essential && found.uncalibrated.ok() &&
      calibrated < kLeastShare * free)
    return fmt::format(
        "with these intrinsics {} of the matches agree with a pose and {} with a fundamental "
        "matrix, which needs none: they are hardly those of the pictures",
        calibrated, free);
  std::string doubt;
  if (options.camera1) doubt = doubt_of_camera(*options.camera1, image1, "first");
  if (options.camera2 && doubt.empty()) doubt = doubt_of_camera(*options.camera2, image2, "second");
  return doubt;
}

// Which picture has no feature; empty if both have some.
std::string missing_features(const PairResult& r, const PairOptions& options) {
  const bool in_first = r.keypoints1.empty(), in_second = r.keypoints2.empty();
  if (!in_first && !in_second) return {};
  const bool has_mask =
      (in_first && !options.mask1.empty()) || (in_second && !options.mask2.empty());
  return fmt::format("the {} has no feature{}",
                     in_first && in_second ? "first and the second picture"
                     : in_first            ? "first picture"
                                           : "second picture",
                     has_mask ? " inside its mask" : "");
}

// Empty where the model is one of a camera that moved before a scene with depth.
std::string why_no_depth(const PairResult& r) {
  if (r.outcome == Outcome::ok && r.kind == ModelKind::homography)
    return "a homography explains the matches: the scene is one plane, or the camera only turned, "
           "and neither tells a depth";
  if (r.outcome == Outcome::ok) return {};
  if (r.cam2_from_cam1) return "the camera only turned or stood still: there is no depth to find";
  return "no geometry was found";
}

verify::AutomaticModel::Options model_options(const PairOptions& options,
                                              std::function<void()> on_start) {
  verify::AutomaticModel::Options own{options.model, {}, options.robust, std::move(on_start)};
  if (options.camera1 && options.camera2 && options.model != ModelRequest::fundamental)
    own.cameras = {*options.camera1, *options.camera2};
  return own;
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

PairResult estimate_pair(Picture image1, Picture image2, const PairOptions& options) {
  check(image1, image2, options);
  PairResult result;
  {
    pair::StageClock clock(result.timings, options.progress);
    clock.start("features", 0.0);
    Queue queue(options.device);
    pair::Photograph photograph1(image1), photograph2(image2);
    const FeatureSet features = pair::detect(queue, photograph1, photograph2, options);
    result.keypoints1 = features.get_keypoints(queue, 0);
    result.keypoints2 = features.get_keypoints(queue, 1);
    constexpr ImagePair kPair[] = {{0, 1}};
    bool is_guided = false;
    verify::PairVerifier<verify::AutomaticModel> verifier(
        queue, {.matching = options.matching, .distinct_places = true},
        verify::AutomaticModel(queue, model_options(options, [&] {
                                 clock.start(is_guided ? "guided model" : "model",
                                             is_guided ? 0.65 : 0.55);
                               })));
    clock.start("matching", 0.4);
    const auto* round = &verifier.run(features, kPair);
    take(*round, result);
    pair::estimate_lens(queue, photograph1, photograph2, round->results[0].uncalibrated, options,
                        result);
    // The matches of distorted images do not lie along straight lines.
    if (!result.undistorted && options.guided && result.outcome == Outcome::ok) {
      is_guided = true;
      clock.start("guided matching", 0.6);
      round = &verifier.run_guided(features, kPair);
      take(*round, result);
    }
    if (std::string none = missing_features(result, options); !none.empty())
      result.reason = std::move(none);
    const verify::ChosenModel& found = round->results[0];
    result.doubt = doubt_of_cameras(found, options, image1, image2);
    if (result.model.ok() && result.kind != ModelKind::homography) {
      clock.start("doubt", 0.68);
      pair::doubt_repetition(queue, features, options, std::hypot(image1.width, image1.height),
                             std::hypot(image2.width, image2.height), result);
    }
    if (result.outcome == Outcome::ok && result.kind == ModelKind::essential && !result.undistorted)
      pair::set_pose(found.epipolar, options.camera1->fx, result);
    pair::estimate_focal_length(queue, photograph1, photograph2, options, result);
    if (options.dense) result.dense_reason = why_no_depth(result);
    if (options.dense && result.dense_reason.empty())
      pair::add_dense(queue, pair::pinhole_pair(photograph1, photograph2, result), options, clock,
                      result);
  }
  return result;
}

}  // namespace bifocal
