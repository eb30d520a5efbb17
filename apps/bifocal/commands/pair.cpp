// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/two_photographs.hpp>
#include <bifocal/device.hpp>
#include <bifocal/version.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <tuple>

#include "cameras.hpp"
#include "cli.hpp"
#include "interrupt.hpp"
#include "jobs/depth_files.hpp"
#include "option_fields.hpp"
#include "jobs/output_folder.hpp"
#include "jobs/pair_files.hpp"
#include "picture.hpp"
#include "progress.hpp"
#include "jobs/report/pair_report.hpp"
#include "robust_options.hpp"
#include "sift_flags.hpp"
#include "jobs/stage_times.hpp"

namespace bifocal::cli {
namespace {

struct Options {
  std::string left, right, out, features = "rootsift", mask1, mask2, matches;
  CameraOptions cameras;
  PairOptions pair;
  bool is_strict = false, all_files = false, overwrite = false;
  CommonOptions common;
};

ImageU8 read_mask(const std::string& file) {
  return file.empty() ? ImageU8{} : bifocal::read_mask(file);
}
// The message names the file if its size differs from the image.
void check_mask(const std::string& file, const ImageU8& mask, const ImageU8& image) {
  if (mask.empty() || (mask.width == image.width && mask.height == image.height)) return;
  throw Error(ErrorCode::usage, fmt::format("{}: mask of {} x {} px, the image has {} x {}", file,
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

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Returns a sentence if the photographs are rectified already: the rows of the inliers agree, and
// their columns differ much more. Empty otherwise.
std::string rectified_text(const Options& o, const PairResult& r) {
  constexpr int kLeast = 30;
  if (r.kind == ModelKind::homography || r.estimate.num_inliers < kLeast) return "";
  std::vector<double> columns, rows;
  for (std::size_t i = 0; i < r.points.size(); ++i) {
    if (!r.estimate.inliers[i]) continue;
    columns.push_back(std::abs(r.points[i].x2 - r.points[i].x1));
    rows.push_back(std::abs(r.points[i].y2 - r.points[i].y1));
  }
  const double off = median_of(std::move(rows));
  if (off > 0.5 || median_of(std::move(columns)) < 10 * off) return "";
  return fmt::format(
      "rows of the inliers differ by {:.2f} px in the median: the photographs are rectified, and "
      "bifocal stereo {} {} matches them as they are\n",
      off, o.left, o.right);
}

// cloud_points: points of cloud.ply.
std::string summary(const Options& o, const PairResult& r, std::size_t cloud_points,
                    const OutputFolder& folder) {
  std::string text;
  if (r.outcome == Outcome::ok) {
    text = fmt::format("{}: {} of {} matches are inliers\n{}\n", to_string(r.kind),
                       r.estimate.num_inliers, r.points.size(), r.reason);
    text += rectified_text(o, r);
    if (const std::string estimated = estimated_camera_text(r.estimated_camera); !estimated.empty())
      text += estimated + "\n";
    if (const std::string deviation = pose_deviation_text(r); !deviation.empty())
      text += fmt::format("standard deviation of the pose: {}\n", deviation);
    text += r.dense ? depth_text(*r.dense, cloud_points)
                    : fmt::format("no depth: {}\n", r.dense_reason);
  }
  if (const std::string tries = tries_text(r.tries); !tries.empty()) text += tries + "\n";
  return text + fmt::format("report: {}\n", (folder.path() / "report.html").string());
}

void set_cameras(const Cameras& cameras, PairOptions& pair) {
  if (pair.kind == ModelRequest::essential && !cameras.known())
    throw Error(
        ErrorCode::usage,
        "--kind essential: needs --intrinsics or --calib (the files have no EXIF focal lengths)");
  pair.camera1 = cameras.camera1;
  pair.camera2 = cameras.camera2;
  if (cameras.is_exif) pair.lens_is_unknown = true;
}

void warn_of_exif(const Cameras& cameras, const PairPhotograph& first,
                  const PairPhotograph& second) {
  for (const PairPhotograph& p : {std::cref(first), std::cref(second)})
    if (!cameras.known() && !p.exif_doubt.empty())
      warn(fmt::format("{}: EXIF: {}, ignored", p.file, p.exif_doubt));
}

// Prints warnings and sets the exit code.
void print_doubts(const Options& o, const PairResult& result, Context& context) {
  for (const std::string& doubt : {result.doubt, result.repetition.reason}) warn(doubt);
  if (o.is_strict && result.is_doubted()) context.exit_code = kExitNoGeometry;
  if (result.outcome != Outcome::ok) {
    print_note(fmt::format("{}, {}: no geometry found: {}", o.left, o.right, result.reason));
    context.exit_code = kExitNoGeometry;
  }
}

Correspondences read_matches(const Options& o, const ImageU8& image1, const ImageU8& image2) {
  if (o.matches.empty()) return {};
  Correspondences given = read_correspondences(o.matches);
  check_inside(o.matches, given, {o.left, image1.width, image1.height},
               {o.right, image2.width, image2.height});
  return given;
}

void run(Options o, Context& context) {
  StageTimes& times = context.times;
  times.end("start");
  std::future<Device> device = starting_device(o.common);
  OutputFolder folder(o.out,
                      {.names = pair_file_names(),
                       .inputs = {o.left, o.right, o.cameras.calib, o.mask1, o.mask2, o.matches},
                       .overwrite = o.overwrite,
                       .argument = "--out"});
  const ThreadLimit limit(o.common.threads);
  const bool is_parallel = o.common.threads != 1;
  std::future<PairPhotograph> other =
      std::async(is_parallel ? std::launch::async : std::launch::deferred,
                 [&] { return read_photograph(o.right); });
  const PairPhotograph first = read_photograph(o.left), second = other.get();
  const ImageU8 &image1 = first.image, &image2 = second.image;
  const Cameras cameras = cameras_of(o.cameras, first, second);
  warn_of_exif(cameras, first, second);
  set_cameras(cameras, o.pair);
  times.end("reading");
  Queue queue(device.get());
  times.end("device");
  const ImageU8 mask1 = read_mask(o.mask1), mask2 = read_mask(o.mask2);
  check_mask(o.mask1, mask1, image1);
  check_mask(o.mask2, mask2, image2);
  const Correspondences given = read_matches(o, image1, image2);
  PairInput input{.mask1 = mask1, .mask2 = mask2};
  if (!o.matches.empty()) input.matches = given.points;
  set_features(o, o.pair);
  times.end("reading");

  PairResult result;
  WrittenPair written;
  {
    Progress progress(100, "%", Work::stages);
    o.pair.progress = [&](std::string_view stage, double fraction) {
      progress.update(90 * fraction, stage);
    };
    result = estimate_pair(queue, first.view(), second.view(), o.pair, input);
    times.end(result.timings);
    result.timings = times.times();
    progress.update(90, "files");
    written = write_pair_files({first, second, context.command_line, cameras, result,
                                queue.device().info().id, o.pair.robust.seed, o.all_files},
                               folder);
    announce_interruption(kFilesWritten);
  }
  print_lost_disparities(written.lost_disparities, o.all_files);
  print_out(o.common.json ? written.geometry : summary(o, result, written.cloud_points, folder));
  print_doubts(o, result, context);
}

void add_feature_options(const Command& command, Options& o) {
  const HelpGroup group(command, "Features");
  command
      .option("--features", o.features, "rootsift, sift or surf (under patents until about 2027)")
      .one_of({"rootsift", "sift", "surf"})
      .shows_default();
  command.option("--mask1", o.mask1, "image: no features of LEFT where it is black");
  command.option("--mask2", o.mask2, "image: no features of RIGHT where it is black");
  command
      .option("--matches", o.matches,
              "file with rows x1 y1 x2 y2 in px, or NPZ of another matcher, instead of features")
      .excludes(command.get("--mask1"))
      .excludes(command.get("--mask2"));
}

constexpr const char* kDenseGroup = "Dense matching";  // heading in --help

// One end of the dense search.
void add_search_end(const Command& command, const char* name, std::optional<int>& end,
                    const char* help) {
  const HelpGroup group(command, kDenseGroup);
  command.option(name, end, help).in_range(Range::within(-1e5, 1e5));
}

}  // namespace

void add_pair(Program& program, Context& context) {
  const Command command = program.command(
      "pair", "Match two photographs and estimate model, pose and depth, with an HTML report");
  const auto o = std::make_shared<Options>();
  command.option("LEFT", o->left, "first photograph: " + image_formats()).required();
  command.option("RIGHT", o->right, "second photograph").required();
  command.option("--out", o->out, "output folder, created if missing").required();
  add_camera_options(command, o->cameras);
  add_feature_options(command, *o);
  PairOptions& p = o->pair;
  SiftOptions& sift = p.sift;
  MatchOptions& m = p.matching;
  add_flags(
      command, p,
      FlagChanges()
          .leave_out(p.robust, p.max_dense_pixels)
          .leave_out(sift.octave_layers, sift.contrast_threshold, sift.edge_threshold)
          .leave_out(sift.sigma, sift.upsample, sift.root)
          .leave_out(m.mutual, m.ratio_both_ways, m.max_distance)
          .change(sift.max_features, {.range = Range::within(0, 1e6)})
          .change(m.max_ratio, {.name = "--ratio", .range = Range::within(0.1, 1)})
          .change(p.near_depth, {.name = "--near", .shows_default = false, .group = kDenseGroup})
          .change(p.far_depth, {.name = "--far", .shows_default = false, .group = kDenseGroup})
          .change(p.lens_is_unknown, {.group = kCamerasGroup})
          .change(p.focal_deviation, {.shows_default = false, .group = kCamerasGroup})
          .change(p.principal_point_deviation, {.shows_default = false, .group = kCamerasGroup})
          .change(p.escalate, {.help = "do not try affine shapes and guided matching if the result "
                                       "is rejected, doubted or has fewer than 50 inliers"})
          .change(p.dense,
                  {.help = "skip rectification, dense matching and depth", .group = kDenseGroup}));
  for (auto [name, end, help] : {std::tuple{"--min-disparity", &p.min_disparity,
                                            "first disparity of the dense search, px of the "
                                            "rectified pair; default: from the matches"},
                                 std::tuple{"--max-disparity", &p.max_disparity,
                                            "end of the dense search: disparities below this"}})
    add_search_end(command, name, *end, help);
  add_robust_options(command, p.robust);
  command.flag("--overwrite", o->overwrite, kOverwriteHelp);
  command.flag("--strict", o->is_strict, kStrictHelp);
  command.renamed("--model", "--kind");
  command.flag("--all-files", o->all_files,
               "also write the full cloud, filled and raw disparities and the deviation of the "
               "depth as PFM, and pictures of matches, disparity and depth");
  add_common(command, o->common);
  command.runs([o, &context] { run(*o, context); });
}

}  // namespace bifocal::cli
