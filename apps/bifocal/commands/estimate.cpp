// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/reasons.hpp>
#include <bifocal/robust.hpp>
#include <bifocal/two_view.hpp>
#include <bifocal/device.hpp>

#include <array>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "cameras.hpp"
#include "cli.hpp"
#include "estimate_scenes.hpp"
#include "jobs/result_json.hpp"
#include "robust_options.hpp"

namespace bifocal::cli {
namespace {

struct Options {
  std::string kind, points, principal_point;
  SceneOptions scenes;
  CameraOptions cameras;
  RobustOptions robust;
  bool is_strict = false, has_mask = false;
  CommonOptions common;
};

// Also true for a model that is not significant, which the user may still want.
bool has_model(const EstimateResult& r) { return r.ok() || r.outcome == Outcome::not_significant; }
bool has_pose(const EstimateResult& r) {
  return has_model(r) || r.outcome == Outcome::rotation_only;
}

// Adds the JSON members common to the results of all estimators.
void add_result(const EstimateResult& r, const Options& o, const Device& device, Json& json) {
  json["inliers"] = r.num_inliers;
  json["matches"] = r.inliers.size();
  json["rms"] = r.rms;
  json["significance"] = r.significance;
  json["iterations"] = r.iterations;
  json["device"] = device.info().id;
  json["seed"] = o.robust.seed;
  json["not_finite"] = r.not_finite;
  if (o.has_mask) json["inlier_mask"] = r.inliers;
}

ModelKind kind_of(const std::string& model) {
  for (const ModelKind kind : kModelKinds) {
    if (model == to_string(kind)) return kind;
  }
  throw Error(ErrorCode::usage, fmt::format("estimate {}: no such model", model));
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const ModelKind kind : kModelKinds) names.emplace_back(to_string(kind));
  return names;
}

// Returns whether the problem needs only the principal point of the camera.
bool takes_principal_point(const ProblemInfo& problem) {
  return problem.estimates_focal_length || problem.estimates_distortion;
}
bool takes_principal_point(const std::string& model) {
  return takes_principal_point(problem_info(kind_of(model)));
}

Cameras needed_cameras(const Options& o) {
  Cameras cameras = given_cameras(o.cameras);
  if (!cameras.known()) {
    throw Error(ErrorCode::usage,
                fmt::format("estimate {}: needs {}--intrinsics or --calib", o.kind,
                            takes_principal_point(o.kind) ? "--principal-point, " : ""));
  }
  warn(cameras.lens_doubt);
  return cameras;
}

// Returns a camera with square pixels and focal length 1. If distortion is estimated, the focal
// length, which is its unit, is the distance between the principal point and the image corner.
Intrinsics camera_at(const std::string& principal_point, const ProblemInfo& problem) {
  try {
    Intrinsics camera = parse_intrinsics("1,1," + principal_point);
    if (problem.estimates_distortion) camera.fx = camera.fy = std::hypot(camera.cx, camera.cy);
    return camera;
  } catch (const Error&) {
    throw Error(ErrorCode::usage,
                fmt::format("--principal-point \"{}\": expected cx,cy in px", principal_point));
  }
}

// Adds the focal length; its deviation is null if the views do not determine it.
void add_focal(const EstimateResult& r, Json& json) {
  json["focal_length"] = r.focal_length;
  json["focal_deviation"] = nullptr;
  if (std::isfinite(r.focal_deviation)) json["focal_deviation"] = r.focal_deviation;
}

// Adds the distortion and its unit in px; the deviation is null if the views do not determine it.
void add_distortion(const EstimateResult& r, double unit, Json& json) {
  json["distortion"] = r.distortion;
  json["distortion_deviation"] = nullptr;
  if (std::isfinite(r.distortion_deviation)) json["distortion_deviation"] = r.distortion_deviation;
  json["distortion_unit"] = unit;
}

bool is_same(const Intrinsics& a, const Intrinsics& b) {
  return a.fx == b.fx && a.fy == b.fy && a.cx == b.cx && a.cy == b.cy;
}

std::vector<Intrinsics> cameras_for(const ProblemInfo& problem, const Options& o) {
  std::vector<Intrinsics> cameras;
  if (!o.principal_point.empty()) {
    cameras = {camera_at(o.principal_point, problem)};
  } else if (problem.cameras > 0) {
    const Cameras given = needed_cameras(o);
    cameras = {*given.camera1};
    if (problem.cameras > 1) {
      cameras.push_back(*given.camera2);
    } else if (problem.is_two_view && !is_same(*given.camera1, *given.camera2)) {
      throw Error(
          ErrorCode::usage,
          fmt::format("{}: two cameras, but estimate {} takes one camera for both images",
                      o.cameras.calib.empty() ? "--intrinsics2" : "--calib " + o.cameras.calib,
                      o.kind));
    }
  }
  return cameras;
}

// Estimates the model. For epipolar models also sets `repetition`.
EstimateResult estimate_points(Queue& queue, ModelKind kind, std::span<const Intrinsics> cameras,
                               const Options& o, Repetition& repetition) {
  const ProblemInfo problem = problem_info(kind);
  const EstimateInput input{.cameras = cameras, .options = o.robust};
  if (problem.takes_depths) return estimate(queue, kind, read_depth_pairs(o.points), input);
  if (!problem.is_two_view) return estimate(queue, kind, read_scene_points(o.points), input);
  const Correspondences given = read_correspondences(o.points);
  const EstimateInput two_views{.cameras = cameras,
                                .options = o.robust,
                                .priors = {.weights = given.weights, .qualities = given.qualities}};
  const EstimateResult r = estimate(queue, kind, given.points, two_views);
  repetition = find_repetition(queue, kind, given.points, r, two_views);
  return r;
}

// doubts: empty ones are skipped.
void print_outcome(Outcome outcome, const std::array<std::string, 2>& doubts, const Options& o,
                   Context& context) {
  for (const std::string& doubt : doubts) {
    if (doubt.empty()) continue;
    warn(fmt::format("{}: {}", o.points, doubt));
    if (o.is_strict) context.exit_code = kExitNoGeometry;
  }
  if (outcome == Outcome::ok) return;
  print_note(fmt::format("{}: no geometry found: {}", o.points, reason_text(to_string(outcome))));
  context.exit_code = kExitNoGeometry;
}

void run(const Options& o, Context& context) {
  Queue queue(chosen_device(o.common));
  const ThreadLimit limit(o.common.threads);
  const ModelKind kind = kind_of(o.kind);
  const ProblemInfo problem = problem_info(kind);
  if (!o.principal_point.empty() && !takes_principal_point(problem))
    throw Error(ErrorCode::usage, fmt::format("--principal-point: estimate {} takes none", o.kind));
  Json json;
  Outcome outcome;
  Repetition repetition;
  std::string camera_doubt;
  if (kind == ModelKind::essential) {  // also adds the triangulation
    const Cameras cameras = needed_cameras(o);
    const Correspondences given = read_correspondences(o.points);
    const std::array both = {*cameras.camera1, *cameras.camera2};
    const EstimateInput input{.cameras = both,
                              .options = o.robust,
                              .priors = {.weights = given.weights, .qualities = given.qualities}};
    const RelativePoseResult r =
        estimate_relative_pose(queue, ModelKind::essential, given.points, input);
    repetition = find_repetition(queue, kind, given.points, r, input);
    outcome = r.outcome;
    json["outcome"] = to_string(r.outcome);
    if (has_model(r)) json["model"] = model_json(kind, r.model);
    if (has_pose(r)) json["pose"] = pose_json(r.pose);
    json["in_front"] = r.in_front;
    json["median_parallax_deg"] = r.median_parallax_deg;
    camera_doubt = mirror_doubt(queue, kind, given.points, input, r);
    if (!camera_doubt.empty()) json["doubt"] = camera_doubt;
    add_result(r, o, queue.device(), json);
  } else {
    const std::vector<Intrinsics> cameras = cameras_for(problem, o);
    const EstimateResult r = estimate_points(queue, kind, cameras, o, repetition);
    outcome = r.outcome;
    json["outcome"] = to_string(r.outcome);
    if (has_model(r) && problem.is_two_view) json["model"] = model_json(kind, r.model);
    if (has_pose(r) && problem.has_pose) json["pose"] = pose_json(r.pose);
    if (has_pose(r) && problem.estimates_focal_length) add_focal(r, json);
    if (has_model(r) && problem.estimates_distortion) add_distortion(r, cameras.front().fx, json);
    add_result(r, o, queue.device(), json);
  }
  if (outcome == Outcome::ok && problem.is_two_view)
    json["repetition"] = repetition_json(repetition);
  if (outcome != Outcome::ok) json["reason"] = reason_text(to_string(outcome));
  print_out(to_text(json));
  print_outcome(outcome, {camera_doubt, repetition.reason}, o, context);
}

}  // namespace

