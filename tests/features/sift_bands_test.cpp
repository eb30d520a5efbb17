// SPDX-License-Identifier: BSD-3-Clause
// SIFT on devices without memory for all levels of an image works in bands of rows, with the same
// bits as on the whole image.
#include <bifocal/device.hpp>
#include <bifocal/error.hpp>
#include <bifocal/features.hpp>
#include <bifocal/matching.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "features/pictures.hpp"
#include "features/sift/sift_plan.hpp"
#include "support/devices.hpp"
#include "support/long_tests.hpp"

namespace bifocal::test {
namespace {

using features::SiftPlan;

std::size_t whole_memory(int width, int height, const SiftOptions& options) {
  return features::plan_sift(width, height, options).bytes + std::size_t(width) * height;
}

// Returns memory limits from the minimum to a byte less than the whole image needs.
std::vector<std::size_t> bounds_of(int width, int height, const SiftOptions& options) {
  const std::size_t least = SiftDetector::least_memory(width, height, options),
                    whole = whole_memory(width, height, options);
  std::vector<std::size_t> bounds;
  if (least == whole) return bounds;
  for (const std::size_t k : {0, 1, 3, 6}) bounds.push_back(least + (whole - least) * k / 8);
  bounds.push_back(whole - 1);
  return bounds;
}

// Expects the same bits from images in bands of every height. Returns the number of features.
int expect_same_in_bands(Queue& queue, const std::vector<AnyImageView>& images,
                         const SiftOptions& options, const ImageU8& mask, const std::string& what) {
  const int width = images[0].width(), height = images[0].height();
  SiftDetector whole(queue, width, height, options);
  whole.set_mask(mask);
  const std::vector<Features> expected = whole(images);
  const std::vector<std::size_t> bounds = bounds_of(width, height, options);
  EXPECT_FALSE(bounds.empty()) << what << ": never in bands";
  for (const std::size_t bound : bounds) {
    const std::size_t left = bound - std::size_t(width) * height;
    EXPECT_TRUE(features::plan_sift(width, height, options, 0, left).is_banded()) << what;
    SiftDetector banded(queue, width, height, options, 1, bound);
    EXPECT_LE(banded.memory(), bound) << what;
    banded.set_mask(mask);
    const std::vector<Features> found = banded(images);
    for (std::size_t k = 0; k < images.size(); ++k)
      EXPECT_TRUE(same(found[k], expected[k]))
          << what << ", image " << k << " in " << bound << " bytes: " << found[k].size() << " of "
          << expected[k].size();
  }
  return expected[0].size();
}

// Bands have from 32 rows to nearly the whole image.
TEST(SiftBands, have_the_bits_of_the_whole_image) {
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    for (const auto& [width, height] : test::short_or_long<std::vector<std::pair<int, int>>>(
             {{70, 301}}, {{70, 301}, {101, 460}, {233, 250}})) {
      const ImageU8 blobs = random_blobs(width, height, 4), speckled = noise(width, height, 6);
      const ImageU8 tall = random_blobs(width, 2 * height, 5);
      for (const bool upsample : {true, false}) {
        const std::vector<AnyImageView> images =
            upsample ? std::vector<AnyImageView>{blobs, speckled} : std::vector<AnyImageView>{tall};
        const std::string what = id + ", " + std::to_string(width) + (upsample ? ", doubled" : "");
        for (const int cap : {0, 40}) {
          const SiftOptions options{.max_features = cap, .upsample = upsample};
          EXPECT_GE(expect_same_in_bands(queue, images, options, {}, what), 40);
        }
      }
    }
  });
}

// Options with a larger reach (pooled domains and shapes), blur radii beyond the tiles of groups,
// balanced cells, and a mask.
TEST(SiftBands, take_all_options) {
  const ImageU8 image = random_blobs(90, 420, 9);
  ImageU8 mask(90, 420, 1, 255);
  for (int y = 100; y < 300; ++y) std::fill_n(mask.row(y) + 20, 40, std::uint8_t{0});
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    const auto test = [&](const SiftOptions& options, const ImageU8& allowed, const char* what) {
      EXPECT_GE(expect_same_in_bands(queue, {image}, options, allowed, id + ", " + what), 17);
    };
    if (test::is_long()) {
      test({.domain_size_pooling = true}, {}, "pooled");
      test({.affine_shape = true}, {}, "shapes");
      test({.octave_layers = 1, .contrast_threshold = 0.02, .upsample = false}, mask, "one layer");
      test({.max_features = 17}, mask, "mask");
    }
    test({.max_features = 100, .domain_size_pooling = true, .affine_shape = true}, mask, "both");
    test({.octave_layers = 5, .contrast_threshold = 0.02, .sigma = 1.2, .root = false}, {}, "five");
    test({.max_features = 60, .balance = 8}, {}, "balance");
  });
}

// Noise without thresholds has more extrema in a band than the initial capacity.
TEST(SiftBands, grow_if_they_overflow) {
  const ImageU8 image = noise(120, 700, 3);
  const SiftOptions options{.max_features = 0,
                            .octave_layers = 16,
                            .contrast_threshold = 0,
                            .edge_threshold = 1e5,
                            .sigma = 0.8,
                            .upsample = false};
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    const int found = expect_same_in_bands(queue, {image}, options, {}, id);
    EXPECT_GT(found, features::least_sift_plan(120, 700, options).capacity) << id;
  });
}

