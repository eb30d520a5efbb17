// SPDX-License-Identifier: BSD-3-Clause
// SURF on every device of this machine: one source, so the features differ only by rounding and by
// what depends on the size of a group.
#include <bifocal/device.hpp>
#include <bifocal/error.hpp>
#include <bifocal/matching.hpp>
#include <bifocal/features.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "features/pictures.hpp"
#include "features/surf/surf_device.hpp"
#include "support/devices.hpp"

namespace bifocal::test {
namespace {

// Determinants are equal, so the same points are found, in the same order except for points of
// nearly the same strength. One descriptor in 50 may have a sample on the next pixel, and one
// direction in 200 may come from another window.
void expect_alike(const Features& f, const Features& reference, const std::string& what) {
  int known = 0, turned = 0, alike = 0;
  double worst = 0;
  for (std::size_t i = 0; i < reference.keypoints.size(); ++i) {
    const Keypoint& a = reference.keypoints[i];
    for (std::size_t j = 0; j < f.keypoints.size(); ++j) {
      const Keypoint& b = f.keypoints[j];
      const double off = std::hypot(a.x - b.x, a.y - b.y);
      if (off > 1e-3 || std::abs(a.sigma / b.sigma - 1) > 1e-4) continue;
      ++known;
      worst = std::max(worst, off);
      if (std::abs(std::remainder(a.angle_deg - b.angle_deg, 360)) > 0.01) {
        ++turned;
        break;
      }
      int largest = 0;
      for (std::size_t k = 0; k < 128; ++k)
        largest = std::max(
            largest, std::abs(reference.descriptors[128 * i + k] - f.descriptors[128 * j + k]));
      alike += largest <= 1;
      break;
    }
  }
  std::printf("%s: %d features, %d of the CPU's %d, %d turned, descriptors %d; worst %.6f px\n",
              what.c_str(), f.size(), known, reference.size(), turned, alike, worst);
  // An extremum whose refinement ends at the bound, or a response at the threshold, may fall to
  // either side: 1 of 6,976 on an H200.
  const int most = reference.size() / 2000;
  EXPECT_NEAR(f.size(), reference.size(), most) << what;
  EXPECT_GE(known, reference.size() - most) << what;
  EXPECT_LE(turned, 1 + known / 200) << what;
  EXPECT_GE(alike, known - turned - 1 - known / 50) << what;
}

TEST(SurfDevice, finds_the_cpu_features) {
  const ImageU8 blobs = random_blobs(213, 171, 4), speckled = noise(150, 137, 6);
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    for (const SurfOptions& options :
         {SurfOptions{}, SurfOptions{.upsample = true}, SurfOptions{.numbers = 128},
          SurfOptions{.octaves = 1, .threshold = 0, .upright = true}, SurfOptions{.octaves = 5}}) {
      for (const ImageU8* image : {&blobs, &speckled})
        expect_alike(detect_surf(queue, *image, options), detect_surf(*image, options), id);
    }
  });
}

// No sum here exceeds 2^32; some rows are longer than a group adds in one step.
TEST(SurfDevice, takes_images_of_any_shape) {
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    EXPECT_EQ(detect_surf(queue, ImageView<const std::uint8_t>()).size(), 0) << id;
    for (const auto& [width, height] : {std::pair(1, 1),
                                        {2, 1},
                                        {16, 16},
                                        {27, 27},
                                        {28, 29},
                                        {29, 29},
                                        {1, 300},
                                        {33, 117},
                                        {64, 63},
                                        {2100, 40}}) {
      const ImageU8 image = noise(width, height, 1);
      EXPECT_EQ(detect_surf(queue, image).size(), detect_surf(image).size())
          << id << ", " << width << " x " << height;
    }
  });
}

