// SPDX-License-Identifier: BSD-3-Clause
// Misuse throws, while a pair without geometry is reported as an outcome.
#include <gtest/gtest.h>
#include <bifocal/error.hpp>
#include <bifocal/two_photographs.hpp>

#include <algorithm>
#include <random>

namespace bifocal {
namespace {

ImageU8 noise(int width, int height, int channels, unsigned seed) {
  ImageU8 image(width, height, channels);
  std::mt19937 random(seed);
  for (auto& v : image.pixels) v = static_cast<std::uint8_t>(random() >> 24);
  return image;
}

TEST(PairOptions, a_wrong_option_is_named) {
  const ImageU8 image = noise(64, 48, 1, 1);
  const auto message = [&](const PairOptions& options,
                           ImageView<const std::uint8_t> first) -> std::string {
    try {
      (void)estimate_pair(first, image, options);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::usage);
      return e.what();
    }
    return "nothing thrown";
  };
  PairOptions uncalibrated, flat_camera, no_room;
  uncalibrated.kind = ModelRequest::essential;
  flat_camera.camera1 = Intrinsics{0, 1, 0, 0};
  no_room.max_dense_pixels = 0;
  EXPECT_NE(message(uncalibrated, image).find("essential"), std::string::npos);
  EXPECT_NE(message(flat_camera, image).find("camera1"), std::string::npos);
  EXPECT_NE(message(no_room, image).find("max_dense_pixels"), std::string::npos);
  EXPECT_NE(message({}, ImageU8()).find("image1"), std::string::npos);
  EXPECT_NE(message({}, noise(8, 8, 5, 1)).find("5 channels"), std::string::npos);
}

TEST(PairOptions, one_pixel_and_flat_pictures_have_no_geometry) {
  for (const auto& [width, height] : {std::pair{1, 1}, {3, 200}, {320, 240}}) {
    const ImageU8 flat(width, height, 3, std::uint8_t{90});
    PairOptions options;
    options.camera1 = options.camera2 = Intrinsics{100, 100, 1, 1};
    const PairResult r = estimate_pair(flat, flat, options);
    EXPECT_EQ(r.outcome, Outcome::too_few_points);
    EXPECT_FALSE(r.reason.empty());
    EXPECT_FALSE(r.dense_reason.empty());
    EXPECT_FALSE(r.cam2_from_cam1.has_value());
    EXPECT_FALSE(r.dense.has_value());
  }
}

// An image and its left part moved by 8 px: tests the model and, with cameras, the depth.
TEST(PairOptions, every_device_finds_the_same) {
  const ImageU8 wide = noise(200, 160, 1, 5);
  ImageU8 left(320, 240, 1), right(320, 240, 1);  // noise in blocks of 3 x 3, as features need
  for (int y = 0; y < 240; ++y) {
    for (int x = 0; x < 320; ++x) {
      left.at(x, y) = wide.at((x + 16) / 3, y / 3);
      right.at(x, y) = wide.at((x + 8) / 3, y / 3);
    }
  }
  PairOptions options;
  options.kind = ModelRequest::homography;
  const PairResult here = estimate_pair(left, right, options);
  ASSERT_EQ(here.outcome, Outcome::ok);
  for (const DeviceInfo& device : list_devices()) {
    Queue queue(Device(device.id));
    const PairResult there = estimate_pair(queue, left, right, options);
    ASSERT_EQ(there.outcome, Outcome::ok) << device.id;
    for (std::size_t i = 0; i < 9; ++i)
      EXPECT_NEAR(there.estimate.model[i], here.estimate.model[i], 1e-6) << device.id;
    EXPECT_NEAR(there.estimate.model[2] / there.estimate.model[8], 8, 0.2);
  }
}

TEST(PairOptions, unrelated_noise_has_no_geometry) {
  for (unsigned seed = 0; seed < 3; ++seed) {
    const PairResult r = estimate_pair(noise(320, 240, 1, seed), noise(320, 240, 1, 100 + seed));
    EXPECT_NE(r.outcome, Outcome::ok)
        << r.estimate.num_inliers << " of " << r.points.size() << ": " << r.reason;
  }
}

TEST(PairOptions, progress_names_the_stages_in_order) {
  std::vector<double> fractions;
  std::vector<std::string> stages;
  PairOptions options;
  options.progress = [&](std::string_view stage, double fraction) {
    stages.emplace_back(stage);
    fractions.push_back(fraction);
  };
  const ImageU8 image = noise(200, 160, 4, 3);
  const PairResult r = estimate_pair(image, image, options);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(stages, (std::vector<std::string>{"features", "matching", "model", "doubt", "pose"}));
  ASSERT_EQ(r.timings.size(), stages.size());
  for (const StageTime& t : r.timings) EXPECT_GT(t.ms, 0) << t.stage;
}

}  // namespace
}  // namespace bifocal