TEST(SiftBands, work_in_batches_and_leave_features_in_a_set) {
  std::vector<ImageU8> pictures;
  for (unsigned seed = 1; seed <= 5; ++seed) pictures.push_back(random_blobs(64, 330, seed));
  pictures[3] = ImageU8(64, 330);  // a uniform image
  std::vector<std::uint8_t> pixels;
  for (const ImageU8& p : pictures) pixels.insert(pixels.end(), p.pixels.begin(), p.pixels.end());
  const std::vector<AnyImageView> images(pictures.begin(), pictures.end());
  const SiftOptions options{.max_features = 60, .affine_shape = true};
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    const std::vector<Features> expected = SiftDetector(queue, 64, 330, options)(images);
    const std::size_t least = SiftDetector::least_memory(64, 330, options);
    SiftDetector batched(queue, 64, 330, options, 3, 3 * least);
    EXPECT_LE(batched.memory(), 3 * least) << id;
    FeatureSet set(queue.device());
    Buffer<std::uint8_t> there(queue.device(), pixels.size());
    there.upload(queue, pixels);
    EXPECT_EQ(batched.add(images, set), 0) << id;
    EXPECT_EQ(batched.add(there, 5, set), 5) << id;
    for (int k = 0; k < 10; ++k)
      EXPECT_TRUE(same(set.get(queue, k), expected[static_cast<std::size_t>(k % 5)])) << id << k;
  });
}

// Memory that suffices neither for the whole image nor for its features, and memory that suffices
// for one slot but not for two.
TEST(SiftBands, are_used_if_device_memory_is_too_small_for_the_whole_image) {
  const ImageU8 image = random_blobs(150, 600, 5);
  const std::vector<AnyImageView> images(3, image);
  const std::size_t whole = whole_memory(150, 600, {});
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    const Features expected = detect_sift(queue, image);
    EXPECT_GT(expected.size(), 300) << id;
    for (const std::size_t limit : {whole / 2, whole * 3 / 4, whole + 300'000, whole * 7 / 4}) {
      setenv("BIFOCAL_DEVICE_MEMORY", std::to_string(limit).c_str(), 1);
      std::vector<Features> found;
      std::size_t memory = 0;
      try {
        SiftDetector detector(queue, 150, 600, {.max_features = 4096});
        found = detector(images);
        memory = detector.memory();
      } catch (const Error& e) {
        ADD_FAILURE() << id << ": " << e.what();
      }
      unsetenv("BIFOCAL_DEVICE_MEMORY");
      EXPECT_LE(memory, limit) << id;
      for (const Features& f : found) EXPECT_TRUE(same(f, expected)) << id << ", " << limit;
    }
  });
}

TEST(SiftBands, name_an_insufficient_memory_limit) {
  const std::size_t least = SiftDetector::least_memory(300, 200);
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    try {
      SiftDetector(queue, 300, 200, {}, 1, least - 1);
      ADD_FAILURE() << id;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::usage);
      EXPECT_EQ(std::string(e.what()),
                "SiftDetector: memory = " + std::to_string(least - 1) +
                    " bytes: images of 300 x 200 px, 1 at once, take at least " +
                    std::to_string(least));
    }
    EXPECT_NO_THROW(SiftDetector(queue, 300, 200, {}, 1, least)) << id;
  });
  Queue cpu;  // uses no device memory
  EXPECT_NO_THROW(SiftDetector(cpu, 300, 200, {}, 1, 1));
}

// Each row of each octave belongs to exactly one band, which also keeps all neighbouring rows that
// its points read. Arrays that are needed at the same time do not overlap.
TEST(SiftBands, plans_cover_the_octaves) {
  for (const auto& [width, height] : {std::pair(64, 5000), {4000, 3000}, {911, 1203}, {5, 900}}) {
    for (const bool upsample : {true, false}) {
      const SiftOptions options{.upsample = upsample};
      const SiftPlan whole = features::plan_sift(width, height, options);
      const std::size_t least = features::least_sift_plan(width, height, options).bytes;
      for (int part = 0; part <= 8; ++part) {
        const std::size_t memory = least + (whole.bytes - least) * std::size_t(part) / 8;
        const SiftPlan plan = features::plan_sift(width, height, options, 0, memory);
        EXPECT_LE(plan.bytes, memory);
        EXPECT_EQ(plan.capacity, whole.capacity);
        std::vector<int> next(whole.steps.empty() ? 0 : whole.steps[0].octaves.size());
        for (const features::SiftStep& step : plan.steps) {
          std::int64_t end_before = 0;
          for (std::size_t k = step.begin; k < step.end; ++k) {
            const features::StepOctave& o = step.octaves[k];
            const std::int64_t begin = o.first + std::int64_t{o.stride} * o.kept.first;
            const std::int64_t end = begin + (options.octave_layers + 3) * o.plane;
            EXPECT_EQ(o.plane, std::int64_t{o.stride} * o.kept.size());
            EXPECT_GE(begin, end_before);
            EXPECT_LE(end, plan.floats);
            end_before = end;
            EXPECT_EQ(o.own.first, next[k]);
            EXPECT_EQ(o.own.first % 32, 0);
            EXPECT_LE(o.kept.first, std::max(0, o.own.first - 90));
            EXPECT_GE(o.kept.end, std::min(o.height, o.own.end + 90));
            next[k] = o.own.end;
            if (step.end == step.octaves.size()) continue;
            // The first levels of this octave and of the next octave are stored in full before
            // the bands.
            const features::StepOctave& half = step.octaves[k + 1];
            EXPECT_LE(half.first + std::int64_t{half.stride} * half.height,
                      k == 0 ? begin : step.first_level);
            EXPECT_LE(k == 0 ? 0 : step.first_level + std::int64_t{o.stride} * o.height, begin);
          }
        }
        for (std::size_t k = 0; k < next.size(); ++k)
          EXPECT_EQ(next[k], whole.steps[0].octaves[k].height);
      }
    }
  }
}

}  // namespace
}  // namespace bifocal::test
