// SPDX-License-Identifier: BSD-3-Clause
// Cross-check, medians, speckles and fills on every device of this machine give the same bits as
// their definitions.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include "stereo/filter.hpp"
#include "stereo/flat_walls.hpp"
#include "stereo/maps.hpp"
#include "stereo/reference_filter.hpp"

namespace bifocal {
namespace {

using stereo::ImageSize;

int pick(std::mt19937& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

constexpr std::uint16_t kUnknown = 0xffff;

// Makes random disparities, with unknown pixels in blobs and in whole rows.
ImageU16 random_disparity(std::mt19937& random, int width, int height, unsigned unknown_percent) {
  ImageU16 disparity(width, height);
  for (int y = 0; y < height; ++y) {
    const bool blank = unknown_percent > 0 && random() % 4 == 0;
    for (int x = 0; x < width; ++x) {
      const bool unknown = blank || random() % 100 < unknown_percent;
      disparity.at(x, y) = unknown ? kUnknown : static_cast<std::uint16_t>(random() % 3000);
      if (unknown_percent > 50 && !unknown && x > 0 && random() % 2 == 0)
        disparity.at(x, y) = disparity.at(x - 1, y);
    }
  }
  return disparity;
}

class FilterDevices : public ::testing::Test {
 protected:
  template <class Body>
  void for_each_device(const Body& body) {
    for (const DeviceInfo& info : list_devices()) {
      Queue queue{Device(info.id)};
      body(queue, info.id);
    }
  }
};

template <class T>
Buffer<T> uploaded(Queue& queue, const Image<T>& image) {
  Buffer<T> buffer(queue.device(), image.pixels.size());
  buffer.upload(queue, image.pixels);
  queue.wait();
  return buffer;
}
template <class T>
Image<T> downloaded(Queue& queue, const Buffer<T>& buffer, int width, int height) {
  Image<T> image(width, height);
  buffer.download(queue, std::span<T>(image.pixels));
  queue.wait();
  return image;
}

stereo::FillScratch scratch_of(Queue& queue, ImageSize size) {
  const Device& device = queue.device();
  const auto rows = static_cast<std::size_t>(size.height);
  return {.disparity = {device, static_cast<std::size_t>(size.pixels())},
          .ends = {device, stereo::fill_entries(size)},
          .row_known = {device, rows},
          .row_source = {device, rows}};
}

const std::pair<int, int> kSizes[] = {{1, 1},   {7, 1},    {1, 9},    {256, 3}, {257, 5},
                                      {61, 43}, {600, 11}, {2100, 4}, {3, 300}};

TEST_F(FilterDevices, fills_follow_their_definition) {
  for_each_device([](Queue& queue, const std::string& device) {
    std::mt19937 random(1);
    for (const auto& [width, height] : kSizes) {
      for (const unsigned unknown : {0U, 30U, 99U, 100U}) {
        const ImageU16 disparity = random_disparity(random, width, height, unknown);
        const auto on_device = uploaded(queue, disparity);
        const stereo::DisparityBuffer filled(queue.device(), disparity.pixels.size());
        stereo::FillScratch scratch = scratch_of(queue, {width, height});
        for (const Fill fill : {Fill::background, Fill::mean}) {
          const int window = 3 + 2 * static_cast<int>(random() % 8);
          const ImageU16 expected =
              test::reference_fill(disparity, {}, {.fill = fill, .fill_window = window});
          stereo::fill_unknown(queue, {width, height}, fill, window, on_device, scratch, filled);
          EXPECT_EQ(downloaded(queue, filled, width, height).pixels, expected.pixels)
              << device << " " << width << "x" << height << " unknown " << unknown << " fill "
              << static_cast<int>(fill) << " window " << window;
        }
        EXPECT_EQ(downloaded(queue, on_device, width, height).pixels, disparity.pixels);
      }
    }
  });
}

// One known pixel in a corner requires the largest number of rounds.
TEST_F(FilterDevices, means_spread_over_the_whole_picture) {
  for_each_device([](Queue& queue, const std::string& device) {
    ImageU16 disparity(90, 40, 1, kUnknown);
    disparity.at(0, 39) = 77;
    disparity.at(1, 39) = 90;
    const ImageU16 expected = test::reference_mean(disparity, 3);
    const auto on_device = uploaded(queue, disparity);
    const stereo::DisparityBuffer filled(queue.device(), disparity.pixels.size());
    stereo::FillScratch scratch = scratch_of(queue, {90, 40});
    stereo::fill_unknown(queue, {90, 40}, Fill::mean, 3, on_device, scratch, filled);
    EXPECT_EQ(downloaded(queue, filled, 90, 40).pixels, expected.pixels) << device;
    EXPECT_EQ(std::count(expected.pixels.begin(), expected.pixels.end(), kUnknown), 0);
  });
}

// Returns the disparities after a PostFilter has processed the winners.
ImageU16 filtered(Queue& queue, const ImageU16& winners, const ImageU16& right_index,
                  const DisparityFilter& filter, int first) {
  const stereo::ImageSize size{winners.width, winners.height};
  stereo::PostFilter device(queue.device(), size, filter, first, false);
  stereo::DisparityBuffer(device.winners()).upload(queue, winners.pixels);
  const auto right = uploaded(queue, right_index);
  device.run(queue, {device.winners(), right, {}}, {});
  return downloaded(queue, device.disparity(), size.width, size.height);
}

// Random indices of left and right winners, restricted to positions inside the image.
TEST_F(FilterDevices, cross_check_follows_its_definition) {
  for_each_device([](Queue& queue, const std::string& device) {
    std::mt19937 random(2);
    for (const auto& [width, height] : kSizes) {
      const int first = static_cast<int>(random() % 30) - 15;
      const auto index_to =
          [&, width = width](int base) {  // disparity index i with base + first + i inside
            const int i = static_cast<int>(random() % static_cast<unsigned>(width)) - base - first;
            return i < 0 || i > 500 || random() % 5 == 0 ? 0xffff : i;
          };
      ImageU16 disparity(width, height), right(width, height);
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          // A left winner i has x - first - i inside.
          const int seen = static_cast<int>(random() % static_cast<unsigned>(width));
          const int i = x - first - seen, offset = static_cast<int>(random() % 31) - 15;
          disparity.at(x, y) = i < 0 || (i == 0 && offset < 0) || random() % 5 == 0
                                   ? kUnknown
                                   : static_cast<std::uint16_t>(std::min(65534, 32 * i + offset));
          right.at(x, y) = static_cast<std::uint16_t>(index_to(x));
        }
      }
      for (const int tolerance : {-1, 0, 31, 32, 200, 65534}) {
        ImageU16 expected = disparity;
        for (int y = 0; y < height && tolerance >= 0; ++y) {
          for (int x = 0; x < width; ++x) {
            if (disparity.at(x, y) == kUnknown) continue;
            const int i = (disparity.at(x, y) + 16) / 32, r = right.at(x - first - i, y);
            if (r == 0xffff || 32 * std::abs(i - r) > tolerance) expected.at(x, y) = kUnknown;
          }
        }
        const DisparityFilter only_check{
            .cross_check = tolerance / 32.0, .median = 0, .speckle_size = 0, .fill = Fill::none};
        EXPECT_EQ(filtered(queue, disparity, right, only_check, first).pixels, expected.pixels)
            << device << " " << width << "x" << height << " tolerance " << tolerance;
      }
    }
  });
}

// Makes patches of similar or different disparities, some unknown, so that regions have every size
// and form.
ImageU16 patches(std::mt19937& random, int width, int height) {
  ImageU16 disparity(width, height);
  const int levels = pick(random, 1, 4), unknown = pick(random, 0, 60), spread = pick(random, 0, 3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      int v = 100 + 40 * pick(random, 0, levels - 1) + pick(random, 0, spread);
      if (x > 0 && pick(random, 0, 2) > 0) v = disparity.at(x - 1, y);
      if (y > 0 && pick(random, 0, 2) > 0) v = disparity.at(x, y - 1);
      if (pick(random, 0, 99) < unknown) v = 0xffff;
      disparity.at(x, y) = static_cast<std::uint16_t>(v);
    }
  }
  return disparity;
}

