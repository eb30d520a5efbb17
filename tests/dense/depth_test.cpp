// SPDX-License-Identifier: BSD-3-Clause
// Accuracy of dense depth on a scene with exact depth.
#include <gtest/gtest.h>
#include <bifocal/dense.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "dense/scene.hpp"
#include "support/devices.hpp"

namespace bifocal::test {
namespace {

// Shares of pixels, from 0 to 1.
struct Accuracy {
  double known = 0;  // of the pixels that at least three views see
  double sky = 0;    // of the pixels of the sky at least 7 px from other surfaces, with a depth
  double within_005 = 0;  // of the known pixels: errors below 0.5 %
  double beyond_02 = 0;   // errors above 2 %
  double normals = 0;     // angles below 15 degrees
  double deviations = 0;  // errors below two deviations
};

// Whether no other surface is within 7 px.
bool is_inside_sky(const ImageF& depth, int x, int y) {
  constexpr int kRadius = 7;
  for (int j = std::max(y - kRadius, 0); j <= std::min(y + kRadius, depth.height - 1); ++j)
    for (int i = std::max(x - kRadius, 0); i <= std::min(x + kRadius, depth.width - 1); ++i)
      if (!std::isnan(depth.at(i, j))) return false;
  return true;
}

Accuracy accuracy_of(const DenseScene& scene, const std::vector<DenseMap>& maps) {
  Accuracy a;
  double visible = 0, found = 0, known = 0, sky = 0;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const DenseMap& map = maps[i];
    for (int y = 0; y < map.depth.height; ++y)
      for (int x = 0; x < map.depth.width; ++x) {
        const float truth = scene.depth[i].at(x, y), depth = map.depth.at(x, y);
        const bool is_sky = is_inside_sky(scene.depth[i], x, y);
        sky += is_sky;
        a.sky += is_sky && !std::isnan(depth);
        const bool is_visible = !std::isnan(truth) && scene.seen_by(i, x, y) >= 3;
        visible += is_visible;
        found += is_visible && !std::isnan(depth);
        if (std::isnan(depth) || std::isnan(truth)) continue;
        ++known;
        const double error = std::abs(depth - truth);
        a.within_005 += error < 0.005 * truth;
        a.beyond_02 += error > 0.02 * truth;
        a.deviations += error < 2 * map.deviation.at(x, y);
        const Vec3 n = {double(map.normal.at(x, y, 0)), double(map.normal.at(x, y, 1)),
                        double(map.normal.at(x, y, 2))};
        const std::size_t at = std::size_t(y) * std::size_t(map.depth.width) + std::size_t(x);
        a.normals += dot(unit(n), scene.normal[i][at]) > std::cos(15 * 3.14159265 / 180);
      }
  }
  a.known = found / visible, a.sky /= std::max(sky, 1.0);
  for (double* share : {&a.within_005, &a.beyond_02, &a.normals, &a.deviations})
    *share /= std::max(known, 1.0);
  return a;
}

void print(const char* name, const Accuracy& a) {
  std::printf(
      "%s: %.3f known, %.4f of the sky; errors below 0.5 %% %.3f, above 2 %% %.4f; normals %.3f, "
      "deviations %.3f\n",
      name, a.known, a.sky, a.within_005, a.beyond_02, a.normals, a.deviations);
}

const DenseResult& small_result() {
  static const DenseResult result = dense_depth(small_scene().views, small_scene().points);
  return result;
}

bool same_bytes(const DenseResult& a, const DenseResult& b) {
  const auto same = [](const auto& x, const auto& y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof x[0]) == 0;
  };
  if (a.maps.size() != b.maps.size() || !same(a.cloud, b.cloud)) return false;
  for (std::size_t i = 0; i < a.maps.size(); ++i)
    if (!same(a.maps[i].depth.pixels, b.maps[i].depth.pixels) ||
        !same(a.maps[i].deviation.pixels, b.maps[i].deviation.pixels) ||
        !same(a.maps[i].normal.pixels, b.maps[i].normal.pixels) ||
        !same(a.maps[i].views.pixels, b.maps[i].views.pixels) ||
        a.maps[i].reason != b.maps[i].reason)
      return false;
  return true;
}

