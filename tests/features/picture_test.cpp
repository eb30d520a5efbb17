// SPDX-License-Identifier: BSD-3-Clause
// Images in colour and of 16 bits: the grey values on devices equal the host's to the bit, and the
// features equal those from that grey image for every kind of input.
#include <bifocal/error.hpp>
#include <bifocal/matching.hpp>
#include <bifocal/io.hpp>
#include <bifocal/features.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <type_traits>

#include "features/grey/grey_device.hpp"
#include "features/pictures.hpp"
#include "support/data.hpp"
#include "support/devices.hpp"

namespace bifocal::test {
namespace {

template <class T>
Image<T> random_picture(int width, int height, int channels, unsigned seed) {
  std::mt19937 random(seed);
  Image<T> image(width, height, channels);
  for (T& v : image.pixels) v = static_cast<T>(random() >> 8);
  return image;
}

// Makes an image of 1 to 4 channels with points that differ between channels.
template <class T>
Image<T> coloured(const ImageU8& grey, int channels, unsigned seed) {
  std::mt19937 random(seed);
  Image<T> image(grey.width, grey.height, channels);
  for (int y = 0; y < grey.height; ++y)
    for (int x = 0; x < grey.width; ++x)
      for (int c = 0; c < channels; ++c) {
        const bool is_alpha = channels % 2 == 0 && c + 1 == channels;
        const auto noise = static_cast<unsigned>(random() >> (sizeof(T) == 1 ? 29 : 22));
        const unsigned value = grey.at(x, y) * (sizeof(T) == 1 ? 1U : 257U) + noise;
        image.at(x, y, c) = static_cast<T>(
            is_alpha ? random() >> 8 : std::min(value, sizeof(T) == 1 ? 255U : 65535U));
      }
  return image;
}

// The definition of grey, pixel by pixel.
template <class T>
ImageU8 plain_grey(const Image<T>& image) {
  ImageU8 grey(image.width, image.height);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const auto sample = [&](int c) {
        return sizeof(T) == 1 ? int{image.at(x, y, c)}
                              : static_cast<int>(std::lround(image.at(x, y, c) * 255.0 / 65535.0));
      };
      grey.at(x, y) = static_cast<std::uint8_t>(
          image.channels < 3 ? sample(0)
                             : (77 * sample(0) + 150 * sample(1) + 29 * sample(2) + 128) / 256);
    }
  return grey;
}

// All 65,536 values of a sample.
ImageU16 ramp() {
  ImageU16 image(256, 256);
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
    image.pixels[i] = static_cast<std::uint16_t>(i);
  return image;
}

TEST(GreyOf8Bits, is_the_nearest_level) {
  EXPECT_EQ(to_grey_8(ramp()).pixels, plain_grey(ramp()).pixels);
  for (int channels = 1; channels <= 4; ++channels) {
    const auto shallow = random_picture<std::uint8_t>(37, 23, channels, 1);
    const auto deep = random_picture<std::uint16_t>(37, 23, channels, 2);
    EXPECT_EQ(to_grey_8(shallow).pixels, plain_grey(shallow).pixels) << channels;
    EXPECT_EQ(to_grey_8(deep).pixels, plain_grey(deep).pixels) << channels;
  }
  EXPECT_TRUE(to_grey_8(AnyImageView()).empty());
  EXPECT_THROW((void)to_grey_8(ImageU16(4, 4, 5)), Error);
}

// A file of 16 bits gives the same features by either reader.
TEST(GreyOf8Bits, equals_the_grey_of_files) {
  const TemporaryFolder folder;
  const ImageU16 deep = random_picture<std::uint16_t>(50, 40, 3, 3);
  write_png(folder / "deep.png", deep);
  ASSERT_EQ(read_image_16(folder / "deep.png").pixels, deep.pixels);
  EXPECT_EQ(to_grey_8(deep).pixels, to_grey(read_image(folder / "deep.png")).pixels);
}

TEST(GreyOf8Bits, has_the_same_bits_on_every_device) {
  for_each_gpu_or_opencl([&](Queue& queue, const std::string& id) {
    const auto made = [&](const auto& image, const char* what) {
      using Sample = typename std::decay_t<decltype(image.pixels)>::value_type;
      const int pixels = image.width * image.height, left_out = 5;
      Buffer<Sample> samples(queue.device(), image.pixels.size());
      samples.upload(queue, image.pixels);
      Buffer<std::uint8_t> bytes(queue.device(), image.pixels.size() * sizeof(Sample));
      const auto* first = reinterpret_cast<const std::uint8_t*>(image.pixels.data());
      bytes.upload(queue, std::span(first, bytes.size()));
      const Buffer<std::uint8_t> grey(queue.device(), std::size_t(pixels)),
          rest(queue.device(), std::size_t(pixels)), of_bytes(queue.device(), std::size_t(pixels));
      features::make_grey(queue, samples, image.channels, 0, pixels, grey);
      features::make_grey(queue, samples, image.channels, left_out, pixels - left_out, rest);
      features::make_grey(queue, bytes, {image.channels, 8 * int{sizeof(Sample)}}, pixels,
                          of_bytes);
      std::vector<std::uint8_t> all(std::size_t(pixels), 0), later = all, again = all;
      grey.download(queue, all);
      rest.download(queue, later);
      of_bytes.download(queue, again);
      queue.wait();
      const ImageU8 expected = to_grey_8(image);
      EXPECT_EQ(all, expected.pixels) << id << ' ' << what << ' ' << image.channels;
      EXPECT_EQ(again, expected.pixels) << id << ' ' << what << ' ' << image.channels;
      EXPECT_TRUE(
          std::equal(expected.pixels.begin() + left_out, expected.pixels.end(), later.begin()))
          << id << ' ' << what << ' ' << image.channels;
    };
    made(ramp(), "all values");
    for (int channels = 1; channels <= 4; ++channels) {
      made(random_picture<std::uint8_t>(131, 67, channels, 4), "8 bits");
      made(random_picture<std::uint16_t>(131, 67, channels, 5), "16 bits");
    }
  });
}

// Images of all kinds, some with gaps between rows; the bytes of the gaps are never read.
class Pictures : public ::testing::Test {
 protected:
  static constexpr int kWidth = 150, kHeight = 110;
  void SetUp() override {
    for (int channels = 1; channels <= 4; ++channels) {
      const ImageU8 grey = random_blobs(kWidth, kHeight, unsigned(channels));
      shallow.push_back(coloured<std::uint8_t>(grey, channels, 7));
      deep.push_back(coloured<std::uint16_t>(grey, channels, 8));
    }
    for (const ImageU8& image : shallow) pictures.emplace_back(image);
    for (const ImageU16& image : deep) pictures.emplace_back(image);
    wide = coloured<std::uint8_t>(random_blobs(kWidth + 9, kHeight, 9), 3, 9);
    pictures.emplace_back(wide.pixels.data(), kWidth, kHeight, 3, std::ptrdiff_t{3} * wide.width);
    pictures.emplace_back(shallow[0]);  // two of a kind in succession
    pictures.emplace_back(shallow[0]);
    for (const AnyImageView& picture : pictures) greys.push_back(to_grey_8(picture));
  }
  template <class Detector>
  void expect_features_of_the_grey(Queue& queue, const std::string& id) const {
    Detector detector(queue, kWidth, kHeight, {}, 2);
    std::vector<AnyImageView> of_grey(greys.begin(), greys.end());
    const std::vector<Features> found = detector(pictures), expected = detector(of_grey);
    FeatureSet set(queue.device());
    (void)detector.add(pictures, set);
    ASSERT_EQ(found.size(), pictures.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_GT(expected[k].size(), 10) << id << ' ' << k;
      EXPECT_TRUE(same(found[k], expected[k])) << id << ' ' << k;
      EXPECT_TRUE(same(set.get(queue, int(k)), expected[k])) << id << ' ' << k;
      EXPECT_TRUE(same(detector(pictures[k]), expected[k])) << id << ' ' << k;
    }
  }
  // Detects features in three images in the device's memory.
  template <class T>
  void expect_features_there(Queue& queue, const Image<T>& image, const std::string& id) const {
    std::vector<T> all;
    for (int k = 0; k < 3; ++k) {
      all.insert(all.end(), image.pixels.begin(), image.pixels.end());
      if (k == 1) std::reverse(all.end() - std::ptrdiff_t(image.pixels.size()), all.end());
    }
    Image<T> turned = image;
    std::reverse(turned.pixels.begin(), turned.pixels.end());
    Buffer<T> samples(queue.device(), all.size());
    samples.upload(queue, all);
    SiftDetector detector(queue, kWidth, kHeight, {}, 2);
    FeatureSet set(queue.device());
    EXPECT_EQ(detector.add(samples, 3, set, image.channels), 0);
    const ImageU8 there = to_grey_8(image), back = to_grey_8(turned);
    for (int k = 0; k < 3; ++k)
      EXPECT_TRUE(same(set.get(queue, k), detector(k == 1 ? back : there)))
          << id << ' ' << 8 * sizeof(T) << " bits, " << image.channels << " channels, " << k;
    const auto message = [&](int count, int channels) -> std::string {
      try {
        (void)detector.add(samples, count, set, channels);
      } catch (const Error& e) {
        return e.code() == ErrorCode::usage ? e.what() : "";
      }
      return "";
    };
    EXPECT_NE(message(1, 5).find("channels = 5"), std::string::npos) << message(1, 5);
    EXPECT_NE(message(1, 0).find("channels = 0"), std::string::npos);
    const std::string small =
        fmt::format("holds {} samples; 4 images have {}", all.size(), all.size() / 3 * 4);
    EXPECT_NE(message(4, image.channels).find(small), std::string::npos)
        << message(4, image.channels);
  }
  std::vector<ImageU8> shallow;
  std::vector<ImageU16> deep;
  ImageU8 wide;
  std::vector<AnyImageView> pictures;
  std::vector<ImageU8> greys;
};

TEST_F(Pictures, have_the_features_of_their_grey) {
  for_each_device([&](Queue& queue, const std::string& id) {
    expect_features_of_the_grey<SiftDetector>(queue, id + " SIFT");
    expect_features_of_the_grey<SurfDetector>(queue, id + " SURF");
    EXPECT_TRUE(same(detect_sift(queue, deep[2]), detect_sift(queue, to_grey_8(deep[2])))) << id;
    EXPECT_TRUE(same(detect_surf(queue, shallow[3]), detect_surf(queue, to_grey_8(shallow[3]))));
  });
  EXPECT_TRUE(same(detect_sift(deep[3]), detect_sift(to_grey_8(deep[3]))));
  EXPECT_TRUE(same(detect_surf(deep[0]), detect_surf(to_grey_8(deep[0]))));
}

TEST_F(Pictures, have_the_same_features_in_device_memory) {
  for_each_device([&](Queue& queue, const std::string& id) {
    for (const ImageU8& image : shallow) expect_features_there(queue, image, id);
    for (const ImageU16& image : deep) expect_features_there(queue, image, id);
  });
}

TEST_F(Pictures, of_five_channels_are_refused) {
  for_each_device([&](Queue& queue, const std::string& id) {
    for (const AnyImageView& wrong : {AnyImageView(ImageView(shallow[0].pixels.data(), 10, 10, 5)),
                                      AnyImageView(ImageView(deep[0].pixels.data(), 10, 10, 5))}) {
      try {
        (void)detect_sift(queue, wrong);
        FAIL() << id;
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::usage);
        EXPECT_NE(std::string(e.what()).find("5 channels, must have 1"), std::string::npos);
      }
    }
  });
}

}  // namespace
}  // namespace bifocal::test