TEST(SurfDevice, is_the_same_on_every_run_and_in_every_batch) {
  std::vector<ImageU8> pictures;
  for (unsigned seed = 1; seed <= 5; ++seed) pictures.push_back(random_blobs(170, 131, seed));
  pictures[3] = ImageU8(170, 131);  // a uniform image
  const std::vector<ImageView<const std::uint8_t>> views(pictures.begin(), pictures.end());
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    SurfDetector single(queue, 170, 131), batched(queue, 170, 131, {}, 3);
    const std::vector<Features> together = batched(views), again = batched(views);
    ASSERT_EQ(together.size(), views.size());
    for (std::size_t k = 0; k < views.size(); ++k) {
      EXPECT_TRUE(same(together[k], again[k])) << id << ", picture " << k;
      EXPECT_TRUE(same(together[k], single(views[k]))) << id << ", picture " << k;
    }
    EXPECT_GT(together[0].size(), 20) << id;
    EXPECT_EQ(together[3].size(), 0) << id;
  });
}

TEST(SurfDevice, features_stay_in_a_set) {
  std::vector<ImageU8> pictures;
  for (unsigned seed = 1; seed <= 5; ++seed) pictures.push_back(random_blobs(120, 101, seed));
  const std::vector<ImageView<const std::uint8_t>> views(pictures.begin(), pictures.end());
  std::vector<std::uint8_t> pixels;
  for (const ImageU8& p : pictures) pixels.insert(pixels.end(), p.pixels.begin(), p.pixels.end());
  for_each_device([&](Queue& queue, const std::string& id) {
    SurfDetector detector(queue, 120, 101, {.max_features = 20}, 2);
    FeatureSet set(queue.device());
    Buffer<std::uint8_t> images(queue.device(), pixels.size());
    images.upload(queue, pixels);
    EXPECT_EQ(detector.add(views, set), 0) << id;
    EXPECT_EQ(detector.add(images, 5, set), 5) << id;
    ASSERT_EQ(set.size(), 10) << id;
    const std::vector<Features> expected = detector(views);
    EXPECT_GT(expected[0].size(), 5) << id;
    for (int k = 0; k < 10; ++k) {
      EXPECT_TRUE(same(set.get(queue, k), expected[static_cast<std::size_t>(k % 5)]))
          << id << ", slot " << k;
    }
    EXPECT_THROW((void)detector.add(images, 6, set), Error) << id;
  });
}

// Many blobs of the smallest size without a threshold: more maxima than the initial capacity.
TEST(SurfDevice, takes_pictures_full_of_maxima) {
  const ImageU8 image = noise(420, 380, 3);
  const SurfOptions options{.max_features = 0, .threshold = 0};
  const Features expected = detect_surf(image, options);
  for_each_device([&](Queue& queue, const std::string& id) {
    EXPECT_EQ(detect_surf(queue, image, options).size(), expected.size()) << id;
    // The detector has capacity for only 100 points; the overflow is reported and the slot
    // stays empty.
    features::SurfDevice narrow(queue, 420, 380, options, 1, 100);
    Buffer<std::uint8_t> picture(queue.device(), image.pixels.size());
    picture.upload(queue, image.pixels);
    FeatureSet set(queue.device());
    (void)set.reserve(queue, 100, 1);
    narrow.run(picture, 0, 1, {set.keypoints(), set.descriptors(), set.counts(), 0, 0, 100});
    EXPECT_TRUE(narrow.was_full(1)) << id;
    EXPECT_EQ(set.count(queue, 0), 0) << id;
  });
}

TEST(SurfDevice, refuses_mismatched_input) {
  const ImageU8 image(20, 20);
  for_each_gpu_or_opencl([&](Queue& queue, const std::string&) {
    EXPECT_THROW((void)detect_surf(queue, image, {.numbers = 3}), Error);
    EXPECT_THROW((void)detect_surf(queue, ImageU8(20, 20, 5)), Error);
    EXPECT_THROW(SurfDetector(queue, 0, 5), Error);
    EXPECT_THROW(SurfDetector(queue, 20, 20, {}, 0), Error);
    SurfDetector detector(queue, 21, 20);
    EXPECT_THROW((void)detector(image), Error);
  });
  Queue cpu;
  SurfDetector detector(cpu, 20, 20);
  EXPECT_EQ(detector(image).size(), 0);
  EXPECT_EQ(detector.memory(), 0U);
}

}  // namespace
}  // namespace bifocal::test
