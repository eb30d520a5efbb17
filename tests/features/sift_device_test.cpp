// SPDX-License-Identifier: BSD-3-Clause
// SIFT on every GPU and OpenCL device of this machine finds the CPU's features, apart
// from rounding.
#include <bifocal/device.hpp>
#include <bifocal/error.hpp>
#include <bifocal/matching.hpp>
#include <bifocal/features.hpp>
#include <bifocal/io.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <tuple>

#include "features/pictures.hpp"
#include "features/sift/sift_device.hpp"
#include "support/data.hpp"
#include "support/devices.hpp"
#include "support/long_tests.hpp"

namespace bifocal::test {
namespace {

struct Agreement {
  int near = 0, alike = 0;      // features found in both, and with the same descriptor
  int places = 0;               // places of missing features; a place may have several directions
  double worst = 0, angle = 0;  // px, degrees
  double shape = 0;             // between matrix elements of matching features
};
Agreement compare(const Features& f, const Features& other) {
  Agreement result;
  std::set<std::tuple<float, float, float>> missing;
  for (std::size_t i = 0; i < f.keypoints.size(); ++i) {
    const Keypoint& a = f.keypoints[i];
    bool is_there = false;
    for (std::size_t j = 0; j < other.keypoints.size() && !is_there; ++j) {
      const Keypoint& b = other.keypoints[j];
      if (std::abs(a.y - b.y) > 0.02F) continue;
      const double off = std::hypot(a.x - b.x, a.y - b.y);
      const double turn = std::abs(std::remainder(a.angle_deg - b.angle_deg, 360));
      if (off > 0.01 || turn > 0.1 || std::abs(a.sigma - b.sigma) > 0.01 * b.sigma) continue;
      is_there = true;
      result.worst = std::max(result.worst, off);
      result.angle = std::max(result.angle, turn);
      int largest = 0;
      for (std::size_t k = 0; k < 128; ++k)
        largest = std::max(largest,
                           std::abs(f.descriptors[128 * i + k] - other.descriptors[128 * j + k]));
      result.alike += largest <= 2;
      if (largest > 2 || f.shapes.empty() || other.shapes.empty()) continue;
      const KeypointShape &A = f.shapes[i], &B = other.shapes[j];
      for (const float v : {A.xx - B.xx, A.xy - B.xy, A.yy - B.yy})
        result.shape = std::max<double>(result.shape, std::abs(v));
    }
    result.near += is_there;
    if (!is_there) missing.insert({a.x, a.y, a.sigma});
  }
  result.places = static_cast<int>(missing.size());
  return result;
}

// At most one place plus one in 200 may appear, vanish, or move to a second sample that equals the
// first up to rounding.
void expect_alike(const Features& f, const Features& reference, const std::string& what) {
  const Agreement a = compare(reference, f), back = compare(f, reference);
  std::printf(
      "%s: %d features, %d of the CPU's %d, descriptors %d; worst %.5f px, %.4f degrees, %.5f\n",
      what.c_str(), f.size(), a.near, reference.size(), a.alike, a.worst, a.angle, a.shape);
  EXPECT_EQ(f.shapes.size(), reference.shapes.empty() ? 0 : f.keypoints.size()) << what;
  EXPECT_LT(a.shape, 0.01) << what;
  EXPECT_LE(a.places, 1 + reference.size() / 200) << what;
  EXPECT_LE(back.places, 1 + f.size() / 200) << what;
  EXPECT_GE(a.alike, a.near - a.near / 100) << what;
}

TEST(SiftDevice, finds_the_cpu_features) {
  const ImageU8 blobs = random_blobs(203, 161, 4), speckled = noise(130, 97, 6);
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    for (const bool upsample : {true, false}) {
      SiftOptions options;
      options.upsample = upsample;
      for (const ImageU8* image : {&blobs, &speckled})
        expect_alike(detect_sift(queue, *image, options), detect_sift(*image, options),
                     id + (upsample ? ", doubled" : ""));
    }
  });
}

// Blur radii that differ from the defaults, and Lowe's normalisation.
TEST(SiftDevice, takes_all_options) {
  const ImageU8 image = random_blobs(150, 120, 9);
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    for (const auto& [layers, sigma] : {std::pair(1, 1.6), {1, 2.6}, {5, 1.2}}) {
      SiftOptions options;
      options.octave_layers = layers;
      options.sigma = sigma;
      options.contrast_threshold = 0.02;
      options.root = false;
      expect_alike(detect_sift(queue, image, options), detect_sift(image, options),
                   id + ", " + std::to_string(layers) + " layers");
    }
  });
}