// Expects unit normals, and that few points are of a surface that an earlier view has.
void expect_cloud_on_surfaces(const DenseResult& result) {
  std::size_t known = 0, on = 0;
  for (const DenseMap& map : result.maps)
    for (const std::uint8_t views : map.views.pixels) known += views > 0;
  for (const FusedPoint& p : result.cloud) {
    EXPECT_GE(p.views, 3);
    EXPECT_GT(p.deviation, 0);
    EXPECT_NEAR(std::hypot(p.nx, p.ny, p.nz), 1, 1e-5);
    on += std::abs(p.y - 1.6) < 0.05 || std::abs(p.z - (8.4 + 0.2 * p.x)) < 0.15 ||
          (p.x > -1 && p.x < 0.9 && p.y > 0.1 && p.z > 4 && p.z < 5.6);
  }
  std::printf("%zu points of %zu depths, %zu on a surface\n", result.cloud.size(), known, on);
  EXPECT_GT(result.cloud.size(), known / 10);
  EXPECT_LT(result.cloud.size(), known / 3);
  EXPECT_GT(double(on), 0.9 * double(result.cloud.size()));
}

TEST(DenseDepth, IsAccurateWithNormalsAndDeviationsAndUnknownForAPlainSky) {
  const DenseResult result = dense_depth(dense_scene().views, dense_scene().points);
  const Accuracy a = accuracy_of(dense_scene(), result.maps);
  print("5 views", a);
  EXPECT_GT(a.known, 0.8);
  EXPECT_GT(a.within_005, 0.7);
  EXPECT_LT(a.beyond_02, 0.08);
  EXPECT_GT(a.normals, 0.75);
  EXPECT_GT(a.deviations, 0.7);
  EXPECT_LT(a.sky, 0.01);
  expect_cloud_on_surfaces(result);
}

TEST(DenseDepth, NeedsNoPoints) {
  const DenseScene& scene = small_scene();
  print("with points", accuracy_of(scene, small_result().maps));
  const Accuracy a = accuracy_of(scene, dense_depth(scene.views, {}).maps);
  print("without points", a);
  EXPECT_GT(a.known, 0.4);
  EXPECT_LT(a.beyond_02, 0.2);
}

TEST(DenseDepth, StaysWithinAGivenRange) {
  const DenseScene& scene = small_scene();
  const DenseResult near = dense_depth(scene.views, {}, {.min_depth = 3, .max_depth = 5.5});
  const Accuracy a = accuracy_of(scene, near.maps);
  print("3 to 5.5 m", a);
  int known = 0;
  for (const DenseMap& map : near.maps)
    for (const float depth : map.depth.pixels) {
      known += !std::isnan(depth);
      EXPECT_FALSE(depth > 5.5F || depth < 3);
    }
  EXPECT_GT(known, 500);
  EXPECT_GT(a.within_005, 0.3);
}

TEST(DenseDepth, AcceptsCamerasOfDifferentSizes) {
  std::vector<LensCamera> cameras;
  for (int i = 0; i < 5; ++i) {
    const double scale = 0.35 + 0.03 * i, width = 240 * scale + 8 * i, height = 180 * scale;
    cameras.emplace_back("PINHOLE",
                         std::array{220 * scale, 219 * scale, 0.5 * width - 2.0 * i, 0.5 * height},
                         static_cast<int>(width), static_cast<int>(height));
  }
  const DenseScene scene = scene_of(cameras, scene_poses(5));
  const DenseResult result = dense_depth(scene.views, scene.points);
  const Accuracy a = accuracy_of(scene, result.maps);
  print("different sizes", a);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_EQ(result.maps[i].depth.width, scene.views[i].image.width);
  EXPECT_GT(a.known, 0.5);
  EXPECT_GT(a.within_005, 0.4);
  EXPECT_LT(a.beyond_02, 0.2);
}

