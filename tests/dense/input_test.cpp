// SPDX-License-Identifier: BSD-3-Clause
// Input of dense depth that is refused, and images without depth.
#include <gtest/gtest.h>
#include <bifocal/dense.hpp>

#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "dense/scene.hpp"
#include "io/expect.hpp"

namespace bifocal::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool has_depth(const DenseMap& map) {
  return std::ranges::any_of(map.depth.pixels, [](float v) { return !std::isnan(v); });
}

constexpr const char* kNoPlace =
    "has too few points, and no other view looks at the same place; min_depth and max_depth would "
    "replace them";

TEST(DenseInput, NamesTheViewThatIsRefused) {
  const auto expect_refused = [](const std::function<void(DenseView&)>& change,
                                 const std::string& message) {
    std::vector<DenseView> views = small_scene().views;
    views[2].name = "b.png";
    change(views[2]);
    expect_error([&] { (void)dense_depth(views, {}); }, message, ErrorCode::usage);
  };
  expect_refused([](DenseView& v) { v.image = {}; }, "view 2, b.png: an image without pixels");
  expect_refused([](DenseView& v) { v.image = ImageU8(72, 54, 2); },
                 "view 2, b.png: 2 channels, must be 1 or 3");
  expect_refused([](DenseView& v) { v.image = ImageU8(4001, 2); }, "view 2, b.png: 4001 x 2 px");
  expect_refused([](DenseView& v) { v.camera.fx = 0; }, "view 2, b.png: camera 0 66 35.5 26.5");
  expect_refused([](DenseView& v) { v.camera.fy = -1; }, "view 2, b.png: camera 66 -1 35.5 26.5");
  expect_refused([](DenseView& v) { v.camera.cx = kNan; }, "view 2, b.png: camera 66 66 nan");
  expect_refused([](DenseView& v) { v.cam_from_world.R[4] = kNan; },
                 "view 2, b.png: its rotation is not finite");
  expect_refused([](DenseView& v) { v.cam_from_world.t[1] = kNan; },
                 "view 2, b.png: its translation is not finite");
}

TEST(DenseInput, NamesThePointThatIsRefused) {
  const auto expect_refused = [](const DensePoint& point, const std::string& message) {
    std::vector<DensePoint> points = small_scene().points;
    points[3] = point;
    expect_error([&] { (void)dense_depth(small_scene().views, points); }, message,
                 ErrorCode::usage);
  };
  expect_refused({{0, 0, 5}, {1, 4}}, "point 3: view 4, but there are 4 views");
  expect_refused({{0, 0, 5}, {-1}}, "point 3: view -1, but there are 4 views");
  expect_refused({{0, kNan, 5}, {0, 1}}, "point 3: its position is not finite");
}

TEST(DenseInput, NamesTheOptionThatIsRefused) {
  const auto expect_refused = [](const DenseOptions& options, const std::string& message) {
    expect_error([&] { (void)dense_depth(small_scene().views, {}, options); }, message,
                 ErrorCode::usage);
  };
  expect_refused({.views = 0}, "views");
  expect_refused({.views = 17}, "views");
  expect_refused({.min_agreeing = 0}, "min_agreeing");
  expect_refused({.max_size = 63}, "max_size");
  expect_refused({.min_depth = -1}, "min_depth");
  expect_refused({.max_depth = kNan}, "max_depth");
  expect_refused({.min_depth = 5, .max_depth = 4}, "min_depth: 5 is not below max_depth, 4");
  expect_refused({.min_depth = 5, .max_depth = 5}, "min_depth: 5 is not below max_depth, 5");
}

TEST(DenseInput, MayBeEmpty) {
  const DenseResult none = dense_depth({}, {});
  EXPECT_TRUE(none.maps.empty() && none.cloud.empty());
}

TEST(DenseInput, OfOneViewGivesAReason) {
  const DenseScene& scene = small_scene();
  const DenseResult one = dense_depth(std::span(scene.views).first(1), {});
  ASSERT_EQ(one.maps.size(), 1U);
  EXPECT_EQ(one.maps[0].reason, kNoPlace);
  EXPECT_EQ(one.maps[0].depth.pixels.size(), 72U * 54U);
  EXPECT_FALSE(has_depth(one.maps[0]));
  EXPECT_TRUE(one.cloud.empty());
}

