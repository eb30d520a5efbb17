// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/draw.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/stereo.hpp>
#include <bifocal/threads.hpp>
#include <bifocal/version.hpp>

#include <chrono>
#include <memory>

#include "cli.hpp"
#include "disparity_files.hpp"
#include "output_folder.hpp"
#include "progress.hpp"
#include "report/stereo_report.hpp"

namespace bifocal::cli {
namespace {

struct Options {
  std::string left, right, out, method = "ssd", truth, mask, calib;
  int min_disparity = 0;
  std::optional<int> max_disparity;
  int window = 15;
  double truth_scale = 1.0;
  CommonOptions common;
};

const std::vector<std::string> kFiles = {
    "stereo.json",   "report.html",         "disparity.pfm", "disparity_raw.pfm",
    "disparity.png", "disparity_turbo.png", "cloud.ply"};

// Everything that is read before the output folder is touched.
struct Inputs {
  ImageU8 left, right;
  std::optional<Calibration> calibration;
  std::optional<ImageF> truth;
  ImageU16 mask;
  SsdOptions ssd;
};

std::string size_text(int width, int height) { return fmt::format("{} x {} px", width, height); }

void check_size(const std::string& file, int width, int height, const Inputs& in,
                const Options& o) {
  if (width != in.left.width || height != in.left.height) {
    throw Error(ErrorCode::input,
                fmt::format("{}: {}, but {} is {}", file, size_text(width, height), o.left,
                            size_text(in.left.width, in.left.height)));
  }
}

// Masks are read as pictures: a palette's colours count, not its indices.
ImageU16 first_channel(const ImageU8& image) {
  ImageU16 out(image.width, image.height);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) out.at(x, y) = image.at(x, y);
  }
  return out;
}

SsdOptions search(const Options& o, const std::optional<Calibration>& calibration) {
  SsdOptions ssd{.min_disparity = o.min_disparity, .window = o.window};
  int end = o.max_disparity.value_or(0);
  if (!o.max_disparity) {
    if (!calibration || calibration->max_disparity <= 0) {
      throw Error(ErrorCode::usage,
                  "--max-disparity is required (unless --calib names a file with ndisp)");
    }
    end = calibration->max_disparity;
  }
  ssd.disparities = end - o.min_disparity;
  if (ssd.disparities < 1 || ssd.disparities > 1024) {
    throw Error(ErrorCode::usage, fmt::format("--max-disparity: {} with --min-disparity {}: the "
                                              "search must hold 1 to 1024 disparities",
                                              end, o.min_disparity));
  }
  if (o.window % 2 == 0)
    throw Error(ErrorCode::usage, fmt::format("--window: {} is not odd", o.window));
  return ssd;
}

Inputs read_inputs(const Options& o) {
  Inputs in;
  if (!o.calib.empty()) in.calibration = read_calibration(o.calib);
  in.ssd = search(o, in.calibration);
  in.left = read_image(o.left);
  in.right = read_image(o.right);
  check_size(o.right, in.right.width, in.right.height, in, o);
  if (in.calibration && in.calibration->width > 0 && in.calibration->height > 0) {
    check_size(o.calib, in.calibration->width, in.calibration->height, in, o);
  }
  if (!o.truth.empty()) {
    in.truth = read_disparity(o.truth, o.truth_scale);
    check_size(o.truth, in.truth->width, in.truth->height, in, o);
  }
  if (!o.mask.empty()) {
    in.mask = first_channel(read_image(o.mask));
    check_size(o.mask, in.mask.width, in.mask.height, in, o);
  }
  return in;
}

Json stereo_json(const Options& o, const Inputs& in, const DisparityMap& disparity,
                 const std::optional<StereoScore>& score) {
  Json json = {{"version", BIFOCAL_VERSION},
               {"left", o.left},
               {"right", o.right},
               {"width", in.left.width},
               {"height", in.left.height},
               {"method", o.method},
               {"window", in.ssd.window},
               {"min_disparity", in.ssd.min_disparity},
               {"max_disparity", in.ssd.min_disparity + in.ssd.disparities},
               {"device", "cpu"},
               {"density", disparity.density}};
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
  const auto cloud = disparity_to_cloud(disparity.raw, to_rgb(in.left), in.calibration->camera1,
                                        in.calibration->doffs, *in.calibration->baseline);
  write_ply(folder.staged("cloud.ply"), cloud);
  return cloud.size();
}

