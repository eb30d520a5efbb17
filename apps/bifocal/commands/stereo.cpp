// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/camera.hpp>
#include <bifocal/draw.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/stereo.hpp>
#include <bifocal/two_photographs.hpp>
#include <bifocal/device.hpp>
#include <bifocal/version.hpp>

#include <cmath>
#include <memory>
#include <tuple>
#include <vector>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "cli.hpp"
#include "interrupt.hpp"
#include "jobs/disparity_files.hpp"
#include "jobs/output_folder.hpp"
#include "picture.hpp"
#include "progress.hpp"
#include "report/stereo_report.hpp"
#include "jobs/stage_times.hpp"
#include "stereo_method.hpp"

namespace bifocal::cli {
namespace {

struct Options {
  std::string left, right, out, truth, mask, calib;
  StereoMethod method;
  double truth_scale = 1.0;
  bool overwrite = false;
  CommonOptions common;
};

const std::vector<std::string> kFiles = {
    "stereo.json",   "report.html",         "disparity.pfm",  "disparity_raw.pfm",
    "disparity.png", "disparity_turbo.png", "confidence.png", "cloud.ply"};

// All input, which is read before the output folder is changed.
struct Inputs {
  Picture left, right;
  ImageU8 shown_left, shown_right;  // 8 bits, for the report
  std::optional<Calibration> calibration;
  std::optional<ImageF> truth;
  ImageU16 mask;
};

// Masks are read as images, so the colours of a palette count, not its indices.
ImageU16 first_channel(const ImageU8& image) {
  ImageU16 out(image.width, image.height);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) out.at(x, y) = image.at(x, y);
  }
  return out;
}

// SSD takes 8 bits; so does a pair of images with different depths.
void read_pictures(const Options& o, Inputs& in) {
  in.left = read_picture(o.left);
  in.right = read_picture(o.right);
  check_size(o.right + ":", in.right, o.left, in.left);
  const bool deep = !in.left.deep.empty() && !in.right.deep.empty() && o.method.method == "sgm";
  for (auto [picture, file, shown] : {std::tuple{&in.left, &o.left, &in.shown_left},
                                      std::tuple{&in.right, &o.right, &in.shown_right}}) {
    if (!picture->deep.empty()) *shown = read_image(*file);
    if (picture->deep.empty()) *shown = picture->image;
    if (!deep) *picture = {*shown, {}, picture->width, picture->height};
  }
}

std::string unrectified_text(const RectifiedPairCheck& check) {
  return fmt::format(
      "the pair is not rectified: the rows of {} matches differ by {:.1f} px in the median; run "
      "bifocal pair or bifocal rectify on the photographs",
      check.matches, check.row_offset);
}

// Range of disparities without --max-disparity: ndisp of the calibration, else from matches.
DisparityRange estimated_range(Queue& queue, const Options& o, const Inputs& in) {
  if (in.calibration && in.calibration->max_disparity > 0)
    return {0, in.calibration->max_disparity};
  const RectifiedPairCheck check = check_rectified_pair(queue, in.shown_left, in.shown_right);
  if (check.matches > 0 && !check.is_rectified)
    throw Error(ErrorCode::input,
                fmt::format("{}, {}: {}", o.left, o.right, unrectified_text(check)));
  if (check.range.count <= 0)
    throw Error(ErrorCode::input,
                fmt::format("{}, {}: too few matches to estimate the range of disparities; give "
                            "--max-disparity",
                            o.left, o.right));
  return check.range;
}

Inputs read_inputs(Options& o, Queue& queue, StageTimes& times) {
  Inputs in;
  if (!o.calib.empty()) in.calibration = read_calibration(o.calib);
  const bool has_range = o.method.max_disparity.has_value();
  if (has_range) finish(o.method, {});  // reports a wrong range before images are read
  read_pictures(o, in);
  times.end("reading");
  if (!has_range) {
    finish(o.method, estimated_range(queue, o, in));
    times.end("range");
  }
  if (in.calibration && in.calibration->camera1.width > 0) {
    check_size(o.calib + ": is for", in.calibration->camera1, o.left, in.left);
  }
  if (!o.truth.empty()) {
    in.truth = read_disparity(o.truth, o.truth_scale);
    check_size(o.truth + ":", *in.truth, o.left, in.left);
  }
  if (!o.mask.empty()) {
    in.mask = first_channel(read_image(o.mask));
    check_size(o.mask + ":", in.mask, o.left, in.left);
  }
  times.end("reading");
  return in;
}

