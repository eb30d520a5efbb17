// SPDX-License-Identifier: BSD-3-Clause
// Dense stereo: time compared with OpenCV's StereoBM and StereoSGBM, and the fraction of bad pixels
// on the Middlebury pairs.
#include <fmt/format.h>

#include <bifocal/io.hpp>
#include <bifocal/stereo.hpp>
#include <bifocal/device.hpp>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

#include "frame/bench.hpp"
#include "shifted_noise.hpp"
#include "stereo_sgm.hpp"
#include "stereo_suite.hpp"
#include "frame/thread_speedup.hpp"
#ifdef BIFOCAL_PEER_OPENCV
#include <opencv2/calib3d.hpp>
#endif

namespace bifocal::bench {
namespace {

std::function<void()> ssd(const StereoPair& pair, int disparities) {
  return frames_of(pair, SsdOptions{.disparities = disparities, .window = 15});
}

void time_ssd(Context& context, int width, int height, int disparities) {
  const std::string name = fmt::format("stereo/ssd/{}x{}/d{}w15", width, height, disparities);
  if (!context.wanted(name)) return;
  const StereoPair pair = shifted_noise(width, height);
  const ThreadLimit one(1);
  Record record;
  record.suite = "stereo";
  record.case_name = name;
  record.unit = "ms";
  Sample ours;
#ifdef BIFOCAL_PEER_OPENCV
  cv::setNumThreads(1);
  const int rounded = (disparities + 15) / 16 * 16;  // all it takes
  const cv::Mat left(height, width, CV_8U, const_cast<std::uint8_t*>(pair.left.pixels.data()));
  const cv::Mat right(height, width, CV_8U, const_cast<std::uint8_t*>(pair.right.pixels.data()));
  const cv::Ptr<cv::StereoBM> bm = cv::StereoBM::create(rounded, 15);
  cv::Mat out;
  const auto [mine, peer] =
      measure_pair(ssd(pair, disparities), [&] { bm->compute(left, right, out); });
  ours = mine;
  record.reference =
      Reference{fmt::format("OpenCV {} StereoBM, {} disparities, one direction, no fill",
                            CV_VERSION, rounded),
                peer.median * 1e3};
#else
  ours = measure(ssd(pair, disparities));
#endif
  record.value = ours.median * 1e3;
  record.mad = ours.mad * 1e3;
  record.runs = ours.runs;
  context.report(record);
}

struct Scene {
  const char *name, *folder, *left, *right, *truth, *mask, *right_truth;
  double scale;  // of the truth
  int disparities;
  double ssd;  // recorded bad 2 filled of a plain SSD 15x15 with cross-check and fill from the
               // smaller neighbour
  double sgm;  // of the best mode of OpenCV's StereoSGBM after the same fill; 0: not recorded
  bool plain_sgm = false;  // `sgm` is of a plain census SGM with 4 paths instead
};
constexpr Scene middlebury_3(const char* name, const char* folder, int disparities, double ssd,
                             double sgm, const char* right = "im1.png", bool plain_sgm = false) {
  return {name,    folder, "im0.png",   right, "disp0GT.pfm", "mask0nocc.png",
          nullptr, 1,      disparities, ssd,   sgm,           plain_sgm};
}
constexpr Scene kScenes[] = {
    {"tsukuba", "middlebury_2001/tsukuba", "imL.png", "imR.png", "truedisp.pgm", "nonocc.png",
     nullptr, 16, 16, 6.97, 2.19},
    {"venus", "middlebury_2001/venus", "im2.ppm", "im6.ppm", "disp2.pgm", nullptr, "disp6.pgm", 8,
     32, 5.40, 0.58},
    {"cones", "middlebury_2003/cones", "im2.png", "im6.png", "disp2.png", nullptr, "disp6.png", 4,
     64, 11.06, 4.76},
    {"teddy", "middlebury_2003/teddy", "im2.png", "im6.png", "disp2.png", nullptr, "disp6.png", 4,
     64, 17.09, 5.55},
    middlebury_3("motorcycle", "middlebury_2014_q/Motorcycle", 70, 16.92, 5.46),
    middlebury_3("adirondack", "middlebury_2014_q/Adirondack", 73, 43.64, 7.35),
    middlebury_3("piano", "middlebury_2014_q/Piano", 65, 28.30, 17.1),
    middlebury_3("playtable", "middlebury_2014_q/Playtable", 73, 29.91, 10.4),
    // Pairs with little texture.
    {"midd1", "middlebury_2006/Midd1", "view1.png", "view5.png", "disp1.png", nullptr, "disp5.png",
     3, 80, 0, 0},
    {"midd2", "middlebury_2006/Midd2", "view1.png", "view5.png", "disp1.png", nullptr, "disp5.png",
     3, 80, 0, 0},
    middlebury_3("vintage", "middlebury_2014_q/Vintage", 190, 0, 0),
    middlebury_3("shelves", "middlebury_2014_q/Shelves", 60, 0, 0),
    middlebury_3("motorcycle_e", "middlebury_2014_q/Motorcycle", 70, 72.03, 5.67,
                 "../MotorcycleE/im1.png", true)};

// Marks true disparities as unknown if the right view's truth differs by more than 1 px or has no
// value there.
void drop_occluded(ImageF& truth, const ImageF& right) {
  for (int y = 0; y < truth.height; ++y) {
    for (int x = 0; x < truth.width; ++x) {
      float& t = truth.at(x, y);
      const double seen = std::nearbyint(static_cast<double>(x) - t);
      const bool inside = seen >= 0 && seen < truth.width;
      if (!inside || !(std::abs(right.at(static_cast<int>(seen), y) - t) <= 1))
        t = std::numeric_limits<float>::quiet_NaN();
    }
  }
}

// First channel; a palette (tsukuba's mask) is applied.
ImageU16 read_mask(const std::filesystem::path& file) {
  const ImageU8 picture = read_image(file);
  ImageU16 mask(picture.width, picture.height);
  for (int y = 0; y < mask.height; ++y) {
    for (int x = 0; x < mask.width; ++x) mask.at(x, y) = picture.at(x, y);
  }
  return mask;
}

// paths: 8 or 4 of SGM; 0: SSD.
void score_scene(Context& context, const Scene& scene, int paths) {
  const std::string name = paths == 0 ? fmt::format("stereo/ssd/quality/{}/w15", scene.name)
                                      : fmt::format("stereo/sgm/quality/{}/p{}", scene.name, paths);
  const std::filesystem::path folder = std::filesystem::path(context.data_folder) / scene.folder;
  if (!context.wanted(name) || !std::filesystem::exists(folder)) return;
  ImageF truth = read_disparity(folder / scene.truth, scene.scale);
  if (scene.right_truth)
    drop_occluded(truth, read_disparity(folder / scene.right_truth, scene.scale));
  ImageU16 mask;
  if (scene.mask) mask = read_mask(folder / scene.mask);
  const ImageU8 left = to_grey(read_image(folder / scene.left)),
                right = to_grey(read_image(folder / scene.right));
  const DisparityMap map =
      paths == 0 ? stereo_ssd(left, right, {.disparities = scene.disparities, .window = 15})
                 : stereo_sgm(left, right, {.disparities = scene.disparities, .paths = paths});
  const StereoScore s = score_disparity(map, truth, mask);
  Record record;
  record.suite = "stereo";
  record.case_name = name;
  record.unit = "per cent bad 2 px, filled, non-occluded";
  record.value = s.bad2_filled;
  record.runs = 1;
  if (scene.sgm > 0)
    record.reference =
        paths == 0 ? Reference{"plain SSD 15x15, cross-check, fill (recorded)", scene.ssd}
        : !scene.plain_sgm
            ? Reference{"best StereoSGBM mode of OpenCV 4.6, same fill (recorded)", scene.sgm}
            : Reference{"plain census SGM, 4 paths (recorded)", scene.sgm};
  record.extra = {{"scored", s.scored},
                  {"density", s.density},
                  {"bad1", s.bad1},
                  {"bad2", s.bad2},
                  {"avgerr", s.avgerr},
                  {"bad1_filled", s.bad1_filled},
                  {"bad2_filled", s.bad2_filled},
                  {"avgerr_filled", s.avgerr_filled}};
  context.report(record);
}

}  // namespace

void run_stereo(Context& context) {
  if (context.device.starts_with("cuda") || context.device.starts_with("opencl"))
    return run_stereo_device(context);
  time_ssd(context, 735, 504, 90);
  time_ssd(context, 741, 497, 80);
  for (const auto& [width, height, disparities] : {std::array{735, 504, 90}, {741, 497, 80}}) {
    const StereoPair pair = shifted_noise(width, height);
    report_thread_speedup(context, "stereo",
                          fmt::format("stereo/ssd/{}x{}/d{}w15", width, height, disparities),
                          [&pair, count = disparities] { return ssd(pair, count); });
  }
  time_sgm(context);
  for (int paths : {0, 8, 4}) {
    for (const Scene& scene : kScenes) score_scene(context, scene, paths);
  }
}

}  // namespace bifocal::bench