// Compares the device's results, including the filled maps, with the definition.
void check_filter(Queue& queue, const ImageU16& disparity, const DisparityFilter& filter,
                  const std::string& what, const ImageU8& brightness = {}) {
  const int width = disparity.width, height = disparity.height, first = -7;
  ImageU16 expected =
      filter.median > 0 ? test::reference_median(disparity, filter.median) : disparity;
  if (filter.speckle_size > 1)
    test::reference_speckles(expected, filter.speckle_size,
                             stereo::subpixels_of(filter.speckle_range));
  const ImageU16 filled = test::reference_fill(expected, brightness, filter);
  const ImageF expected_raw = test::reference_px(expected, first);
  stereo::PostFilter device(queue.device(), {width, height}, filter, first, true);
  stereo::DisparityBuffer(device.winners()).upload(queue, disparity.pixels);
  const stereo::DisparityBuffer none;
  const Buffer<float> raw(queue.device(), disparity.pixels.size());
  const Buffer<std::uint8_t> picture =
      brightness.empty() ? Buffer<std::uint8_t>() : uploaded(queue, brightness);
  device.run(queue, {device.winners(), none, {}, picture},
             {.raw = raw, .filled = {}, .confidence = {}});
  const ImageU16 made = downloaded(queue, device.disparity(), width, height);
  const ImageF made_raw = downloaded(queue, raw, width, height);
  ASSERT_EQ(made.pixels, expected.pixels) << what;
  ASSERT_EQ(downloaded(queue, device.filled(), width, height).pixels, filled.pixels) << what;
  ASSERT_EQ(
      std::memcmp(made_raw.pixels.data(), expected_raw.pixels.data(), 4 * made_raw.pixels.size()),
      0)
      << what;
}