// Domains beyond the image border and above the last level of the octave; one layer uses other
// levels than three layers do.
TEST(SiftDevice, pools_domain_sizes_as_the_cpu_does) {
  const ImageU8 blobs = random_blobs(203, 161, 4);
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    for (const int layers : {1, 3}) {
      for (const bool root : {true, false}) {
        const SiftOptions options{
            .octave_layers = layers, .root = root, .domain_size_pooling = true};
        const Features f = detect_sift(queue, blobs, options);
        expect_alike(f, detect_sift(blobs, options), id + ", pooled");
        SiftOptions single = options;
        single.domain_size_pooling = false;
        EXPECT_LT(compare(f, detect_sift(blobs, single)).alike, f.size() / 20) << id;
      }
    }
  });
}

// Ellipses beyond the image border, points that stay round, and pooling on three levels each. The
// cap selects points before they have shapes.
TEST(SiftDevice, shapes_equal_the_cpu_shapes) {
  const ImageU8 blobs = random_blobs(203, 161, 4), speckled = noise(130, 97, 6);
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    for (const bool pooled : {false, true}) {
      for (const ImageU8* image : {&blobs, &speckled}) {
        const SiftOptions options{
            .octave_layers = pooled ? 2 : 3, .domain_size_pooling = pooled, .affine_shape = true};
        const Features f = detect_sift(queue, *image, options);
        expect_alike(f, detect_sift(*image, options), id + (pooled ? ", pooled" : ", shapes"));
        SiftOptions round = options;
        round.affine_shape = false;
        EXPECT_LT(compare(f, detect_sift(*image, round)).alike, f.size() / 4) << id;
        SiftOptions capped = options;
        capped.max_features = 20;
        Features first = f;
        first.keypoints.resize(20), first.shapes.resize(20);
        first.descriptors.resize(20 * kDescriptorBytes);
        EXPECT_TRUE(same(detect_sift(queue, *image, capped), first)) << id;
      }
    }
  });
}

TEST(SiftDevice, finds_the_cpu_features_of_photographs) {
  BIFOCAL_NEEDS_DATA("oxford_affine")
  const std::string path = data("oxford_affine/graf/img1.png").string();

  const ImageU8 whole = to_grey(read_image(path));
  const ImageView<const std::uint8_t> all = whole;
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    // A CPU device gets a part of the image.
    const bool is_gpu = queue.device().info().is_gpu;
    const ImageView<const std::uint8_t> image(all.row(100) + 50, is_gpu ? 701 : 301,
                                              is_gpu ? 511 : 223, 1, all.stride);
    SiftOptions options;
    expect_alike(detect_sift(queue, image, options), detect_sift(image, options), id);
    options.upsample = false;
    expect_alike(detect_sift(queue, image, options), detect_sift(image, options), id);
    options.domain_size_pooling = true;
    expect_alike(detect_sift(queue, image, options), detect_sift(image, options), id + ", pooled");
    options.affine_shape = true;
    expect_alike(detect_sift(queue, image, options), detect_sift(image, options), id + ", shapes");
  });
}

TEST(SiftDevice, is_the_same_on_every_run_and_in_every_batch) {
  std::vector<ImageU8> pictures;
  for (unsigned seed = 1; seed <= 5; ++seed) pictures.push_back(random_blobs(170, 131, seed));
  pictures[3] = ImageU8(170, 131);  // a uniform image
  const std::vector<ImageView<const std::uint8_t>> views(pictures.begin(), pictures.end());
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    for (const bool affine : {false, true}) {
      const SiftOptions options{.affine_shape = affine};
      SiftDetector single(queue, 170, 131, options), batched(queue, 170, 131, options, 3);
      const std::vector<Features> together = batched(views), again = batched(views);
      ASSERT_EQ(together.size(), views.size());
      for (std::size_t k = 0; k < views.size(); ++k) {
        EXPECT_TRUE(same(together[k], again[k])) << id << ", picture " << k;
        EXPECT_TRUE(same(together[k], single(views[k]))) << id << ", picture " << k;
      }
      EXPECT_EQ(together[3].size(), 0) << id;
    }
  });
}