Json stereo_json(const Options& o, const Inputs& in, const Device& device,
                 const DisparityMap& disparity, const std::optional<StereoScore>& score) {
  Json json = {{"version", BIFOCAL_VERSION}, {"left", o.left},
               {"right", o.right},           {"width", in.left.width},
               {"height", in.left.height},   {"device", device.info().id}};
  json.update(options_json(o.method));
  json["density"] = disparity.density;
  json["disparity_png_scale"] = disparity_png_scale(disparity.raw);
  if (score) {
    json.update({{"scored", score->scored},
                 {"bad1", score->bad1},
                 {"bad2", score->bad2},
                 {"avgerr", score->avgerr},
                 {"bad1_filled", score->bad1_filled},
                 {"bad2_filled", score->bad2_filled},
                 {"avgerr_filled", score->avgerr_filled}});
  }
  return json;
}

// Returns the doubt about a search that leaves out disparities of the matches, with the options
// of a search that does not.
std::string doubt_of_search(const Options& o, const RectifiedPairCheck& check) {
  const SgmOptions& search = o.method.sgm;
  const std::string doubt = search_doubt(check, search.min_disparity, search.disparities);
  if (doubt.empty()) return doubt;
  const auto& [min, count] = check.range;
  return fmt::format("{}: use {}--max-disparity {}", doubt,
                     min != 0 ? fmt::format("--min-disparity {} ", min) : "", min + count);
}

// Returns a reason why few pixels match: the images are exchanged, the pair is not rectified, or
// the search does not contain the disparities of the matches. `is_exchanged` is set in the first
// case.
std::string doubt_of_pair(Queue& queue, const Options& o, const Inputs& in, double density,
                          bool& is_exchanged) {
  // Exchanged pairs of Middlebury and OpenCV match in 6 to 15 % of the pixels, correct pairs in 80
  // to 96 %.
  constexpr double kFew = 40, kEnough = 75, kTimes = 2;  // per cent of the pixels
  if (density >= kEnough) return {};
  const bool has_few = density < kFew;
  const double exchanged = has_few ? match(queue, o.method, in.right, in.left).density : 0;
  is_exchanged = exchanged >= kFew && exchanged >= kTimes * density;
  if (!is_exchanged) {
    const RectifiedPairCheck check = check_rectified_pair(queue, in.shown_left, in.shown_right);
    if (check.matches > 0 && !check.is_rectified && has_few)
      return fmt::format("{:.1f} % of the pixels match: {}", density, unrectified_text(check));
    return doubt_of_search(o, check);
  }
  const auto [first, count] = std::pair(o.method.sgm.min_disparity, o.method.sgm.disparities);
  return fmt::format(
      "{:.1f} % of the pixels match, and {:.1f} % with the images exchanged: {} seems to be the "
      "left image; exchange them, or search --min-disparity {} --max-disparity {}",
      density, exchanged, o.right, 1 - first - count, 1 - first);
}

// Middlebury's doffs is the difference of the principal points. 0 is common for images that were
// shifted to the same principal point; then both cameras have it.
std::string doffs_doubt(const Options& o, const Calibration& calibration) {
  constexpr double kRounding = 0.1;  // px
  const double difference = calibration.camera2.intrinsics.cx - calibration.camera1.intrinsics.cx;
  if (std::abs(calibration.doffs - difference) <= kRounding) return {};
  return fmt::format(
      "{}: doffs is {:g} px, but the principal points of its cameras differ by {:g} px; depths and "
      "the cloud use doffs",
      o.calib, calibration.doffs, difference);
}

// Returns the doubts about calibration and disparities, one line for stderr each.
std::vector<std::string> doubts(const Options& o, const Inputs& in, const DisparityMap& disparity,
                                const std::string& sides) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& doubt) {
    if (!doubt.empty()) all.push_back(doubt);
  };
  // Rectified cameras with a known size may have a principal point far from the image centre.
  if (in.calibration && in.calibration->camera1.width == 0)
    for (const Camera& c : {in.calibration->camera1, in.calibration->camera2})
      if (const std::string doubt = intrinsics_doubt(c.intrinsics, in.left.width, in.left.height);
          all.empty() && !doubt.empty())
        all.push_back(o.calib + ": " + doubt);
  if (in.calibration) add(doffs_doubt(o, *in.calibration));
  add(sides.empty()
          ? disparity_doubt(disparity, o.method.sgm.min_disparity, o.method.sgm.disparities)
          : sides);
  return all;
}

// Returns the reason for a missing cloud despite a calibration; otherwise an empty string.
std::string why_no_cloud(const Options& o, const Inputs& in, bool is_exchanged) {
  if (!in.calibration) return {};
  if (!in.calibration->baseline) return o.calib + ": has no baseline, the distance of the cameras";
  return is_exchanged ? "the images seem to be exchanged" : "";
}

std::string summary(const DisparityMap& disparity, const std::optional<StereoScore>& s,
                    const OutputFolder& folder) {
  std::string text = fmt::format("density {:.2f} %\n", disparity.density);
  if (s) {
    text += fmt::format(
        "raw:    bad1 {:.2f} %, bad2 {:.2f} %, avgerr {:.3f} px\n"
        "filled: bad1 {:.2f} %, bad2 {:.2f} %, avgerr {:.3f} px\n",
        s->bad1, s->bad2, s->avgerr, s->bad1_filled, s->bad2_filled, s->avgerr_filled);
  }
  return text + fmt::format("report: {}\n", (folder.path() / "report.html").string());
}

