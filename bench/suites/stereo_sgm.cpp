// SPDX-License-Identifier: BSD-3-Clause
// Semi-global matching with all filters (checks, median, speckles, fill), compared with OpenCV's
// StereoSGBM, which has no fill.
#include "stereo_sgm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <limits>
#include <optional>

#include <bifocal/io.hpp>
#include <bifocal/stereo.hpp>
#include <bifocal/device.hpp>

#include "shifted_noise.hpp"
#include "stereo_suite.hpp"
#include "frame/thread_speedup.hpp"
#ifdef BIFOCAL_PEER_OPENCV
#include <opencv2/calib3d.hpp>
#endif

namespace bifocal::bench {
namespace {

struct Size {
  const char *folder, *left, *right;  // photographs of this size, if available
  int width, height, disparities;
};
constexpr Size kSizes[] = {
    {"middlebury_2014_q/Motorcycle", "im0.png", "im1.png", 741, 497, 80},
    {"middlebury_2003/cones", "im2.png", "im6.png", 450, 375, 64},
};

StereoPair pair_of(const Context& context, const Size& size) {
  const std::filesystem::path folder = std::filesystem::path(context.data_folder) / size.folder;
  if (!std::filesystem::exists(folder)) return shifted_noise(size.width, size.height);
  return {to_grey(read_image(folder / size.left)), to_grey(read_image(folder / size.right))};
}

// Least CPU time of one call, ms: other work on the machine disturbs it less than the wall time.
double cpu_ms(const std::function<void()>& body) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
  };
  double least = std::numeric_limits<double>::infinity();
  for (int run = 0; run < 7; ++run) {
    const double start = now();
    body();
    least = std::min(least, now() - start);
  }
  return least;
}

std::function<void()> sgm(const StereoPair& pair, int disparities, int paths) {
  return frames_of(pair, SgmOptions{.disparities = disparities, .paths = paths});
}

void time_with_opencv(Context& context, const Size& size, int paths) {
  const std::string name =
      fmt::format("stereo/sgm/{}x{}/d{}p{}", size.width, size.height, size.disparities, paths);
  if (!context.wanted(name)) return;
  const StereoPair pair = pair_of(context, size);
  const ThreadLimit one(1);
  const auto ours = sgm(pair, size.disparities, paths);
  Record record;
  record.suite = "stereo";
  record.case_name = name;
  record.unit = "ms";
  Sample mine;
#ifdef BIFOCAL_PEER_OPENCV
  cv::setNumThreads(1);
  const auto mat = [&](const ImageU8& image) {
    return cv::Mat(size.height, size.width, CV_8U, const_cast<std::uint8_t*>(image.pixels.data()));
  };
  const cv::Mat left = mat(pair.left), right = mat(pair.right);
  constexpr int block = 3;
  const cv::Ptr<cv::StereoSGBM> sgbm = cv::StereoSGBM::create(
      0, size.disparities, block, 8 * block * block, 32 * block * block, 1, 63, 10, 100, 2,
      paths == 8 ? cv::StereoSGBM::MODE_HH : cv::StereoSGBM::MODE_SGBM);
  cv::Mat out;
  const auto peer = [&] { sgbm->compute(left, right, out); };
  const auto [our_sample, peer_sample] = measure_pair(ours, peer);
  mine = our_sample;
  record.reference =
      Reference{fmt::format("OpenCV {} StereoSGBM {}, no fill, no padding", CV_VERSION,
                            paths == 8 ? "MODE_HH" : "MODE_SGBM (5 paths)"),
                peer_sample.median * 1e3};
  record.extra = {{"cpu_ms", cpu_ms(ours)}, {"peer_cpu_ms", cpu_ms(peer)}};
#else
  mine = measure(ours);
  record.extra = {{"cpu_ms", cpu_ms(ours)}};
#endif
  record.value = mine.median * 1e3;
  record.mad = mine.mad * 1e3;
  record.runs = mine.runs;
  context.report(record);
}

}  // namespace

void time_sgm(Context& context) {
  for (const Size& size : kSizes) {
    for (int paths : {8, 4}) time_with_opencv(context, size, paths);
  }
  const Size& size = kSizes[0];
  for (int disparities : {80, 128}) {
    std::optional<StereoPair> pair;
    report_thread_speedup(
        context, "stereo",
        fmt::format("stereo/sgm/{}x{}/d{}p8", size.width, size.height, disparities), [&] {
          pair = pair_of(context, size);
          return sgm(*pair, disparities, 8);
        });
  }
}

}  // namespace bifocal::bench
