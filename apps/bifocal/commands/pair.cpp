// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/two_photographs.hpp>
#include <bifocal/device.hpp>
#include <bifocal/version.hpp>

#include <cmath>
#include <functional>
#include <memory>
#include <tuple>
#include <nlohmann/json.hpp>

#include "cameras.hpp"
#include "cli.hpp"
#include "depth_files.hpp"
#include "disparity_files.hpp"
#include "option_fields.hpp"
#include "output_folder.hpp"
#include "progress.hpp"
#include "report/pair_figures.hpp"
#include "report/pair_report.hpp"
#include "result_json.hpp"
#include "robust_options.hpp"
#include "sift_flags.hpp"

namespace bifocal::cli {
namespace {

struct Options {
  std::string left, right, out, features = "rootsift", mask1, mask2;
  CameraOptions cameras;
  PairOptions pair;
  bool is_strict = false;
  CommonOptions common;
};

const std::vector<std::string> kFiles = {"geometry.json",
                                         "matches.txt",
                                         "matches.png",
                                         "report.html",
                                         "rectified_left.png",
                                         "rectified_right.png",
                                         "disparity.pfm",
                                         "disparity_raw.pfm",
                                         "disparity.png",
                                         "disparity_turbo.png",
                                         "cloud.ply",
                                         "depth.pfm",
                                         "depth.png",
                                         "depth_deviation.pfm",
                                         "rectification.npz",
                                         "undistorted_left.png",
                                         "undistorted_right.png",
                                         "polar.npz"};  // polar.npz: of older versions

// Row of matches.txt: x1 y1 x2 y2 inlier, px, exact to the float that the detector gave.
std::string matches_text(const PairResult& r) {
  std::string text = "# x1 y1 x2 y2 inlier\n";
  for (std::size_t i = 0; i < r.points.size(); ++i) {
    const auto& p = r.points[i];
    const bool inlier = r.model.ok() && r.model.inliers[i];
    fmt::format_to(std::back_inserter(text), "{:.9g} {:.9g} {:.9g} {:.9g} {}\n", p.x1, p.y1, p.x2,
                   p.y2, int{inlier});
  }
  return text;
}

Json image_json(const std::string& file, const ImageU8& image, std::size_t features) {
  return {{"file", file}, {"width", image.width}, {"height", image.height}, {"features", features}};
}

Json dense_json(const DensePair& dense) {
  const auto& [left, right] = dense.rectification.sides;
  const DepthSummary depth = summary_of(dense.depth);
  Json json = {{"left_image", 1},
               {"rectification", to_string(dense.rectification.kind)},
               {"rectification_reason", dense.choice.reason},
               {"reversed", dense.rectification.is_reversed},
               {"min_disparity", dense.min_disparity},
               {"disparities", dense.disparities},
               {"disparity_png_scale", disparity_png_scale(dense.disparity.raw)},
               {"density", dense.disparity.density},
               {"depth_cameras", to_string(dense.cameras)},
               {"depth_camera1", intrinsics_json(dense.camera1)},
               {"depth_camera2", intrinsics_json(dense.camera2)},
               {"depth_pose", pose_json(dense.cam2_from_cam1)},
               {"depth_known", depth.known},
               {"depth_median", depth.median},
               {"depth_deviation", depth.relative_deviation},
               {"cloud_points", dense.cloud.size()}};
  if (dense.cameras == CameraSource::estimated) json["focal_deviation"] = dense.focal_deviation;
  if (dense.rectification.kind == RectificationKind::polar) return json;
  json["H_left"] = left.H;
  json["H_right"] = right.H;
  if (left.camera.valid()) {
    json["left_camera"] = intrinsics_json(left.camera);
    json["right_camera"] = intrinsics_json(right.camera);
  }
  return json;
}

// Returns what was estimated of a camera that was not given; null if nothing was.
Json estimated_camera_json(const PairResult& r, const ImageU8& image) {
  const EstimatedCamera& estimated = r.estimated_camera;
  Json json;
  if (estimated.focal_length > 0) {
    json["focal_length"] = estimated.focal_length;
    json["focal_deviation"] = estimated.focal_deviation;
  }
  if (estimated.distortion != 0) {
    json["distortion"] = estimated.distortion;
    json["distortion_deviation"] = estimated.distortion_deviation;
    json["distortion_unit"] = std::hypot(image.width, image.height) / 2;
    json["undistorted_scale"] = r.undistorted->scale;
  }
  return json;
}

// Everything but the times is the same for one seed, whatever the number of threads.
Json geometry_json(const Options& o, const ImageU8& image1, const ImageU8& image2,
                   const Cameras& cameras, const PairResult& r) {
  Json json = {
      {"version", BIFOCAL_VERSION}, {"outcome", to_string(r.outcome)}, {"reason", r.reason}};
  json["images"] = {image_json(o.left, image1, r.keypoints1.size()),
                    image_json(o.right, image2, r.keypoints2.size())};
  if (!r.doubt.empty()) json["doubt"] = r.doubt;
  if (r.outcome == Outcome::ok) json["repetition"] = repetition_json(r.repetition);
  if (r.outcome == Outcome::ok) json["model"] = model_json(r.kind, r.model.model);
  if (r.cam2_from_cam1) {
    json["pose"] = pose_json(*r.cam2_from_cam1);
    json["in_front"] = r.in_front;
    json["median_parallax_deg"] = r.median_parallax_deg;
  }
  if (const Json estimated = estimated_camera_json(r, image1); !estimated.is_null())
    json["estimated_camera"] = estimated;
  json["inliers"] = r.model.ok() ? r.model.inlier_count : 0;
  json["matches"] = r.points.size();
  json["iterations"] = r.model.iterations;
  json["rms"] = r.model.ok() ? r.model.rms : 0;
  if (cameras.known()) {
    json["cameras"] = {{"source", cameras.source},
                       {"first", intrinsics_json(*cameras.camera1)},
                       {"second", intrinsics_json(*cameras.camera2)}};
  }
  if (r.dense) {
    json["dense"] = dense_json(*r.dense);
  } else {
    json["dense_reason"] = r.dense_reason;
  }
  json["device"] = o.pair.device.info().id;
  json["seed"] = o.pair.robust.seed;
  return json;
}

// With times, as timings_ms.
Json tries_json(const std::vector<PairTry>& tries) {
  Json json = Json::array();
  for (const PairTry& t : tries)
    json.push_back({{"name", t.name},
                    {"outcome", to_string(t.outcome)},
                    {"doubted", t.is_doubted},
                    {"inliers", t.inliers},
                    {"taken", t.is_taken},
                    {"ms", t.ms}});
  return json;
}

ImageU8 read_mask(const std::string& file) {
  return file.empty() ? ImageU8{} : bifocal::read_mask(file);
}
// Where it is not of the picture's size, the message names the file.
void check_mask(const std::string& file, const ImageU8& mask, const ImageU8& image) {
  if (mask.empty() || (mask.width == image.width && mask.height == image.height)) return;
  throw Error(ErrorCode::usage, fmt::format("{}: mask of {} x {} px, the picture has {} x {}", file,
                                            mask.width, mask.height, image.width, image.height));
}

void set_features(const Options& o, PairOptions& pair) {
  pair.sift.root = o.features == "rootsift";
  if (o.features != "surf") return;
  refuse_sift_flags(pair.sift, "surf");
  pair.surf.emplace();
  pair.surf->max_features = pair.sift.max_features;
  pair.surf->balance = pair.sift.balance;
}

std::string summary(const PairResult& r, const OutputFolder& folder) {
  std::string text;
  if (r.outcome == Outcome::ok) {
    text = fmt::format("{}: {} of {} matches are inliers\n{}\n", to_string(r.kind),
                       r.model.inlier_count, r.points.size(), r.reason);
    if (const std::string estimated = estimated_camera_text(r.estimated_camera); !estimated.empty())
      text += estimated + "\n";
    const std::string& why = r.dense_reason;
    text += r.dense ? depth_text(*r.dense)
                    : fmt::format("no depth: {}\n", why.empty() ? "it was not asked for" : why);
  }
  if (const std::string tries = tries_text(r.tries); !tries.empty()) text += tries + "\n";
  return text + fmt::format("report: {}\n", (folder.path() / "report.html").string());
}

void write_all(const Options& o, const ImageU8& image1, const ImageU8& image2,
               const Cameras& cameras, const PairResult& r, const Json& geometry,
               const std::string& command_line, OutputFolder& folder) {
  write_file(folder.staged("geometry.json"), to_text(geometry));
  write_file(folder.staged("matches.txt"), matches_text(r));
  const PairFigures figures(image1, image2, r.points, r.model);
  const ImageU8 matches = figures.matches();
  write_png(folder.staged("matches.png"), matches);
  ImageU8 turbo;
  if (r.undistorted) {
    write_png(folder.staged("undistorted_left.png"), r.undistorted->image1);
    write_png(folder.staged("undistorted_right.png"), r.undistorted->image2);
  }
  if (r.dense) {
    write_png(folder.staged("rectified_left.png"), r.dense->left);
    write_png(folder.staged("rectified_right.png"), r.dense->right);
    turbo = write_disparity_files(folder, r.dense->disparity);
    write_depth_files(folder, r.dense->depth);
    write_rectification(folder.staged("rectification.npz"), r.dense->rectification);
    write_ply(folder.staged("cloud.ply"), r.dense->cloud);
  }
  write_file(folder.staged("report.html"),
             pair_report({o.left, o.right, command_line, image1, image2, r, cameras, figures,
                          matches, turbo, r.timings}));
}

void run(Options o, Context& context) {
  std::future<Device> device = starting_device(o.common);
  const ThreadLimit limit(o.common.threads);
  const bool is_parallel = o.common.threads != 1;
  std::future<Photograph> other =
      std::async(is_parallel ? std::launch::async : std::launch::deferred,
                 [&] { return read_photograph(o.right); });
  const Photograph first = read_photograph(o.left), second = other.get();
  const ImageU8 &image1 = first.image, &image2 = second.image;
  const Cameras cameras = cameras_of(o.cameras, first, second);
  for (const Photograph& p : {std::cref(first), std::cref(second)})
    if (!cameras.known() && !p.exif_doubt.empty())
      warn(fmt::format("{}: EXIF: {}, left out", p.file, p.exif_doubt));
  if (o.pair.model == ModelRequest::essential && !cameras.known()) {
    throw Error(
        ErrorCode::usage,
        "--model essential: needs --intrinsics or --calib (the files hold no EXIF focal lengths)");
  }
  o.pair.device = device.get();
  const ImageU8 mask1 = read_mask(o.mask1), mask2 = read_mask(o.mask2);
  check_mask(o.mask1, mask1, image1);
  check_mask(o.mask2, mask2, image2);
  OutputFolder folder(o.out, kFiles, {o.left, o.right, o.cameras.calib, o.mask1, o.mask2});
  o.pair.camera1 = cameras.camera1;
  o.pair.camera2 = cameras.camera2;
  if (cameras.is_exif) o.pair.lens_is_unknown = true;
  o.pair.mask1 = mask1;
  o.pair.mask2 = mask2;
  set_features(o, o.pair);

  PairResult result;
  Json geometry;
  {
    Progress progress(100, "%");
    o.pair.progress = [&](std::string_view stage, double fraction) {
      progress.update(90 * fraction, stage);
    };
    result = estimate_pair(image1, image2, o.pair);
    progress.update(90, "report");
    geometry = geometry_json(o, image1, image2, cameras, result);
    for (const StageTime& t : result.timings) geometry["timings_ms"][t.stage] = t.ms;
    if (result.tries.size() > 1) geometry["tries"] = tries_json(result.tries);
    write_all(o, image1, image2, cameras, result, geometry, context.command_line, folder);
    folder.commit();
  }
  print_out(o.common.json ? to_text(geometry) : summary(result, folder));
  for (const std::string& doubt : {result.doubt, result.repetition.reason}) warn(doubt);
  if (o.is_strict && result.repetition.is_doubted) context.exit_code = kExitNoGeometry;
  if (result.outcome != Outcome::ok) {
    tell(fmt::format("{}, {}: no geometry found: {}", o.left, o.right, result.reason));
    context.exit_code = kExitNoGeometry;
  }
}

}  // namespace

void add_pair(Program& program, Context& context) {
  const Command command =
      program.command("pair", "Two photographs in: matches, model, pose, depth and a report out");
  const auto o = std::make_shared<Options>();
  command.option("LEFT", o->left, "first photograph: JPEG, PNG, PGM or PPM").required();
  command.option("RIGHT", o->right, "second photograph").required();
  command.option("--out", o->out, "folder for the results, made when missing").required();
  add_camera_options(command, o->cameras);
  command
      .option("--features", o->features, "rootsift, sift or surf (under patents until about 2027)")
      .one_of({"rootsift", "sift", "surf"})
      .shows_default();
  command.option("--mask1", o->mask1, "picture: features of LEFT only where it is not black");
  command.option("--mask2", o->mask2, "the same for RIGHT");
  PairOptions& p = o->pair;
  SiftOptions& sift = p.sift;
  MatchOptions& m = p.matching;
  add_flags(command, p,
            FlagChanges()
                .leave_out(p.robust, p.max_dense_pixels)
                .leave_out(sift.octave_layers, sift.contrast_threshold, sift.edge_threshold)
                .leave_out(sift.sigma, sift.upsample, sift.root)
                .leave_out(m.mutual, m.ratio_both_ways, m.max_distance)
                .change(sift.max_features, {.range = Range::within(0, 1e6)})
                .change(m.max_ratio, {.name = "--ratio", .range = Range::within(0.1, 1)})
                .change(p.near_depth, {.name = "--near", .shows_default = false})
                .change(p.far_depth, {.name = "--far", .shows_default = false})
                .change(p.dense, {.help = "don't rectify, match densely and make depth"}));
  for (auto [name, end, help] :
       {std::tuple{
            "--min-disparity", &p.min_disparity,
            "start of the dense search, px of the rectified pair; default: from the matches"},
        std::tuple{"--max-disparity", &p.max_disparity,
                   "end of the dense search: disparities below this"}})
    command.option(name, *end, help).in_range(Range::within(-1e5, 1e5));
  add_robust_options(command, p.robust);
  command.flag("--strict", o->is_strict, kStrictHelp);
  add_common(command, o->common);
  command.runs([o, &context] { run(*o, context); });
}

}  // namespace bifocal::cli
