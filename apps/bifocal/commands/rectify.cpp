// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/reasons.hpp>
#include <bifocal/rectify.hpp>
#include <bifocal/robust.hpp>
#include <bifocal/device.hpp>
#include <bifocal/version.hpp>

#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli.hpp"
#include "interrupt.hpp"
#include "option_fields.hpp"
#include "jobs/output_folder.hpp"
#include "picture.hpp"
#include "jobs/result_json.hpp"
#include "robust_options.hpp"

namespace bifocal::cli {
namespace {

struct Options {
  std::string left, right, out, calib, matches, method = "auto";
  RectifyOptions rectify;
  RobustOptions robust;
  bool overwrite = false;
  CommonOptions common;
};

const std::vector<std::string> kFiles = {"rectification.json", "left.png", "right.png",
                                         "rectification.npz",
                                         "polar.npz"};  // polar.npz: written by older versions

void write_resampled(Queue& queue, const SamplingMap& map, const Picture& p,
                     const std::filesystem::path& file) {
  const Remapper remapper(queue, map);
  if (p.deep.empty()) {
    write_png(file, remapper(queue, p.image));
  } else {
    write_png(file, remapper(queue, p.deep));
  }
}

// The rectification, or the reason why the pair has none.
struct Solution {
  Rectification rectification;
  RectificationChoice choice;
  std::vector<PointPair> matches;  // inliers of F; empty with --calib
  std::optional<double> baseline;  // with --calib
  std::optional<Mat3> F;           // with --matches
  std::string reason;              // in words; empty if the pair is rectified
};

bool wants_polar(const Options& o) { return o.method != "planar"; }

PolarOptions polar_options(const Options& o) {
  PolarOptions options;
  options.max_scale = 8 * o.rectify.max_scale;
  return options;
}

// Chooses between the planar and the polar rectification by --method.
void choose(const Options& o, Rectification planar, std::optional<Rectification> polar,
            Solution& s) {
  if (!polar) {
    s.choice = {false, stretch(planar), 0, "planar: --method planar"};
  } else {
    s.choice = choose_rectification(planar, *polar);
    if (o.method == "polar") {
      s.choice.is_polar = true;
      s.choice.reason = "polar: --method polar";
    }
  }
  s.rectification = s.choice.is_polar ? std::move(*polar) : std::move(planar);
  if (s.rectification.outcome != RectifyOutcome::ok)
    s.reason = reason_text(to_string(s.rectification.outcome));
}

Solution from_calibration(const Options& o, Calibration calibration, const Picture& left,
                          const Picture& right) {
  // A file without image sizes gets the sizes of the given images.
  for (auto [camera, picture] :
       {std::pair{&calibration.camera1, &left}, std::pair{&calibration.camera2, &right}}) {
    if (camera->width > 0) continue;
    camera->width = picture->width;
    camera->height = picture->height;
  }
  check_size(o.calib + ": camera 1 is for", calibration.camera1, o.left, left);
  check_size(o.calib + ": camera 2 is for", calibration.camera2, o.right, right);
  const Pose& pose = *calibration.cam2_from_cam1;
  const Vec3& t = pose.t;
  Solution s;
  s.baseline = std::hypot(t[0], t[1], t[2]);
  const Camera &one = calibration.camera1, &two = calibration.camera2;
  Rectification planar = rectify(one, two, pose, o.rectify);
  const bool has_lens = !one.distortion.none() || !two.distortion.none();
  if (has_lens && o.method == "polar")
    throw Error(ErrorCode::usage,
                o.calib + ": --method polar: needs cameras without lens distortion");
  std::optional<Rectification> polar;
  if (wants_polar(o) && !has_lens) polar = rectify_polar(one, two, pose, {}, polar_options(o));
  choose(o, std::move(planar), std::move(polar), s);
  if (has_lens && !s.reason.empty())
    s.reason += "; a polar rectification needs cameras without lens distortion";
  return s;
}

// Leaves out rows of weight 0, with which `pair` marks outliers.
Solution from_matches(const Options& o, const Correspondences& rows, const Picture& left,
                      const Picture& right) {
  check_inside(o.matches, rows, {o.left, left.width, left.height},
               {o.right, right.width, right.height});
  std::vector<PointPair> points;
  for (std::size_t i = 0; i < rows.points.size(); ++i)
    if (rows.weights.empty() || rows.weights[i] != 0) points.push_back(rows.points[i]);
  const EstimateResult f = estimate(ModelKind::fundamental, points, {.options = o.robust});
  Solution s;
  if (!f.ok()) {
    s.reason = fmt::format("no fundamental matrix: {}", reason_text(to_string(f.outcome)));
    return s;
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (f.inliers[i]) s.matches.push_back(points[i]);
  }
  s.F = f.model;
  Rectification planar = rectify_uncalibrated(f.model, s.matches, left.width, left.height,
                                              right.width, right.height, o.rectify);
  std::optional<Rectification> polar;
  if (wants_polar(o))
    polar = rectify_polar(f.model, s.matches, left.width, left.height, right.width, right.height,
                          polar_options(o));
  choose(o, std::move(planar), std::move(polar), s);
  return s;
}

Json camera_json(const Camera& c) {
  const Distortion& d = c.distortion;
  Json json = {{"width", c.width}, {"height", c.height}};
  json.update(intrinsics_json(c.intrinsics));
  json.update(Json{{"k1", d.k1},
                   {"k2", d.k2},
                   {"p1", d.p1},
                   {"p2", d.p2},
                   {"k3", d.k3},
                   {"k4", d.k4},
                   {"k5", d.k5},
                   {"k6", d.k6}});
  return json;
}

void add_polar(const Rectification& r, Json& json) {
  json.update(Json{{"scale", r.scale},
                   {"cyclic", r.is_cyclic},
                   {"overlap", r.overlap},
                   {"epipole1", r.sides[0].epipole},
                   {"epipole2", r.sides[1].epipole}});
}

void add_planar(const Rectification& r, const std::optional<double>& baseline, Json& json) {
  const auto& [left, right] = r.sides;
  json.update(Json{{"H1", left.H}, {"H2", right.H}});
  if (!left.camera.valid()) return;
  json.update(Json{{"camera1", intrinsics_json(left.camera)},
                   {"camera2", intrinsics_json(right.camera)},
                   {"R1", left.R},
                   {"R2", right.R},
                   {"input1", camera_json(left.input)},
                   {"input2", camera_json(right.input)},
                   {"baseline", *baseline},
                   {"doffs", right.camera.cx - left.camera.cx},
                   {"Q", reprojection_matrix(r, *baseline)}});
}

Json rectification_json(const Options& o, const Solution& s, const std::string& device) {
  const Rectification& r = s.rectification;
  Json json = {{"version", BIFOCAL_VERSION},
               {"left", r.is_swapped ? o.right : o.left},
               {"right", r.is_swapped ? o.left : o.right},
               {"device", device},
               {"method", to_string(r.kind)},
               {"reason", s.choice.reason},
               {"width", r.width},
               {"height", r.height},
               {"swapped", r.is_swapped},
               {"map", "rectification.npz"}};
  if (!r.doubt.empty()) json["doubt"] = r.doubt;
  if (r.kind == RectificationKind::polar)
    add_polar(r, json);
  else
    add_planar(r, s.baseline, json);
  if (s.F) {
    const DisparityRange range = disparity_range(r, s.matches);
    const VerticalDisparity rows = vertical_disparity(r, s.matches);
    json["F"] = *s.F;
    json["inliers"] = s.matches.size();
    json["seed"] = o.robust.seed;
    json["min_disparity"] = range.min;
    json["max_disparity"] = range.min + range.count;
    json["vertical_disparity"] = {{"median", rows.median}, {"percentile95", rows.percentile95}};
  }
  return json;
}

std::string summary(const Solution& s, const Json& json, const OutputFolder& folder) {
  std::string text = fmt::format(
      "rectified: {} x {} px{}\n{}\n", json["width"].get<int>(), json["height"].get<int>(),
      json["swapped"].get<bool>() ? ", RIGHT is the left image" : "", s.choice.reason);
  if (s.F) {
    text += fmt::format(
        "{} matches: rows differ by {:.3f} px (median), {:.3f} px (95 %)\n"
        "disparities: --min-disparity {} --max-disparity {}\n",
        s.matches.size(), json["vertical_disparity"]["median"].get<double>(),
        json["vertical_disparity"]["percentile95"].get<double>(), json["min_disparity"].get<int>(),
        json["max_disparity"].get<int>());
  }
  return text + fmt::format("images: {}\n", (folder.path() / "left.png").string());
}

void run(const Options& o, Context& context) {
  StageTimes& times = context.times;
  times.end("start");
  Queue queue(chosen_device(o.common));
  times.end("device");
  if (o.calib.empty() == o.matches.empty())
    throw Error(ErrorCode::usage, "rectify: needs either --calib or --matches");
  OutputFolder folder(o.out, {.names = kFiles,
                              .inputs = {o.left, o.right, o.calib, o.matches},
                              .overwrite = o.overwrite,
                              .argument = "--out"});
  const ThreadLimit limit(o.common.threads);
  Calibration calibration;
  Correspondences matches;
  if (!o.calib.empty()) calibration = read_pair_calibration(o.calib);
  if (!o.matches.empty()) matches = read_correspondences(o.matches);
  const Picture left = read_picture(o.left), right = read_picture(o.right);
  times.end("reading");
  const Solution s = o.calib.empty() ? from_matches(o, matches, left, right)
                                     : from_calibration(o, calibration, left, right);
  times.end("rectify");
  if (!s.rectification.doubt.empty()) warn(o.calib + ": " + s.rectification.doubt);
  if (!s.reason.empty()) {
    print_note(fmt::format("{}, {}: can't be rectified: {}", o.left, o.right, s.reason));
    context.exit_code = kExitNoGeometry;
    return;
  }
  const auto maps = sampling_maps(s.rectification);
  const bool swapped = s.rectification.is_swapped;
  write_resampled(queue, maps[0], swapped ? right : left, folder.staged("left.png"));
  write_resampled(queue, maps[1], swapped ? left : right, folder.staged("right.png"));
  write_rectification(folder.staged("rectification.npz"), s.rectification);
  Json json = rectification_json(o, s, queue.device().info().id);
  times.end("files");
  json["timings_ms"] = times_json(times.times());
  json["files"] = folder.record();
  write_file(folder.staged("rectification.json"), to_text(json));
  folder.commit();
  announce_interruption(kFilesWritten);
  print_out(o.common.json ? to_text(json) : summary(s, json, folder));
}

}  // namespace

void add_rectify(Program& program, Context& context) {
  const Command command = program.command(
      "rectify", "Resample a pair so that a scene point has the same row in both images");
  const auto o = std::make_shared<Options>();
  command.option("LEFT", o->left, "photograph of camera 1: " + image_formats()).required();
  command.option("RIGHT", o->right, "photograph of camera 2").required();
  command.option("--out", o->out, "output folder, created if missing").required();
  command.flag("--overwrite", o->overwrite, kOverwriteHelp);
  const Option calib = command.option("--calib", o->calib,
                                      "both cameras with distortion, R and t: COLMAP's camera "
                                      "lines, JSON, or OpenCV's YAML or XML (docs/formats.md)");
  command
      .option("--matches", o->matches,
              "rows of x1 y1 x2 y2 [weight]: uncalibrated rectification from their fundamental "
              "matrix; rows with weight 0 are ignored")
      .excludes(calib);
  add_flags(
      command, o->rectify,
      FlagChanges()
          .leave_out(o->rectify.max_angle_deg)
          .change(o->rectify.max_scale, {.help = "largest area of a rectified image, relative to "
                                                 "the larger input; polar: eight times this",
                                         .range = Range::within(1e-3, 16)}));
  command
      .option("--method", o->method,
              "planar: one homography per image; polar: rows along epipolar half lines, for any "
              "motion; auto: planar unless it scales pixels much more unevenly than polar")
      .one_of({"auto", "planar", "polar"})
      .shows_default();
  add_robust_options(command, o->robust);
  add_common(command, o->common);
  command.runs([o, &context] { run(*o, context); });
}

}  // namespace bifocal::cli
