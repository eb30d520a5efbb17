// SPDX-License-Identifier: BSD-3-Clause
// Brute-force matching: time, compared with OpenCV.
#include <bifocal/device.hpp>
#include <bifocal/features.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "match_suite.hpp"
#ifdef BIFOCAL_PEER_OPENCV
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#endif

namespace bifocal::bench {
namespace {

#ifdef BIFOCAL_PEER_OPENCV
cv::Mat as_floats(const Features& f) {
  cv::Mat floats;
  cv::Mat(f.size(), kDescriptorBytes, CV_8U, const_cast<std::uint8_t*>(f.descriptors.data()))
      .convertTo(floats, CV_32F);
  return floats;
}
#endif

void time_pair(Context& context, int count, int threads) {
  const std::string name =
      fmt::format("match/{}x{}{}", count, count, threads == 1 ? "" : "/threads2");
  if (!context.wanted(name)) return;
  const ThreadLimit limit(threads);
  const Features a = random_image(count, 1), b = random_image(count, 2);
  const auto ours = [&] { keep(match(a, b)); };
  Record record;
#ifdef BIFOCAL_PEER_OPENCV
  cv::setNumThreads(threads);
  const cv::Mat x = as_floats(a), y = as_floats(b);
  const auto [sample, peer] = measure_pair(
      ours,
      [&] {
        std::vector<std::vector<cv::DMatch>> matches;
        cv::BFMatcher(cv::NORM_L2).knnMatch(x, y, matches, 2);
        keep(matches);
      },
      5);
  record.reference =
      Reference{"OpenCV " CV_VERSION " BFMatcher, L2, knn 2, one way", peer.median * 1e3};
#else
  const Sample sample = measure(ours);
#endif
  record.suite = "match";
  record.case_name = name;
  record.unit = "ms";
  record.value = sample.median * 1e3, record.mad = sample.mad * 1e3, record.runs = sample.runs;
  record.extra["threads"] = threads;
  record.extra["matches"] = match(a, b).size();
  record.extra["giga_pairs_per_s"] = double(count) * count * 1e-6 / record.value;
  context.report(std::move(record));
}

}  // namespace

Features random_image(int count, unsigned image, unsigned scene) {
  std::mt19937 shared(scene), own(image + 1000);
  std::normal_distribution<double> normal, noise;
  Features f;
  f.keypoints.resize(std::size_t(count));
  f.descriptors.reserve(std::size_t(count) * kDescriptorBytes);
  for (int i = 0; i < count * kDescriptorBytes; ++i) {
    const double value = 45 * std::abs(normal(shared)), differs = noise(own);
    const bool is_shared = i / kDescriptorBytes % 2 == 0;
    f.descriptors.push_back(std::uint8_t(
        std::clamp(is_shared ? value + 10 * differs : 45 * std::abs(differs), 0.0, 255.0)));
  }
  return f;
}

void run_match(Context& context) {
  if (Device(context.device).info().kind != DeviceKind::cpu) {
    run_match_device(context);
  } else {
    for (const int count : {5000, 8192})
      for (const int threads : {1, 2}) time_pair(context, count, threads);
  }
  run_match_float(context);
  run_match_guided(context);
}

}  // namespace bifocal::bench