TEST(DenseInput, OfViewsAtOnePlaceGivesAReason) {
  std::vector<DenseView> views = small_scene().views;
  for (std::size_t i = 0; i < views.size(); ++i) {
    views[i].cam_from_world = views[0].cam_from_world;
    views[i].cam_from_world.t[0] += 0.01 * double(i);  // 0.2 degrees or less
  }
  for (const DenseMap& map : dense_depth(views, small_scene().points).maps) {
    EXPECT_EQ(map.reason, "has no neighbour with an angle above 1 degree");
    EXPECT_FALSE(has_depth(map));
  }
}

TEST(DenseInput, AViewFarAwayIsLeftOutAndSaysWhy) {
  std::vector<DenseView> views = small_scene().views;
  const std::size_t last = views.size() - 1;
  views[last].cam_from_world.t = {0, 0, 500};
  std::vector<DensePoint> points = small_scene().points;
  for (DensePoint& p : points) std::erase(p.views, static_cast<int>(last));
  const DenseResult result = dense_depth(views, points);
  EXPECT_FALSE(result.maps[last].reason.empty());
  EXPECT_FALSE(has_depth(result.maps[last]));
  for (std::size_t i = 0; i < last; ++i) {
    EXPECT_EQ(result.maps[i].reason, "");
    EXPECT_TRUE(has_depth(result.maps[i]));
  }
}

// A view without points whose optical axis crosses no other axis cannot be matched, but other views
// can be matched with it.
TEST(DenseInput, AViewWithoutOwnDepthStillHelpsOthers) {
  const DenseScene scene = [] {
    std::vector<Pose> poses;
    for (int i = 0; i < 3; ++i)
      poses.push_back({{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0.4 - 0.4 * i, 0, 0}});
    return scene_of(std::vector(3, LensCamera("PINHOLE", std::array{66., 66., 35.5, 26.5}, 72, 54)),
                    poses);
  }();
  std::vector<DensePoint> points = scene.points;
  for (DensePoint& p : points) std::erase(p.views, 2);
  const DenseResult result = dense_depth(scene.views, points, {.min_agreeing = 1});
  EXPECT_EQ(result.maps[2].reason, kNoPlace);
  EXPECT_TRUE(has_depth(result.maps[0]));
  EXPECT_TRUE(has_depth(result.maps[1]));
  const DenseResult of_two =
      dense_depth(std::span(scene.views).first(2), points, {.min_agreeing = 1});
  EXPECT_NE(result.maps[0].views.pixels, of_two.maps[0].views.pixels);
}

TEST(DenseInput, PointsBehindAViewGiveAReason) {
  std::vector<DensePoint> points;
  for (int k = 0; k < 40; ++k) points.push_back({{0.1 * k, 0, -5}, {0, 1, 2, 3}});
  for (const DenseMap& map : dense_depth(small_scene().views, points).maps)
    EXPECT_EQ(map.reason, "all its points are behind it");
}

TEST(DenseInput, ARangeWithoutPointsGivesAReason) {
  const DenseScene& scene = small_scene();
  for (const DenseOptions& options :
       {DenseOptions{.max_depth = 0.1}, DenseOptions{.min_depth = 500}})
    for (const DenseMap& map : dense_depth(scene.views, scene.points, options).maps) {
      EXPECT_EQ(map.reason, "has no points between min_depth and max_depth");
      EXPECT_FALSE(has_depth(map));
    }
}

TEST(DenseInput, MayHaveImagesOfFewPixels) {
  std::vector<DenseView> views = small_scene().views;
  for (DenseView& view : views) view.image = ImageU8(1, 3);
  const DenseResult result = dense_depth(views, small_scene().points);
  for (const DenseMap& map : result.maps) EXPECT_EQ(map.depth.pixels.size(), 3U);
}

TEST(DenseInput, ReportsEveryImageInThreeStages) {
  std::vector<std::array<int, 3>> calls;
  (void)dense_depth(
      small_scene().views, small_scene().points, {.progress = [&](const DenseProgress& p) {
        calls.push_back({static_cast<int>(p.stage), static_cast<int>(p.done), int(p.total)});
      }});
  std::vector<std::array<int, 3>> expected;
  for (int stage = 0; stage < 3; ++stage)
    for (int done = 1; done <= 4; ++done) expected.push_back({stage, done, 4});
  EXPECT_EQ(calls, expected);
}

TEST(DenseInput, CallsEndWhenCancelled) {
  bool is_wanted = false;
  const CancelScope scope([&] { return is_wanted; });
  EXPECT_THROW((void)dense_depth(small_scene().views, small_scene().points,
                                 {.progress = [&](const DenseProgress&) { is_wanted = true; }}),
               Cancelled);
}

}  // namespace
}  // namespace bifocal::test
