// SPDX-License-Identifier: BSD-3-Clause
// Float descriptors, mutual nearest neighbours: time, on the CPU compared with OpenCV.
#include <bifocal/matching.hpp>
#include <bifocal/device.hpp>

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <tuple>

#include "match_suite.hpp"
#ifdef BIFOCAL_PEER_OPENCV
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#endif

namespace bifocal::bench {
namespace {

std::vector<float> unit_vectors(int count, int size, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(std::size_t(count) * std::size_t(size));
  for (int i = 0; i < count; ++i) {
    float* const row = values.data() + std::ptrdiff_t{i} * size;
    double sum = 0;
    for (int k = 0; k < size; ++k) row[k] = normal(random), sum += double(row[k]) * double(row[k]);
    for (int k = 0; k < size; ++k) row[k] = float(row[k] / std::sqrt(sum));
  }
  return values;
}

void time_floats(Context& context, Queue& queue, int count, int size) {
  const std::string name = fmt::format("match/float/{}x{}/{}", count, count, size);
  if (!context.wanted(name)) return;
  const ThreadLimit limit(1);
  const std::vector<float> a = unit_vectors(count, size, 1), b = unit_vectors(count, size, 2);
  const auto ours = [&] {
    keep(match(queue, FloatDescriptors{a.data(), count, size}, {b.data(), count, size}));
  };
  Record record;
  Sample sample;
#ifdef BIFOCAL_PEER_OPENCV
  cv::setNumThreads(1);
  const cv::Mat x(count, size, CV_32F, const_cast<float*>(a.data())),
      y(count, size, CV_32F, const_cast<float*>(b.data()));
  Sample peer;
  std::tie(sample, peer) = measure_pair(
      ours,
      [&] {
        std::vector<cv::DMatch> matches;
        cv::BFMatcher(cv::NORM_L2, true).match(x, y, matches);
        keep(matches);
      },
      5);
  record.reference = Reference{"OpenCV " CV_VERSION " BFMatcher, L2, mutual", peer.median * 1e3};
#else
  sample = measure(ours);
#endif
  record.suite = "match";
  record.case_name = name;
  record.device = context.device;
  record.unit = "ms";
  record.value = sample.median * 1e3, record.mad = sample.mad * 1e3, record.runs = sample.runs;
  context.report(std::move(record));
}

}  // namespace

void run_match_float(Context& context) {
  Queue queue{Device(context.device)};
  time_floats(context, queue, 4096, 64);
  time_floats(context, queue, 4096, 256);
}

}  // namespace bifocal::bench