TEST(DenseDepth, OfGreyImagesIsThatOfRgbImages) {
  const DenseScene& scene = small_scene();
  std::vector<DenseView> colours = scene.views;
  for (DenseView& view : colours) {
    ImageU8 rgb(view.image.width, view.image.height, 3);
    for (std::size_t k = 0; k < rgb.pixels.size(); ++k) rgb.pixels[k] = view.image.pixels[k / 3];
    view.image = rgb;
  }
  EXPECT_TRUE(same_bytes(small_result(), dense_depth(colours, scene.points)));
  // Colours of the points are those of the image.
  for (DenseView& view : colours)
    for (std::size_t k = 0; k < view.image.pixels.size(); k += 3) view.image.pixels[k] = 7;
  const DenseResult result = dense_depth(colours, scene.points);
  ASSERT_FALSE(result.cloud.empty());
  for (const FusedPoint& p : result.cloud) {
    EXPECT_EQ(p.r, 7);
    EXPECT_EQ(p.g, p.b);
  }
}

TEST(DenseDepth, HasTheSameBytesForAnyNumberOfThreadsAndInEveryRun) {
  const DenseScene& scene = small_scene();
  ASSERT_GT(small_result().cloud.size(), 500U);
  for (const int threads : {1, 2, 16}) {
    const ThreadLimit limit(threads);
    EXPECT_TRUE(same_bytes(small_result(), dense_depth(scene.views, scene.points))) << threads;
  }
}

TEST(DenseDepth, HasTheSameBytesIfMemoryHoldsFewImages) {
  const DenseScene& scene = small_scene();
  const DenseOptions roomy = {.views = 1}, tight = {.views = 1, .max_memory = 1};
  EXPECT_TRUE(same_bytes(dense_depth(scene.views, scene.points, roomy),
                         dense_depth(scene.views, scene.points, tight)));
}

TEST(DenseDepth, DoesNotDependOnTheOrderOfAPointsViews) {
  const DenseScene& scene = small_scene();
  std::vector<DensePoint> points = scene.points;
  for (DensePoint& p : points) {
    std::ranges::reverse(p.views);
    p.views.push_back(p.views.front());  // the same view twice
  }
  EXPECT_TRUE(same_bytes(small_result(), dense_depth(scene.views, points)));
}

TEST(DenseDepth, OfEveryDeviceIsThatOfTheCpu) {
  const DenseScene scene =
      scene_of(std::vector(3, LensCamera("PINHOLE", std::array{58., 58., 31.5, 23.5}, 64, 48)),
               scene_poses(3));
  const DenseOptions options = {.min_agreeing = 1};
  const DenseResult expected = dense_depth(scene.views, scene.points, options);
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    const DenseResult first = dense_depth(queue, scene.views, scene.points, options),
                      again = dense_depth(queue, scene.views, scene.points, options);
    EXPECT_TRUE(same_bytes(first, again)) << id;
    double both = 0, near = 0, one = 0;
    for (std::size_t i = 0; i < expected.maps.size(); ++i)
      for (std::size_t k = 0; k < expected.maps[i].depth.pixels.size(); ++k) {
        const float a = expected.maps[i].depth.pixels[k], b = first.maps[i].depth.pixels[k];
        one += std::isnan(a) != std::isnan(b);
        if (std::isnan(a) || std::isnan(b)) continue;
        ++both;
        near += std::abs(a - b) < 0.005F * a;
      }
    std::printf("%s: %.4f of %.0f depths within 0.5 %%, %.0f known on one\n", id.c_str(),
                near / both, both, one);
    EXPECT_GT(both, 500) << id;
    EXPECT_GT(near, 0.97 * both) << id;
    EXPECT_LT(one, 0.05 * both) << id;
  });
}

}  // namespace
}  // namespace bifocal::test