TEST(SiftDevice, features_stay_in_a_set) {
  std::vector<ImageU8> pictures;
  for (unsigned seed = 1; seed <= 5; ++seed) pictures.push_back(random_blobs(120, 101, seed));
  const std::vector<ImageView<const std::uint8_t>> views(pictures.begin(), pictures.end());
  std::vector<std::uint8_t> pixels;
  for (const ImageU8& p : pictures) pixels.insert(pixels.end(), p.pixels.begin(), p.pixels.end());
  const SiftOptions options{.max_features = 60, .affine_shape = true};
  const auto test = [&](Queue& queue, const std::string& id) {
    SiftDetector detector(queue, 120, 101, options, 2);
    FeatureSet set(queue.device());
    Buffer<std::uint8_t> images(queue.device(), pixels.size());
    images.upload(queue, pixels);
    EXPECT_EQ(detector.add(views, set), 0) << id;
    EXPECT_EQ(detector.add(images, 5, set), 5) << id;
    EXPECT_EQ(detector.add(images, 0, set), 10) << id;
    ASSERT_EQ(set.size(), 10) << id;
    const std::vector<Features> expected = detector(views);
    for (int k = 0; k < 10; ++k) {
      EXPECT_TRUE(same(set.get(queue, k), expected[static_cast<std::size_t>(k % 5)]))
          << id << ", slot " << k;
    }
    EXPECT_THROW((void)detector.add(images, 6, set), Error) << id;
    EXPECT_THROW((void)detector.add(images, -1, set), Error) << id;
    EXPECT_THROW((void)detector.add(Memory<const std::uint8_t>(), 1, set), Error) << id;
    if (queue.device().info().kind != DeviceKind::cpu) {
      EXPECT_THROW((void)detector.add(pixels.data(), 5, set), Error) << id;
    }
  };
  for_each_device(test);
}

TEST(SiftDevice, cap_keeps_the_strongest) {
  const ImageU8 image = random_blobs(220, 180, 2);
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    SiftOptions options;
    options.max_features = 0;
    const Features all = detect_sift(queue, image, options);
    options.max_features = 40;
    const Features few = detect_sift(queue, image, options);
    ASSERT_EQ(few.size(), 40) << id;
    EXPECT_EQ(0, std::memcmp(few.keypoints.data(), all.keypoints.data(), 40 * sizeof(Keypoint)));
    EXPECT_TRUE(
        std::equal(few.descriptors.begin(), few.descriptors.end(), all.descriptors.begin()));
    for (std::size_t i = 1; i < all.keypoints.size(); ++i)
      EXPECT_LE(all.keypoints[i].response * all.keypoints[i].sigma,
                all.keypoints[i - 1].response * all.keypoints[i - 1].sigma);
  });
}

// A cap selects extrema before they get directions; still the list is the beginning of the whole
// list. If the mask hides the strong extrema, weaker extrema are selected.
TEST(SiftDevice, cap_is_the_beginning_of_the_whole_list) {
  std::vector<ImageU8> pictures;
  for (unsigned seed = 1; seed <= 3; ++seed) pictures.push_back(random_blobs(260, 200, seed));
  pictures.push_back(ImageU8(260, 200));
  pictures.push_back(noise(260, 200, 4));
  pictures.push_back(blob_image(260, 200, {{60, 50, 4, 50}, {180, 120, 7, -50}}));
  const std::vector<ImageView<const std::uint8_t>> views(pictures.begin(), pictures.end());
  ImageU8 everywhere(260, 200, 1, 255), corner(260, 200);
  for (int y = 130; y < 200; ++y) std::fill_n(corner.row(y) + 170, 90, std::uint8_t{1});
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    for (const ImageU8* mask : {&everywhere, &corner}) {
      SiftDetector plain(queue, 260, 200, {.max_features = 0}, 2);
      plain.set_mask(*mask);
      const std::vector<Features> whole = plain(views);
      EXPECT_GT(whole[0].size(), mask == &corner ? 20 : 200) << id;
      for (const int cap :
           test::short_or_long<std::vector<int>>({1, 60, 400}, {1, 2, 17, 60, 250, 400, 1600})) {
        SiftDetector capped(queue, 260, 200, {.max_features = cap}, 4);
        capped.set_mask(*mask);
        for (int run = 0; run < 2; ++run) {
          const std::vector<Features> found = capped(views);
          for (std::size_t k = 0; k < views.size(); ++k) {
            Features expected = whole[k];
            const auto kept = static_cast<std::size_t>(std::min(cap, expected.size()));
            expected.keypoints.resize(kept);
            expected.descriptors.resize(kept * kDescriptorBytes);
            EXPECT_TRUE(same(found[k], expected))
                << id << ", picture " << k << ", cap " << cap << ": " << found[k].size() << " of "
                << whole[k].size();
          }
        }
      }
    }
  });
}