// Writes the cloud, in the unit of the calibration file, if both cameras and the baseline are
// known. Returns its number of points.
std::optional<std::size_t> write_cloud(const Inputs& in, const DisparityMap& disparity,
                                       const OutputFolder& folder, const std::string& refusal) {
  if (!in.calibration || !refusal.empty()) return {};
  const auto cloud =
      disparity_to_cloud(disparity.raw, to_rgb(in.shown_left), in.calibration->camera1.intrinsics,
                         in.calibration->doffs, *in.calibration->baseline);
  write_ply(folder.staged("cloud.ply"), cloud);
  return cloud.size();
}

std::optional<StereoScore> score_of(const Options& o, const Inputs& in,
                                    const DisparityMap& disparity) {
  if (!in.truth) return {};
  const StereoScore score = score_disparity(disparity, *in.truth, in.mask);
  if (score.scored == 0) {
    throw Error(ErrorCode::input, fmt::format("{}: no pixel has a true disparity{}", o.truth,
                                              o.mask.empty() ? "" : " inside the mask " + o.mask));
  }
  return score;
}

void run(Options& o, Context& context) {
  StageTimes& times = context.times;
  times.end("start");
  const Device device = chosen_device(o.common);
  OutputFolder folder(o.out, {.names = kFiles,
                              .inputs = {o.left, o.right, o.calib, o.truth, o.mask},
                              .overwrite = o.overwrite,
                              .argument = "--out"});
  Queue queue(device);
  times.end("device");
  const ThreadLimit limit(o.common.threads);
  Progress progress(100, "%", Work::stages);
  const Inputs in = read_inputs(o, queue, times);
  progress.update(10, "dense");
  const DisparityMap disparity = match(queue, o.method, in.left, in.right);
  times.end("dense");
  const std::optional<StereoScore> score = score_of(o, in, disparity);

  progress.update(70, "report");
  bool is_exchanged = false;
  const std::string sides = doubt_of_pair(queue, o, in, disparity.density, is_exchanged),
                    no_cloud = why_no_cloud(o, in, is_exchanged);
  const std::vector<std::string> doubted = doubts(o, in, disparity, sides);
  Json json = stereo_json(o, in, device, disparity, score);
  if (!doubted.empty()) json["doubts"] = doubted;
  if (!no_cloud.empty()) json["cloud_reason"] = no_cloud;
  times.end("checks");
  const ImageU8 turbo = disparity_picture(disparity, false);
  print_lost_disparities(write_disparity_files(folder, disparity, turbo), true);
  if (!disparity.confidence.empty())
    write_png(folder.staged("confidence.png"), disparity.confidence);
  const std::optional<std::size_t> cloud_points = write_cloud(in, disparity, folder, no_cloud);
  times.end("files");
  const auto times_until_now = [&] {
    times.end("page");
    return times.times();
  };
  write_file(folder.staged("report.html"),
             stereo_report({o.left, o.right, context.command_line, in.shown_left, in.shown_right,
                            option_rows(o.method), disparity, turbo, score, cloud_points,
                            times_until_now, doubted}));
  json["timings_ms"] = times_json(times_until_now());
  json["files"] = folder.record();
  write_file(folder.staged("stereo.json"), to_text(json));
  folder.commit();
  announce_interruption(kFilesWritten);
  progress.hide();
  for (const std::string& doubt : doubted) warn(doubt);
  if (!no_cloud.empty()) print_note("no cloud: " + no_cloud);
  print_out(o.common.json ? to_text(json) : summary(disparity, score, folder));
}

}  // namespace

void add_stereo(Program& program, Context& context) {
  const Command command =
      program.command("stereo", "Compute dense disparities of a rectified pair");
  const auto o = std::make_shared<Options>();
  command.option("LEFT", o->left, "left photograph").required();
  command.option("RIGHT", o->right, "right photograph, of the same size").required();
  command.option("--out", o->out, "output folder, created if missing").required();
  command.flag("--overwrite", o->overwrite, kOverwriteHelp);
  add_stereo_method(command, o->method);
  command.option("--calib", o->calib,
                 "Middlebury calib.txt; with a baseline a point cloud is written");
  const Option truth =
      command.option("--truth", o->truth, "true disparity, PFM or image; prints the errors");
  command
      .option("--truth-scale", o->truth_scale,
              "values of a truth image are the disparity times this factor")
      .needs(truth)
      .in_range(Range::within(1e-3, 65535))
      .shows_default();
  command.option("--mask", o->mask, "image: only pixels with value 255 are scored").needs(truth);
  add_common(command, o->common);
  command.runs([o, &context] { run(*o, context); });
}

}  // namespace bifocal::cli
