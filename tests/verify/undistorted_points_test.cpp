// SPDX-License-Identifier: BSD-3-Clause
// Points of matches are undistorted on every device as LensCamera does it on the host.
#include "verify/undistorted_points.hpp"

#include <bifocal/features.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "support/devices.hpp"

namespace bifocal::test {
namespace {

constexpr int kWidth = 640, kHeight = 480;

// Makes a camera of each lens model, and pinhole cameras by each constructor.
std::vector<LensCamera> cameras() {
  struct Model {
    const char* name;
    std::vector<double> params;
  };
  const Model models[] = {
      {"SIMPLE_PINHOLE", {300, 321, 239}},
      {"SIMPLE_RADIAL", {300, 321, 239, -0.1}},
      {"FULL_OPENCV", {300, 310, 321, 239, 0.2, 0.03, 0.002, -0.003, 0.01, 0.3, 0.02, 0.001}},
      {"OPENCV_FISHEYE", {300, 310, 321, 239, 0.02, -0.01, 0.003, 0.001}},
      {"SIMPLE_RADIAL_FISHEYE", {200, 321, 239, -0.2}},
      {"THIN_PRISM_FISHEYE",
       {300, 310, 321, 239, 0.02, -0.01, 0.002, 0.003, 0.001, -5e-4, 0.004, 0.002}},
      {"FOV", {300, 310, 321, 239, 0.9}},
      {"FOV", {300, 310, 321, 239, 0}},
      {"SIMPLE_DIVISION", {300, 321, 239, -0.2}},
      {"DIVISION", {300, 310, 321, 239, 0.3}},
      {"EUCM", {200, 210, 321, 239, 0.6, 1.1}}};
  std::vector<LensCamera> all;
  for (const Model& m : models) all.emplace_back(m.name, m.params, kWidth, kHeight);
  all.emplace_back(Camera{{500, 510, 320, 240}, {.k1 = -0.3, .p1 = 0.002}, kWidth, kHeight});
  all.emplace_back(Intrinsics{500, 510, 320, 240});
  return all;
}

// Makes keypoints inside the image and around it; outside, points may have no ray.
Features keypoints(unsigned seed, int count) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> x(-kWidth / 4, kWidth * 5 / 4),
      y(-kHeight / 4, kHeight * 5 / 4);
  Features f;
  for (int i = 0; i < count; ++i) f.keypoints.push_back({x(random), y(random), 2, 0, 1});
  f.keypoints[0] = {321, 239, 2, 0, 1};  // the middle of most lenses
  f.descriptors.resize(f.keypoints.size() * kDescriptorBytes);
  return f;
}

// Largest difference in px; infinite if only one of two numbers is NaN.
double difference(const PointPair& a, const PointPair& b) {
  const double pairs[][2] = {{a.x1, b.x1}, {a.y1, b.y1}, {a.x2, b.x2}, {a.y2, b.y2}};
  double most = 0;
  for (const auto& [one, two] : pairs) {
    if (std::isnan(one) && std::isnan(two)) continue;
    most = std::max(most, std::isnan(one) || std::isnan(two) ? INFINITY : std::abs(one - two));
  }
  return most;
}

// Pairs are image i and the next; match m joins the features m and count - 1 - m. The second call
// has images that are undistorted already, and new images.
TEST(UndistortedPoints, equal_the_points_of_their_cameras) {
  constexpr int kCount = 700;
  const std::vector<LensCamera> lenses = cameras();
  const int images = static_cast<int>(lenses.size());
  std::vector<Features> features;
  for (int i = 0; i < images; ++i) features.push_back(keypoints(static_cast<unsigned>(i), kCount));
  for_each_device([&](Queue& queue, const std::string& id) {
    FeatureSet set(queue.device());
    for (const Features& f : features) set.add(queue, f);
    verify::UndistortedPoints undistorted(queue);
    double most = 0;
    int lost = 0;
    for (const int first : {images / 2, 0}) {
      std::vector<ImagePair> pairs;
      std::vector<std::int64_t> begins, offsets = {0};
      std::vector<Match> matches;
      for (int i = images - 2; i >= first; --i) {
        pairs.push_back({i, i + 1});
        begins.push_back(offsets.back());
        offsets.push_back(offsets.back() + kCount);
        for (int m = 0; m < kCount; ++m) matches.push_back({m, kCount - 1 - m, 0, 0});
      }
      Buffer<Match> there(queue.device(), matches.size());
      there.upload(queue, matches);
      const Memory<const Match> memory = there;
      const auto points = undistorted.of_matches(
          {set, memory, pairs, begins, offsets},
          [&](int i) -> const LensCamera& { return lenses[std::size_t(i)]; });
      std::vector<PointPair> found(matches.size());
      verify::download_points(queue, points, found);
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        const auto i = std::size_t(pairs[k].image1), j = std::size_t(pairs[k].image2);
        const auto own = std::span(matches).subspan(std::size_t(begins[k]), kCount);
        std::vector<PointPair> expected = matched_points(features[i], features[j], own);
        undistort(std::span(expected), lenses[i], lenses[j]);
        for (int m = 0; m < kCount; ++m) {
          const PointPair& p = expected[std::size_t(m)];
          most = std::max(most, difference(p, found[std::size_t(begins[k] + m)]));
          lost += std::isnan(p.x1) || std::isnan(p.x2);
        }
      }
    }
    std::printf("%s: largest difference %.3g px, %d points without a ray\n", id.c_str(), most,
                lost);
    EXPECT_LE(most, queue.device().info().kind == DeviceKind::cpu ? 0 : 1e-9) << id;
    EXPECT_GT(lost, 100);
  });
}

}  // namespace
}  // namespace bifocal::test
