// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/draw.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/stereo.hpp>
#include <bifocal/device.hpp>
#include <bifocal/version.hpp>

#include <chrono>
#include <cmath>
#include <memory>
#include <tuple>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "cli.hpp"
#include "disparity_files.hpp"
#include "output_folder.hpp"
#include "picture.hpp"
#include "progress.hpp"
#include "report/stereo_report.hpp"
#include "stereo_method.hpp"

namespace bifocal::cli {
namespace {

struct Options {
  std::string left, right, out, truth, mask, calib;
  StereoMethod method;
  double truth_scale = 1.0;
  CommonOptions common;
};

const std::vector<std::string> kFiles = {
    "stereo.json",   "report.html",         "disparity.pfm",  "disparity_raw.pfm",
    "disparity.png", "disparity_turbo.png", "confidence.png", "cloud.ply"};

// Everything that is read before the output folder is touched.
struct Inputs {
  Picture left, right;
  ImageU8 shown_left, shown_right;  // of 8 bits, for the report
  std::optional<Calibration> calibration;
  std::optional<ImageF> truth;
  ImageU16 mask;
};

// Masks are read as pictures: a palette's colours count, not its indices.
ImageU16 first_channel(const ImageU8& image) {
  ImageU16 out(image.width, image.height);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) out.at(x, y) = image.at(x, y);
  }
  return out;
}

// SSD takes 8 bits, and so does a pair of two depths.
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

Inputs read_inputs(Options& o) {
  Inputs in;
  if (!o.calib.empty()) in.calibration = read_calibration(o.calib);
  finish(o.method, in.calibration ? in.calibration->max_disparity : 0);
  read_pictures(o, in);
  if (in.calibration && in.calibration->width > 0) {
    check_size(o.calib + ": is for", *in.calibration, o.left, in.left);
  }
  if (!o.truth.empty()) {
    in.truth = read_disparity(o.truth, o.truth_scale);
    check_size(o.truth + ":", *in.truth, o.left, in.left);
  }
  if (!o.mask.empty()) {
    in.mask = first_channel(read_image(o.mask));
    check_size(o.mask + ":", in.mask, o.left, in.left);
  }
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

// Tells for stderr what the matching cannot know of itself; the text is empty when there is nothing
// to say.
std::string doubts(const DisparityMap& disparity, const StereoMethod& m) {
  if (disparity.density == 0)
    return "nothing is known: the pictures have no texture, repeat themselves, or do not show the "
           "same within the search";
  const int first = m.sgm.min_disparity, last = first + m.sgm.disparities - 1;
  std::int64_t known = 0, at_ends = 0;
  for (const float d : disparity.raw.pixels) {
    if (std::isnan(d)) continue;
    ++known;
    at_ends += d < static_cast<float>(first) + 0.5F || d > static_cast<float>(last) - 0.5F ? 1 : 0;
  }
  if (2 * at_ends < known) return {};
  return fmt::format(
      "{:.0f} % of the known disparities are at an end of the search, {} or {} px: "
      "the same picture twice, or a search that ends too early",
      100.0 * static_cast<double>(at_ends) / static_cast<double>(known), first, last);
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

// With both cameras and the baseline of a rectified pair there is depth: the cloud, in the unit of
// the file.
std::optional<std::size_t> write_cloud(const Inputs& in, const DisparityMap& disparity,
                                       const OutputFolder& folder) {
  if (!in.calibration || !in.calibration->baseline) return {};
  const auto cloud =
      disparity_to_cloud(disparity.raw, to_rgb(in.shown_left), in.calibration->camera1,
                         in.calibration->doffs, *in.calibration->baseline);
  write_ply(folder.staged("cloud.ply"), cloud);
  return cloud.size();
}

void run(Options& o, Context& context) {
  const Device device = chosen_device(o.common);
  Queue queue(device);
  const ThreadLimit limit(o.common.threads);
  Progress progress(100, "%");
  const Inputs in = read_inputs(o);
  OutputFolder folder(o.out, kFiles, {o.left, o.right, o.calib, o.truth, o.mask});

  progress.update(10, "dense");
  const auto start = std::chrono::steady_clock::now();
  const DisparityMap disparity = match(queue, o.method, in.left, in.right);
  const double ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  std::optional<StereoScore> score;
  if (in.truth) score = score_disparity(disparity, *in.truth, in.mask);
  if (score && score->scored == 0) {
    throw Error(ErrorCode::input, fmt::format("{}: no pixel has a true disparity{}", o.truth,
                                              o.mask.empty() ? "" : " inside the mask " + o.mask));
  }

  progress.update(70, "report");
  Json json = stereo_json(o, in, device, disparity, score);
  json["timings_ms"] = {{"dense", ms}};
  write_file(folder.staged("stereo.json"), to_text(json));
  const ImageU8 turbo = write_disparity_files(folder, disparity);
  if (!disparity.confidence.empty())
    write_png(folder.staged("confidence.png"), disparity.confidence);
  const std::optional<std::size_t> cloud_points = write_cloud(in, disparity, folder);
  write_file(folder.staged("report.html"), stereo_report({o.left,
                                                          o.right,
                                                          context.command_line,
                                                          in.shown_left,
                                                          in.shown_right,
                                                          option_rows(o.method),
                                                          disparity,
                                                          turbo,
                                                          score,
                                                          cloud_points,
                                                          {{"dense", ms}}}));
  folder.commit();
  progress.hide();
  if (const std::string doubt = doubts(disparity, o.method); !doubt.empty()) tell(doubt);
  print_out(o.common.json ? to_text(json) : summary(disparity, score, folder));
}

}  // namespace

void add_stereo(Program& program, Context& context) {
  const Command command = program.command("stereo", "Dense disparity of a rectified pair");
  const auto o = std::make_shared<Options>();
  command.option("LEFT", o->left, "left photograph: JPEG, PNG, PGM or PPM").required();
  command.option("RIGHT", o->right, "right photograph, of the same size").required();
  command.option("--out", o->out, "folder for the results, made when missing").required();
  add_stereo_method(command, o->method);
  command.option("--calib", o->calib, "Middlebury calib.txt: with a baseline there is a cloud");
  const Option truth =
      command.option("--truth", o->truth, "true disparity, PFM or picture: prints the errors");
  command.option("--truth-scale", o->truth_scale, "a truth picture holds this times the disparity")
      .needs(truth)
      .in_range(Range::within(1e-3, 65535))
      .shows_default();
  command.option("--mask", o->mask, "picture: only pixels of value 255 are scored").needs(truth);
  add_common(command, o->common);
  command.runs([o, &context] { run(*o, context); });
}

}  // namespace bifocal::cli
