// SPDX-License-Identifier: BSD-3-Clause
// SIFT: time to detect and describe, and correct matches on the Oxford pairs.
#include <bifocal/features.hpp>
#include <bifocal/device.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "features_suite.hpp"
#include "oxford.hpp"
#ifdef BIFOCAL_PEER_OPENCV
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#endif

namespace bifocal::bench {

ImageU8 texture(int width, int height, unsigned seed, int finest) {
  std::mt19937 random(seed);
  std::vector<double> sum(std::size_t(width) * std::size_t(height));
  for (int cell = 128; cell >= finest; cell /= 2) {
    const int columns = width / cell + 2, rows = height / cell + 2;
    std::vector<double> grid(std::size_t(columns) * std::size_t(rows));
    for (double& g : grid) g = double(random() % 256) - 128;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const double* g = grid.data() + y / cell * columns + x / cell;
        const double fx = double(x % cell) / cell, fy = double(y % cell) / cell;
        sum[std::size_t(y) * std::size_t(width) + std::size_t(x)] +=
            (1 - fy) * ((1 - fx) * g[0] + fx * g[1]) +
            fy * ((1 - fx) * g[columns] + fx * g[columns + 1]);
      }
    }
  }
  ImageU8 image(width, height);
  std::transform(sum.begin(), sum.end(), image.pixels.begin(),
                 [](double v) { return std::uint8_t(std::clamp(128 + 0.5 * v, 0.0, 255.0)); });
  return image;
}

Record record_of(const std::string& suite, const std::string& name, const Sample& sample) {
  Record record;
  record.suite = suite;
  record.case_name = name;
  record.unit = "ms";
  record.value = sample.median * 1e3, record.mad = sample.mad * 1e3, record.runs = sample.runs;
  return record;
}