TEST_F(FilterDevices, medians_and_speckles_follow_their_definition) {
  for_each_device([](Queue& queue, const std::string& id) {
    std::mt19937 random(7);
    for (int trial = 0; trial < 60; ++trial) {
      const int width = pick(random, 1, 140), height = pick(random, 1, 70);
      DisparityFilter filter{.cross_check = -1, .fill = Fill::none};
      filter.median = std::array{0, 3, 5}[static_cast<std::size_t>(trial % 3)];
      filter.speckle_size = std::array{0, 2, 3, 20, 400, 100000}[std::size_t(pick(random, 0, 5))];
      filter.speckle_range = pick(random, 0, 4) / 32.0 + (trial % 7 == 0 ? 2 : 0);
      check_filter(queue, patches(random, width, height), filter,
                   id + " " + std::to_string(trial) + ": " + std::to_string(width) + "x" +
                       std::to_string(height) + ", median " + std::to_string(filter.median) +
                       ", speckles " + std::to_string(filter.speckle_size));
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

TEST_F(FilterDevices, planes_follow_their_definition) {
  for_each_device([](Queue& queue, const std::string& id) {
    std::mt19937 random(11);
    for (int trial = 0; trial < 30; ++trial) {
      const bool large = trial % 10 == 0;
      const int width = large ? 403 : pick(random, 1, 140),
                height = large ? 301 : pick(random, 1, 70);
      const test::FlatWalls walls = test::flat_walls(random, width, height, pick(random, 1, 4),
                                                     pick(random, 0, 100), pick(random, 0, 60));
      const DisparityFilter filter{.cross_check = -1,
                                   .median = trial % 2 == 0 ? 5 : 0,
                                   .speckle_size = trial % 3 == 0 ? 20 : 0,
                                   .fill = Fill::planes};
      check_filter(queue, walls.disparity, filter, id + " " + std::to_string(trial), walls.picture);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

// Regions that wind through many tiles, and the largest numbers.
TEST_F(FilterDevices, find_regions_in_spirals_combs_and_chess_boards) {
  for_each_device([](Queue& queue, const std::string& id) {
    const int width = 203, height = 117;
    ImageU16 comb(width, height), chess(width, height), spiral(width, height, 1, 0xffff);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        // The comb is one region with teeth connected at the bottom; its neighbour is connected at
        // the top.
        comb.at(x, y) = (x % 2 == 0 && y > 0) || y == height - 1 ? 32751 : 0;
        chess.at(x, y) = (x + y) % 2 == 0 ? 500 : 0xffff;
      }
    }
    int x = 0, y = 0, dx = 1, dy = 0, length = 0;
    const auto free = [&](int u, int v) {
      return u >= 0 && v >= 0 && u < width && v < height && spiral.at(u, v) == 0xffff;
    };
    for (bool turned = false;;) {
      spiral.at(x, y) = 77;
      ++length;
      const bool on =
          free(x + dx, y + dy) && (free(x + 2 * dx, y + 2 * dy) || x + 2 * dx < 0 ||
                                   x + 2 * dx >= width || y + 2 * dy < 0 || y + 2 * dy >= height);
      if (!on) {
        if (turned) break;
        const int old = dx;
        dx = -dy;
        dy = old;
        turned = true;
        if (!free(x + dx, y + dy)) break;
      } else {
        turned = false;
      }
      x += dx;
      y += dy;
    }
    ASSERT_GT(length, 8000);
    for (const int size : {2, length, length + 1, 1 << 30}) {
      const DisparityFilter f{.cross_check = -1,
                              .median = 0,
                              .speckle_size = size,
                              .speckle_range = 0,
                              .fill = Fill::none};
      check_filter(queue, comb, f, id + " comb");
      check_filter(queue, chess, f, id + " chess");
      check_filter(queue, spiral, f,
                   id + " spiral " + std::to_string(size) + " of " + std::to_string(length));
    }
  });
}

}  // namespace
}  // namespace bifocal
