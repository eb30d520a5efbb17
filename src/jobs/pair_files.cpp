// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/pair_files.hpp"

#include <fmt/format.h>
#include <bifocal/draw.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/version.hpp>

#include <cmath>
#include <nlohmann/json.hpp>

#include "jobs/depth_files.hpp"
#include "jobs/disparity_files.hpp"
#include "jobs/report/pair_figures.hpp"
#include "jobs/report/pair_report.hpp"
#include "jobs/result_json.hpp"
#include "jobs/stage_times.hpp"

namespace bifocal::jobs {
namespace {

// Writes a row of matches.txt: x1 y1 x2 y2 inlier, in px, with all digits of the detector's floats.
std::string matches_text(const PairResult& r) {
  std::string text = "# x1 y1 x2 y2 inlier\n";
  for (std::size_t i = 0; i < r.points.size(); ++i) {
    const auto& p = r.points[i];
    const bool inlier = r.estimate.ok() && r.estimate.inliers[i];
    fmt::format_to(std::back_inserter(text), "{:.9g} {:.9g} {:.9g} {:.9g} {}\n", p.x1, p.y1, p.x2,
                   p.y2, int{inlier});
  }
  return text;
}

Json image_json(const PairPhotograph& photograph, std::size_t features) {
  return {{"file", photograph.file},
          {"width", photograph.image.width},
          {"height", photograph.image.height},
          {"features", features}};
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
               {"cloud_points", dense.cloud.size()}};
  if (dense.has_deviation) json["depth_deviation"] = depth.relative_deviation;
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

// Returns the estimated parameters of a camera that was not given; null without an estimate.
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

Json pose_deviation_json(const PoseDeviation& deviation) {
  return {{"rotation_deg", deviation.rotation_deg},
          {"direction_deg", deviation.direction_deg},
          {"covariance", deviation.covariance}};
}

// Except for the durations, the result is the same for one seed and any number of threads.
Json without_times(const PairFiles& in) {
  const PairResult& r = in.result;
  Json json = {
      {"version", BIFOCAL_VERSION}, {"outcome", to_string(r.outcome)}, {"reason", r.reason}};
  json["images"] = {image_json(in.left, r.keypoints1.size()),
                    image_json(in.right, r.keypoints2.size())};
  if (!r.doubt.empty()) json["doubt"] = r.doubt;
  if (r.outcome == Outcome::ok) json["repetition"] = repetition_json(r.repetition);
  if (r.outcome == Outcome::ok) json["model"] = model_json(r.kind, r.estimate.model);
  if (r.cam2_from_cam1) {
    json["pose"] = pose_json(*r.cam2_from_cam1);
    if (r.pose_deviation.is_known) json["pose_deviation"] = pose_deviation_json(r.pose_deviation);
    json["in_front"] = r.in_front;
    json["median_parallax_deg"] = r.median_parallax_deg;
  }
  if (const Json estimated = estimated_camera_json(r, in.left.image); !estimated.is_null())
    json["estimated_camera"] = estimated;
  json["inliers"] = r.estimate.ok() ? r.estimate.num_inliers : 0;
  json["matches"] = r.points.size();
  json["iterations"] = r.estimate.iterations;
  json["rms"] = r.estimate.ok() ? r.estimate.rms : 0;
  if (in.cameras.known()) {
    json["cameras"] = {{"source", in.cameras.source},
                       {"first", intrinsics_json(*in.cameras.camera1)},
                       {"second", intrinsics_json(*in.cameras.camera2)}};
  }
  if (r.dense) {
    json["dense"] = dense_json(*r.dense);
  } else {
    json["dense_reason"] = r.dense_reason;
  }
  json["device"] = in.device;
  json["seed"] = in.seed;
  return json;
}

// Includes durations as timings_ms.
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

// Returns the points of cloud.ply: without all_files about kCloudPoints of them at most.
std::vector<CloudPoint> cloud_of_file(const PairFiles& in, const DensePair& dense) {
  constexpr double kCloudPoints = 500'000;
  const auto count = static_cast<double>(dense.cloud.size());
  if (in.all_files || count <= kCloudPoints) return dense.cloud;
  const ImageF& depth = dense.depth.depth;
  const int step = static_cast<int>(std::ceil(std::sqrt(count / kCloudPoints)));
  const ImageView<const std::uint8_t> image =
      in.result.undistorted ? ImageView<const std::uint8_t>(in.result.undistorted->image1)
                            : in.left.image;
  return depth_to_cloud(depth, to_rgb(image), dense.camera1, step);
}

// Writes the images and maps of the dense part. `turbo` becomes the disparities in colours. Returns
// the number of disparities that disparity.png stores as unknown.
std::int64_t write_dense_files(const PairFiles& in, const DensePair& dense,
                               const OutputFolder& folder, ImageU8& turbo) {
  write_png(folder.staged("rectified_left.png"), dense.left);
  write_png(folder.staged("rectified_right.png"), dense.right);
  write_rectification(folder.staged("rectification.npz"), dense.rectification);
  write_disparity_pfm(folder.staged("depth.pfm"), dense.depth.depth);
  turbo = disparity_picture(dense.disparity, dense.rectification.is_reversed);
  if (!in.all_files) return write_disparity_png(folder, dense.disparity);
  write_disparity_pfm(folder.staged("depth_deviation.pfm"), dense.depth.deviation);
  write_png(folder.staged("depth.png"), depth_picture(dense.depth));
  return write_disparity_files(folder, dense.disparity, turbo);
}

Json geometry_json(const PairFiles& in) {
  Json json = without_times(in);
  json["timings_ms"] = times_json(in.result.timings);
  if (in.result.tries.size() > 1) json["tries"] = tries_json(in.result.tries);
  return json;
}

}  // namespace

const std::vector<std::string>& pair_file_names() {
  static const std::vector<std::string> names = {
      "geometry.json",
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
      "polar.npz"};  // polar.npz: written by older versions
  return names;
}

WrittenPair write_pair_files(const PairFiles& in, OutputFolder& folder) {
  Json geometry = geometry_json(in);
  WrittenPair out;
  const PairResult& r = in.result;
  StageTimes times(r.timings);
  const auto staged = [&](const char* name) { return folder.staged(name); };
  write_file(staged("matches.txt"), matches_text(r));
  const PairFigures figures(in.left.image, in.right.image, r.points, r.estimate);
  if (in.all_files) write_png(staged("matches.png"), figures.matches());
  if (r.undistorted) {
    write_png(staged("undistorted_left.png"), r.undistorted->image1);
    write_png(staged("undistorted_right.png"), r.undistorted->image2);
  }
  ImageU8 turbo;
  if (r.dense) {
    out.lost_disparities = write_dense_files(in, *r.dense, folder, turbo);
    const std::vector<CloudPoint> cloud = cloud_of_file(in, *r.dense);
    write_ply(staged("cloud.ply"), cloud);
    out.cloud_points = cloud.size();
    geometry["dense"]["cloud_points"] = out.cloud_points;
  }
  times.end("files");
  const auto times_until_now = [&] {
    times.end("page");
    return times.times();
  };
  write_file(staged("report.html"),
             pair_report({in.left.file, in.right.file, in.command_line, in.python_left,
                          in.python_right, in.left.image, in.right.image, r, in.cameras, figures,
                          turbo, out.cloud_points, in.all_files, times_until_now}));
  geometry["timings_ms"] = times_json(times_until_now());
  geometry["files"] = folder.record();
  out.geometry = to_text(geometry);
  write_file(staged("geometry.json"), out.geometry);
  folder.commit();
  return out;
}

WrittenPair write_pair(const PairFiles& in, const std::filesystem::path& folder, bool overwrite) {
  OutputFolder out(folder, {.names = pair_file_names(),
                            .inputs = {in.left.file, in.right.file},
                            .overwrite = overwrite,
                            .inputs_are_files = in.has_files});
  return write_pair_files(in, out);
}

}  // namespace bifocal::jobs