void run(const Options& o, Context& context) {
  resolve_device(o.common.device);
  if (o.method == "sgm")
    throw Error(ErrorCode::usage, "--method sgm: not built yet; this version has ssd");
  const ThreadLimit limit(o.common.threads);
  Progress progress(100, "%");
  const Inputs in = read_inputs(o);
  OutputFolder folder(o.out, kFiles, {o.left, o.right, o.calib, o.truth, o.mask});

  progress.update(10, "dense");
  const ImageU8 left = to_grey(in.left), right = to_grey(in.right);
  const auto start = std::chrono::steady_clock::now();
  const DisparityMap disparity = stereo_ssd(left, right, in.ssd);
  const double ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  std::optional<StereoScore> score;
  if (in.truth) score = score_disparity(disparity, *in.truth, in.mask);
  if (score && score->scored == 0) {
    throw Error(ErrorCode::input, fmt::format("{}: no pixel has a true disparity{}", o.truth,
                                              o.mask.empty() ? "" : " inside the mask " + o.mask));
  }

  progress.update(70, "report");
  Json json = stereo_json(o, in, disparity, score);
  json["timings_ms"] = {{"dense", ms}};
  write_file(folder.staged("stereo.json"), to_text(json));
  const ImageU8 turbo = write_disparity_files(folder, disparity);
  const std::optional<std::size_t> cloud_points = write_cloud(in, disparity, folder);
  write_file(folder.staged("report.html"), stereo_report({o.left,
                                                          o.right,
                                                          context.command_line,
                                                          in.left,
                                                          in.right,
                                                          in.ssd,
                                                          disparity,
                                                          turbo,
                                                          score,
                                                          cloud_points,
                                                          {{"dense", ms}}}));
  folder.commit();
  progress.hide();
  print_out(o.common.json ? to_text(json) : summary(disparity, score, folder));
}

}  // namespace

void add_stereo(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("stereo", "Dense disparity of a rectified pair");
  const auto o = std::make_shared<Options>();
  command->add_option("LEFT", o->left, "left photograph: JPEG, PNG, PGM or PPM")->required();
  command->add_option("RIGHT", o->right, "right photograph, of the same size")->required();
  command->add_option("--out", o->out, "folder for the results, made when missing")->required();
  command
      ->add_option("--max-disparity", o->max_disparity,
                   "end of the search, px: disparities below this; default: ndisp of --calib")
      ->check(in_range(-1e5, 1e5));
  command->add_option("--min-disparity", o->min_disparity, "start of the search, px")
      ->check(in_range(-1e5, 1e5))
      ->capture_default_str();
  command
      ->add_option("--method", o->method,
                   "ssd: sum of squared differences with cross-check and fill")
      ->check(CLI::IsMember({"ssd", "sgm"}).description(""))
      ->capture_default_str();
  command->add_option("--window", o->window, "side of the square window, px, odd")
      ->check(in_range(3, 31))
      ->capture_default_str();
  command->add_option("--calib", o->calib,
                      "Middlebury calib.txt: with a baseline there is a cloud");
  CLI::Option* truth =
      command->add_option("--truth", o->truth, "true disparity, PFM or picture: prints the errors");
  command
      ->add_option("--truth-scale", o->truth_scale,
                   "a truth picture holds this times the disparity")
      ->needs(truth)
      ->check(in_range(1e-3, 65535))
      ->capture_default_str();
  command->add_option("--mask", o->mask, "picture: only pixels of value 255 are scored")
      ->needs(truth);
  add_common(*command, o->common);
  command->callback([o, &context] { run(*o, context); });
}

}  // namespace bifocal::cli