// Noise with little blur and without thresholds has more points than the initial capacity.
TEST(SiftDevice, takes_pictures_full_of_extrema) {
  const ImageU8 image = noise(220, 180, 3);
  SiftOptions options;
  options.contrast_threshold = 0;
  options.edge_threshold = 1e5;
  options.sigma = 0.8;
  options.octave_layers = 16;
  options.upsample = false;
  options.max_features = 0;
  const Features expected = detect_sift(image, options);
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    features::SiftDevice first(queue, 220, 180, options, 1);
    ASSERT_GT(expected.size(), first.capacity());
    expect_alike(detect_sift(queue, image, options), expected, id);
  });
}

TEST(SiftDevice, takes_images_of_any_shape) {
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    EXPECT_EQ(detect_sift(queue, ImageView<const std::uint8_t>()).size(), 0) << id;
    for (const auto& [width, height] :
         {std::pair(1, 1), {2, 1}, {3, 3}, {6, 6}, {11, 11}, {1, 300}, {300, 6}, {33, 17}}) {
      const ImageU8 image = noise(width, height, 1);
      for (const bool affine : {false, true}) {
        const Features f = detect_sift(queue, image, {.affine_shape = affine}),
                       expected = detect_sift(image, {.affine_shape = affine});
        EXPECT_NEAR(f.size(), expected.size(), 1) << id << ", " << width << " x " << height;
      }
    }
  });
}

// 100 megapixels need 1.8 GB in bands if upsampled, and the message says so. A smaller image is
// processed after that.
TEST(SiftDevice, names_images_beyond_the_memory) {
  const ImageU8 image = random_blobs(120, 101, 5);
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    const Features before = detect_sift(queue, image);
    setenv("BIFOCAL_DEVICE_MEMORY", "200M", 1);
    const auto message = [&](bool upsample, int batch) -> std::string {
      try {
        SiftDetector(queue, 11600, 8700, {.upsample = upsample}, batch);
      } catch (const Error& e) {
        return e.code() == ErrorCode::device ? e.what() : "";
      }
      return "";
    };
    const std::string doubled = message(true, 1), plain = message(false, 2);
    const Features there = detect_sift(queue, image);
    unsetenv("BIFOCAL_DEVICE_MEMORY");
    EXPECT_NE(doubled.find("images of 11600 x 8700 px, 1 at once, take at least 1793 MB"),
              std::string::npos)
        << id << ": " << doubled;
    EXPECT_NE(doubled.find("a quarter of it without `upsample`"), std::string::npos) << doubled;
    EXPECT_NE(doubled.find("out of memory: "), std::string::npos) << doubled;
    EXPECT_NE(plain.find(", 2 at once, take at least "), std::string::npos) << id << ": " << plain;
    EXPECT_EQ(plain.find("quarter"), std::string::npos) << id << ": " << plain;
    EXPECT_TRUE(same(there, before)) << id;
  });
}

TEST(SiftDevice, refuses_mismatched_input) {
  const ImageU8 image(20, 20);
  for_each_gpu_or_opencl([&](Queue& queue, const std::string&) {
    SiftOptions wrong;
    wrong.sigma = 0;
    EXPECT_THROW((void)detect_sift(queue, image, wrong), Error);
    EXPECT_THROW(SiftDetector(queue, 0, 5), Error);
    EXPECT_THROW(SiftDetector(queue, 20, 20, {}, 0), Error);
    SiftDetector detector(queue, 21, 20);
    EXPECT_THROW((void)detector(image), Error);
  });
  Queue cpu;
  SiftDetector detector(cpu, 20, 20);
  EXPECT_EQ(detector(image).size(), 0);
  EXPECT_EQ(detector.memory(), 0U);
}

}  // namespace
}  // namespace bifocal::test