namespace {

struct TestImage {
  std::string name;
  ImageU8 grey;
};
std::vector<TestImage> pictures(const Context& context) {
  std::vector<TestImage> list;
  for (const char* file : {"oxford_affine/graf/img1.png", "strecha/fountain-P11/0004.jpg"}) {
    const std::string path = context.data_folder + "/" + file;
    if (std::filesystem::exists(path)) list.push_back({file, read_grey(path)});
  }
  list.push_back({"texture", texture(1920, 1080, 11)});
  return list;
}

#ifdef BIFOCAL_PEER_OPENCV
const char* const kPeer = "OpenCV " CV_VERSION;

cv::Mat as_mat(const ImageU8& image) {
  return {image.height, image.width, CV_8U, const_cast<std::uint8_t*>(image.pixels.data())};
}

struct PeerFeatures {
  std::vector<cv::KeyPoint> points;
  cv::Mat descriptors;
};
PeerFeatures peer_sift(const ImageU8& image) {
  PeerFeatures f;
  cv::SIFT::create()->detectAndCompute(as_mat(image), cv::noArray(), f.points, f.descriptors);
  return f;
}

// Square root of the L1-normalised descriptors.
PeerFeatures peer_rootsift(const ImageU8& image) {
  PeerFeatures f = peer_sift(image);
  for (int i = 0; i < f.descriptors.rows; ++i) {
    cv::Mat row = f.descriptors.row(i);
    row /= cv::norm(row, cv::NORM_L1) + 1e-12;
    cv::sqrt(row, row);
  }
  return f;
}

std::vector<std::array<float, 2>> places(const PeerFeatures& f) {
  std::vector<std::array<float, 2>> all;
  for (const cv::KeyPoint& k : f.points) all.push_back({k.pt.x, k.pt.y});
  return all;
}

// Ratio test at 0.8 and mutual test.
std::vector<PointPair> peer_match(const PeerFeatures& a, const PeerFeatures& b) {
  std::vector<std::vector<cv::DMatch>> forward, backward;
  const cv::BFMatcher matcher(cv::NORM_L2);
  matcher.knnMatch(a.descriptors, b.descriptors, forward, 2);
  matcher.knnMatch(b.descriptors, a.descriptors, backward, 1);
  std::vector<PointPair> points;
  for (const auto& m : forward) {
    if (m.size() < 2 || m[0].distance >= 0.8F * m[1].distance) continue;
    if (backward[std::size_t(m[0].trainIdx)][0].trainIdx != m[0].queryIdx) continue;
    const cv::Point2f p = a.points[std::size_t(m[0].queryIdx)].pt,
                      q = b.points[std::size_t(m[0].trainIdx)].pt;
    points.push_back({p.x, p.y, q.x, q.y});
  }
  return points;
}
#endif

void time_detection(Context& context, const TestImage& picture) {
  const std::string name =
      fmt::format("features/rootsift/{}x{}", picture.grey.width, picture.grey.height);
  for (int threads : {1, 2}) {
    const std::string case_name = threads == 1 ? name : name + "/threads2";
    if (!context.wanted(case_name)) continue;
    const ThreadLimit limit(threads);
    const auto ours = [&] { keep(detect_sift(picture.grey)); };
#ifdef BIFOCAL_PEER_OPENCV
    cv::setNumThreads(threads);
    const auto [sample, peer] = measure_pair(ours, [&] { keep(peer_sift(picture.grey)); });
    Record record = record_of("features", case_name, sample);
    record.reference = Reference{fmt::format("{} SIFT", kPeer), peer.median * 1e3};
    record.extra["reference_keypoints"] = peer_sift(picture.grey).points.size();
#else
    Record record = record_of("features", case_name, measure(ours));
#endif
    record.extra["keypoints"] = detect_sift(picture.grey).size();
    record.extra["image"] = picture.name;
    record.extra["threads"] = threads;
    context.report(std::move(record));
  }
}

std::vector<std::array<float, 2>> places(const Features& f) {
  std::vector<std::array<float, 2>> all;
  for (const Keypoint& k : f.keypoints) all.push_back({k.x, k.y});
  return all;
}

// Correct matches with the default options, and with fewer features; OpenCV has no cap.
void count_matches(Context& context, const OxfordPair& pair) {
  const std::string name = "features/correct/" + pair.name;
  if (!context.wanted(name)) return;
  const ImageU8 image1 = read_grey(pair.image1), image2 = read_grey(pair.image2);
  const Mat3 H = read_homography(pair.homography_file);
  const Features a = detect_sift(image1), b = detect_sift(image2);
  const std::vector<PointPair> points = matched_points(a, b, match(a, b));
  Record record;
  record.suite = "features";
  record.case_name = name;
  record.unit = "matches within 3 px";
  record.value = count_correct(points, H, 3), record.runs = 1;
  record.higher_is_better = true;
  record.extra["matches"] = points.size();
  for (const int cap : {8192, 4096, 2048, 1024}) {
    const SiftOptions options{.max_features = cap};
    const Features few1 = detect_sift(image1, options), few2 = detect_sift(image2, options);
    record.extra[fmt::format("of_{}", cap)] =
        count_correct(matched_points(few1, few2, match(few1, few2)), H, 3);
    record.extra[fmt::format("repeatability_of_{}", cap)] =
        repeatability(places(few1), places(few2), H, image2.width, image2.height, 3);
  }
  record.extra["precision"] = record.value / double(points.size());
  record.extra["repeatability"] =
      repeatability(places(a), places(b), H, image2.width, image2.height, 3);
#ifdef BIFOCAL_PEER_OPENCV
  const PeerFeatures c = peer_rootsift(image1), d = peer_rootsift(image2);
  const std::vector<PointPair> theirs = peer_match(c, d);
  record.extra["reference_repeatability"] =
      repeatability(places(c), places(d), H, image2.width, image2.height, 3);
  const int correct = count_correct(theirs, H, 3);
  record.reference = Reference{fmt::format("{} RootSIFT", kPeer), double(correct)};
  record.extra["reference_matches"] = theirs.size();
  record.extra["reference_precision"] = correct / double(theirs.size());
#endif
  context.report(std::move(record));
}

}  // namespace

void run_features(Context& context) {
  if (Device(context.device).info().kind != DeviceKind::cpu) return run_features_device(context);
#ifdef BIFOCAL_PEER_OPENCV
  cv::setNumThreads(1);
#endif
  for (const TestImage& picture : pictures(context)) time_detection(context, picture);
  const ThreadLimit one(1);
  for (const OxfordPair& pair : oxford_pairs(context.data_folder)) count_matches(context, pair);
  run_features_surf(context);
  run_features_options(context);
}

}  // namespace bifocal::bench
