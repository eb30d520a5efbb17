// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/two_photographs.hpp>
#include <bifocal/two_view.hpp>

#include <cmath>

#include "robust/guide.hpp"
#include "pair/dense_pair.hpp"
#include "pair/resident_pair.hpp"
#include "pair/stage_clock.hpp"
#include "pair/told_camera.hpp"
#include "runtime/parallel.hpp"
#include "robust/off_centre.hpp"

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

// Both candidate models of a pair; the one that wasn't asked for stays without a result.
struct Candidates {
  EstimateResult homography;
  RelativePoseResult epipolar;  // only the EstimateResult part for F
  ModelKind epipolar_kind;
  EstimateResult uncalibrated;  // F, beside E
};

// points: of the matches, on the host.
Candidates estimate_candidates(const pair::ResidentPair& resident,
                               const std::vector<PointPair>& points, const PairOptions& options) {
  Candidates found;
  std::vector<Intrinsics> cameras;
  if (options.camera1 && options.camera2 && options.model != ModelRequest::fundamental)
    cameras = {*options.camera1, *options.camera2};
  const bool calibrated = !cameras.empty();
  found.epipolar_kind = calibrated ? ModelKind::essential : ModelKind::fundamental;
  const bool wants_epipolar = options.model != ModelRequest::homography;
  const bool wants_plane =
      options.model == ModelRequest::automatic || options.model == ModelRequest::homography;
  runtime::parallel_for(3, [&](int i) {
    if (i == 0 && wants_epipolar && calibrated)
      found.epipolar =
          with_scene_points(ModelKind::essential, resident.estimate(ModelKind::essential, cameras),
                            points, cameras, options.robust.threshold);
    if (i == 0 && wants_epipolar && !calibrated)
      static_cast<EstimateResult&>(found.epipolar) = resident.estimate(ModelKind::fundamental, {});
    if (i == 1 && wants_plane) found.homography = resident.estimate(ModelKind::homography, {});
    if (i == 2 && wants_epipolar && calibrated)
      found.uncalibrated = resident.estimate(ModelKind::fundamental, {});
  });
  return found;
}

// Sets outcome, kind, reason and model.
void choose(const Candidates& found, const PairOptions& options, PairResult& result) {
  const ModelRequest request = options.model;
  result.kind = request == ModelRequest::homography ? ModelKind::homography : found.epipolar_kind;
  if (request != ModelRequest::automatic) {
    result.reason = fmt::format("{} was asked for", to_string(result.kind));
  } else if (found.homography.ok() || found.epipolar.ok()) {
    std::vector<Intrinsics> cameras;
    if (found.epipolar_kind == ModelKind::essential) cameras = {*options.camera1, *options.camera2};
    const ModelChoice choice = choose_model(result.points, found.homography, found.epipolar,
                                            found.epipolar_kind, options.robust.threshold, cameras);
    result.kind = choice.kind;
    result.reason = choice.reason;
  }
  result.model = result.kind == ModelKind::homography ? found.homography : found.epipolar;
  result.outcome = result.model.outcome;
  if (!result.model.ok()) {
    result.reason = fmt::format("{} from {} matches: {}", to_string(result.kind),
                                result.points.size(), to_string(result.outcome));
  }
  if (found.epipolar.outcome == Outcome::rotation_only) {
    if (!result.model.ok())
      result.reason = fmt::format(
          "a camera that only turned explains {} of {} matches: no translation can be told",
          found.epipolar.inlier_count, result.points.size());
    result.cam2_from_cam1 = found.epipolar.pose;
    result.median_parallax_deg = found.epipolar.median_parallax_deg;
  }
}

// Says why a camera is hardly that of its picture: a principal point off the centre. Empty: it may
// be.
std::string doubt_of_camera(const Intrinsics& camera, Picture image, const char* which) {
  if (!robust::is_off_centre(camera, image.width, image.height)) return {};
  return fmt::format(
      "the principal point ({:g}, {:g}) lies far from the middle of the {} picture "
      "of {} x {} px: are these the intrinsics of another size?",
      camera.cx, camera.cy, which, image.width, image.height);
}

// Intrinsics that are not the pictures' (of another size, or zoom): an essential matrix explains
// clearly fewer matches than a fundamental matrix, which needs none.
//   J. Schoenberger, J.-M. Frahm, Structure-from-motion revisited, CVPR 2016 (the rule of 95 %).
std::string doubt_of_cameras(const Candidates& found, const PairOptions& options, Picture image1,
                             Picture image2) {
  if (found.epipolar_kind != ModelKind::essential) return {};
  constexpr double kLeastShare = 0.95;
  const int calibrated = found.epipolar.inlier_count, free = found.uncalibrated.inlier_count;
  if (found.uncalibrated.ok() && calibrated < kLeastShare * free)
    return fmt::format(
        "with these intrinsics {} of the matches agree with a pose and {} with a fundamental "
        "matrix, which needs none: they are hardly those of the pictures",
        calibrated, free);
  const std::string first = doubt_of_camera(*options.camera1, image1, "first");
  return first.empty() ? doubt_of_camera(*options.camera2, image2, "second") : first;
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

// Matches, all of them or those along a guide, and the model that they have.
Candidates match_and_estimate(pair::ResidentPair& resident, const PairOptions& options,
                              const MatchGuide* guide, pair::StageClock& clock,
                              PairResult& result) {
  clock.start(guide ? "guided matching" : "matching", guide ? 0.6 : 0.4);
  resident.match(guide);
  resident.download(result.matches, result.points);
  clock.start(guide ? "guided model" : "model", guide ? 0.65 : 0.55);
  Candidates found = estimate_candidates(resident, result.points, options);
  choose(found, options, result);
  return found;
}

// The second round, along the model of the first; the first stays where it has as many inliers.
Candidates match_along_model(pair::ResidentPair& resident, const PairOptions& options,
                             Candidates found, pair::StageClock& clock, PairResult& result) {
  if (!options.guided || result.outcome != Outcome::ok) return found;
  const MatchGuide guide = robust::guide_of(
      result.kind, result.model.model, options.camera1.value_or(Intrinsics()),
      options.camera2.value_or(Intrinsics()), robust::kGuideWidth * options.robust.threshold);
  PairResult first = result;
  Candidates second = match_and_estimate(resident, options, &guide, clock, result);
  if (result.outcome == Outcome::ok && result.model.inlier_count > first.model.inlier_count)
    return second;
  first.timings = std::move(result.timings);
  result = std::move(first);
  return found;
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
    pair::ResidentPair resident(options);
    resident.detect(image1, image2);
    result.keypoints1 = resident.keypoints(0);
    result.keypoints2 = resident.keypoints(1);
    Candidates found = match_and_estimate(resident, options, nullptr, clock, result);
    Queue queue(options.device);
    pair::tell_lens(queue, image1, image2, found.uncalibrated, options, result);
    // Matches of bent pictures lie along no straight line.
    if (!result.straight)
      found = match_along_model(resident, options, std::move(found), clock, result);
    result.doubt = doubt_of_cameras(found, options, image1, image2);
    if (result.outcome == Outcome::ok && result.kind == ModelKind::essential && !result.straight)
      pair::set_pose(std::move(found.epipolar), options.camera1->fx, result);
    pair::tell_focal_length(queue, image1, image2, options, result);
    if (options.dense) result.dense_reason = why_no_depth(result);
    if (options.dense && result.dense_reason.empty())
      pair::add_dense(queue, pair::pinhole_pair(image1, image2, result), options, clock, result);
  }
  return result;
}

}  // namespace bifocal