void add_estimate(Program& program, Context& context) {
  const Command command =
      program.command("estimate", "Estimate a model from point correspondences; JSON on stdout");
  const auto o = std::make_shared<Options>();
  command
      .option("KIND", o->kind,
              fmt::format("{}; absolute_pose and camera_pose_focal take scene points",
                          fmt::join(kind_names(), ", ")))
      .required()
      .one_of(kind_names());
  const Option points = command.option(
      "--points", o->points,
      "rows of x1 y1 x2 y2 [weight >= 0: how much a match counts], or an .npz with keypoints0, "
      "keypoints1 and matches; for absolute_pose and camera_pose_focal: x y X Y Z; for "
      "monodepth_shared_focal: x1 "
      "y1 "
      "x2 y2 depth1 depth2");
  add_camera_options(command, o->cameras);
  const Option centre =
      command.option("--principal-point", o->principal_point,
                     "cx,cy in px, for models that estimate the focal length or the distortion, "
                     "instead of --intrinsics or --calib; from these they take only cx,cy, the "
                     "ratio of the focal lengths, and fx as the unit of the distortion (here it is "
                     "the distance of cx,cy from the image corner)");
  for (const char* name : {"--intrinsics", "--intrinsics2", "--calib"})
    centre.excludes(command.get(name));
  add_scene_options(command, o->scenes, points);
  add_robust_options(command, o->robust);
  command.flag("--strict", o->is_strict, kStrictHelp);
  command.flag("--mask", o->has_mask, "print inlier_mask too: 1 for each inlier, 0 for the others");
  for (const char* name : {"--strict", "--mask"})  // outcomes of many pairs are in a file
    command.get(name).excludes(command.get("--scenes"));
  add_common(command, o->common);
  command.runs([o, &context, points] {
    if (!o->scenes.scenes.empty()) {
      return run_scene_file(kind_of(o->kind), o->scenes, o->robust, o->common, context);
    }
    if (!points.given()) {
      throw Error(ErrorCode::usage, "--points is required\nSee bifocal estimate --help");
    }
    run(*o, context);
  });
}

}  // namespace bifocal::cli
