// SPDX-License-Identifier: BSD-3-Clause
// Sampling gives the same bits on every device of this machine and every SIMD target, for one list
// of cases.
#include <bifocal/error.hpp>
#include <bifocal/rectify.hpp>
#include <bifocal/device.hpp>

#include <gtest/gtest.h>

#include <random>

#include "support/targets.hpp"

namespace bifocal {
namespace {

template <class Pixel>
Image<Pixel> noise(std::mt19937& random, int width, int height, int channels) {
  Image<Pixel> image(width, height, channels);
  for (Pixel& p : image.pixels) p = static_cast<Pixel>(random());
  for (Pixel& p : image.pixels)
    if (random() % 4 == 0) p = static_cast<Pixel>(~0u);  // the largest sums
  return image;
}

// Makes positions anywhere in the input, more often on its border, and outside.
SamplingMap random_map(std::mt19937& random, int width, int height, int input_width,
                       int input_height) {
  SamplingMap map{width, height, input_width, input_height, {}, {}};
  const auto position = [&](int size) {
    const int last = 256 * (size - 1);
    const auto pick = random() % 8;
    if (pick == 0) return last;
    if (pick == 1) return 0;
    return static_cast<int>(random() % static_cast<unsigned>(last + 1));
  };
  for (int i = 0; i < width * height; ++i) {
    const bool outside = random() % 8 == 0;
    map.x.push_back(outside ? -1 : position(input_width));
    map.y.push_back(outside ? -1 : position(input_height));
  }
  return map;
}

// The definition, in 64 bits.
template <class Pixel>
Image<Pixel> plain(const SamplingMap& map, const Image<Pixel>& input, ImageU8& valid) {
  Image<Pixel> out(map.width, map.height, input.channels);
  valid = ImageU8(map.width, map.height);
  for (int y = 0; y < map.height; ++y) {
    for (int x = 0; x < map.width; ++x) {
      const std::size_t i = static_cast<std::size_t>(y * map.width + x);
      if (map.x[i] < 0) continue;
      valid.at(x, y) = 255;
      const int x0 = map.x[i] / 256, y0 = map.y[i] / 256;
      const std::int64_t fx = map.x[i] % 256, fy = map.y[i] % 256;
      const int x1 = std::min(x0 + 1, input.width - 1), y1 = std::min(y0 + 1, input.height - 1);
      for (int c = 0; c < input.channels; ++c) {
        const std::int64_t sum =
            (256 - fy) * ((256 - fx) * input.at(x0, y0, c) + fx * input.at(x1, y0, c)) +
            fy * ((256 - fx) * input.at(x0, y1, c) + fx * input.at(x1, y1, c));
        out.at(x, y, c) = static_cast<Pixel>((sum + 32768) / 65536);
      }
    }
  }
  return out;
}

template <class Pixel>
void expect_plain_everywhere(std::mt19937& random, const SamplingMap& map, int channels) {
  const auto input = noise<Pixel>(random, map.input_width, map.input_height, channels);
  ImageU8 expected_valid;
  const auto expected = plain(map, input, expected_valid);
  const auto check = [&](const std::string& where, Queue& queue) {
    const Remapper remapper(queue, map);
    ImageU8 valid;
    const auto got = remapper(queue, input, &valid);
    ASSERT_EQ(got.pixels, expected.pixels)
        << where << " " << map.input_width << "x" << map.input_height << " to " << map.width << "x"
        << map.height << " channels " << channels << " bits " << 8 * sizeof(Pixel);
    ASSERT_EQ(valid.pixels, expected_valid.pixels) << where;
    ASSERT_EQ(remapper(queue, input).pixels, expected.pixels) << where;
  };
  for (const DeviceInfo& info : list_devices()) {
    Queue queue{Device(info.id)};
    if (info.kind != DeviceKind::cpu) {
      check(info.id, queue);
      continue;
    }
    test::for_each_target([&](const std::string& target) { check(target, queue); });
  }
}

TEST(Remap, gives_the_same_bits_on_every_device_for_random_sizes) {
  std::mt19937 random(7);
  const auto size = [&] { return 1 + static_cast<int>(random() % 70); };
  for (int trial = 0; trial < 12; ++trial) {
    const SamplingMap map = trial == 0   ? random_map(random, 1, 1, 1, 1)
                            : trial == 1 ? random_map(random, 37, 3, 1, 9)
                            : trial == 2 ? random_map(random, 40, 5, 2, 1)
                                         : random_map(random, size(), size(), size(), size());
    for (int channels = 1; channels <= 4; ++channels) {
      ASSERT_NO_FATAL_FAILURE(expect_plain_everywhere<std::uint8_t>(random, map, channels));
      ASSERT_NO_FATAL_FAILURE(expect_plain_everywhere<std::uint16_t>(random, map, channels));
    }
  }
}

TEST(Remap, memory_of_the_device_is_used_in_place) {
  std::mt19937 random(8);
  const SamplingMap map = random_map(random, 61, 43, 53, 47);
  const auto input = noise<std::uint8_t>(random, 53, 47, 3);
  ImageU8 valid;
  const ImageU8 expected = plain(map, input, valid);
  for (const DeviceInfo& info : list_devices()) {
    const Device device(info.id);
    Queue queue(device);
    const Remapper remapper(queue, map);
    Buffer<std::uint8_t> in(device, input.pixels.size()), out(device, expected.pixels.size());
    in.upload(queue, input.pixels);
    for (int frame = 0; frame < 3; ++frame) remapper.run(queue, in, 3, out);
    ImageU8 got(61, 43, 3);
    out.download(queue, std::span<std::uint8_t>(got.pixels));
    queue.wait();
    EXPECT_EQ(got.pixels, expected.pixels) << info.id;
    const Buffer<std::uint8_t> small(device, 10);
    EXPECT_THROW(remapper.run(queue, small, 3, out), Error);
    EXPECT_THROW(remapper.run(queue, in, 3, small), Error);
    EXPECT_THROW(remapper.run(queue, in, 3, out, small), Error);
    EXPECT_THROW(remapper.run(queue, in, 5, out), Error);
    EXPECT_THROW(remapper.run(queue, Memory<const std::uint8_t>(), 1, out), Error);
  }
}

TEST(Remap, takes_a_view_with_gaps_between_its_rows) {
  std::mt19937 random(9);
  const auto wide = noise<std::uint16_t>(random, 50, 20, 1);
  const ImageView<const std::uint16_t> part(wide.row(3) + 7, 31, 12, 1, 50);
  Image<std::uint16_t> copy(31, 12);
  for (int y = 0; y < 12; ++y)
    for (int x = 0; x < 31; ++x) copy.at(x, y) = wide.at(x + 7, y + 3);
  const SamplingMap map = random_map(random, 40, 30, 31, 12);
  Queue queue;
  const Remapper remapper(queue, map);
  EXPECT_EQ(remapper(queue, part).pixels, remapper(queue, copy).pixels);
}

TEST(Remap, warp_gives_the_same_image) {
  std::mt19937 random(10);
  const Mat3 H = {0.9, 0.1, 5, -0.1, 1.1, 8, 1e-3, -5e-4, 1};
  for (const auto& [w, h] :
       {std::pair{1, 1}, std::pair{33, 1}, std::pair{1, 17}, std::pair{129, 65}}) {
    for (int channels = 1; channels <= 4; ++channels) {
      const auto image = noise<std::uint8_t>(random, w, h, channels);
      ImageU8 valid, expected_valid;
      const ImageU8 got = warp(image, H, w + 20, h + 10, &valid);
      EXPECT_EQ(got.pixels,
                plain(sampling_map(H, w, h, w + 20, h + 10), image, expected_valid).pixels);
      EXPECT_EQ(valid.pixels, expected_valid.pixels);
      for (const DeviceInfo& info : list_devices()) {
        Queue queue{Device(info.id)};
        EXPECT_EQ(warp(queue, image, H, w + 20, h + 10, &valid).pixels, got.pixels) << info.id;
        EXPECT_EQ(valid.pixels, expected_valid.pixels) << info.id;
      }
    }
  }
}

// Sampling positions are compiled without contraction, so they are also equal for every target.
TEST(Remap, positions_do_not_depend_on_the_target_or_the_threads) {
  const Mat3 H = {0.91, 0.13, 5.3, -0.12, 1.07, 8.1, 1e-4, -5e-5, 1};
  const Rectification r =
      rectify({{500, 510, 330, 240}, {.k1 = -0.2, .k2 = 0.05, .p1 = 1e-3}, 640, 480},
              {{505, 500, 310, 235}, {.k1 = -0.1, .p2 = 1e-3, .k4 = 0.1}, 640, 480},
              {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {-1, 0.02, 0.01}});
  ASSERT_GT(r.width, 0);
  std::vector<SamplingMap> first;
  test::for_each_target([&](const std::string& target) {
    const auto both = sampling_maps(r);
    std::vector<SamplingMap> maps = {sampling_map(H, 640, 480, 700, 500), both[0], both[1]};
    if (first.empty()) first = maps;
    const ThreadLimit one(1);
    maps.push_back(sampling_maps(r)[1]);
    for (std::size_t i = 0; i < maps.size(); ++i) {
      EXPECT_EQ(maps[i].x, first[std::min<std::size_t>(i, 2)].x) << target << i;
      EXPECT_EQ(maps[i].y, first[std::min<std::size_t>(i, 2)].y) << target << i;
    }
  });
}

TEST(Remap, bad_maps_are_refused) {
  Queue queue;
  std::mt19937 random(11);
  const SamplingMap good = random_map(random, 4, 3, 5, 6);
  SamplingMap bad = good;
  bad.x.pop_back();
  EXPECT_THROW(Remapper(queue, bad), Error);
  bad = good;
  bad.x[5] = 4 * 256 + 1;
  bad.y[5] = 0;
  EXPECT_THROW(Remapper(queue, bad), Error);
  bad = good;
  bad.x[5] = 3;
  bad.y[5] = -1;
  EXPECT_THROW(Remapper(queue, bad), Error);
  bad = good;
  bad.width = 0;
  EXPECT_THROW(Remapper(queue, bad), Error);
  EXPECT_THROW(Remapper(queue, SamplingMap{}), Error);
  EXPECT_THROW((void)Remapper(queue, good)(queue, ImageU8(6, 6)), Error);
  const ImageU8 input(5, 6);
  ImageU8 output(4, 3);
  const auto elsewhere = Memory<std::uint8_t>::on_device(output.pixels.data());
  EXPECT_THROW(Remapper(queue, good).run(queue, input.pixels.data(), 1, elsewhere), Error);
  EXPECT_THROW((void)sampling_map({}, 4, 4, 4, 4), Error);
  EXPECT_THROW((void)sampling_map({1, 0, 0, 0, 1, 0, 0, 0, 1}, 4, 0, 4, 4), Error);
  EXPECT_THROW((void)sampling_maps(Rectification{}), Error);
  constexpr Mat3 kIdentity = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  constexpr int kHuge = 2147483647;
  EXPECT_THROW((void)sampling_map(kIdentity, kHuge, 4, 4, 4), Error);
  EXPECT_THROW((void)sampling_map(kIdentity, 4, 4, kHuge, kHuge), Error);
  EXPECT_THROW((void)warp(ImageU8(4, 4), kIdentity, 1 << 20, 1 << 20), Error);
  EXPECT_THROW((void)rectify_uncalibrated({0, 0, 0, 0, 0, -1, 0, 1, 0}, {}, kHuge, 4, 4, 4), Error);
  const Rectification wide =
      rectify_uncalibrated({0, 0, 0, 0, 0, -1, 0, 1, 0}, {}, 1 << 22, 4, 1 << 22, 4);
  EXPECT_EQ(wide.outcome, RectifyOutcome::ok);
  EXPECT_LE(wide.width, 1 << 22);
}

}  // namespace
}  // namespace bifocal
