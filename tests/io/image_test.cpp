// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include "support/data.hpp"

namespace bifocal {
namespace {

template <class T>
Image<T> ramp(int width, int height, int channels) {
  Image<T> image(width, height, channels);
  unsigned state = 1;
  for (T& v : image.pixels) v = T((state = state * 1664525u + 1013904223u) >> 12);
  return image;
}

void expect_input_error(const auto& body, const std::string& part) {
  try {
    body();
    ADD_FAILURE() << "no error; expected one with \"" << part << '"';
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Grey, WeighsColoursAndIgnoresAlpha) {
  ImageU8 image(2, 1, 4);
  image.pixels = {255, 255, 255, 0, 10, 20, 30, 9};
  EXPECT_EQ(to_grey(image).pixels, (std::vector<std::uint8_t>{255, 18}));
  EXPECT_TRUE(to_grey(ImageU8()).empty());
  const ImageU8 alpha = ramp<std::uint8_t>(5, 3, 2);
  const ImageU8 grey = to_grey(alpha);
  for (int x = 0; x < 5; ++x) EXPECT_EQ(grey.at(x, 2), alpha.at(x, 2, 0));
}

TEST(Png, RoundTripsEveryLayout) {
  const test::TemporaryFolder folder;
  for (const int channels : {1, 2, 3, 4}) {
    for (const int width : {1, 3, 17}) {
      const auto shallow = ramp<std::uint8_t>(width, 5, channels);
      write_png(folder / "a.png", shallow);
      const ImageU8 back = read_image(folder / "a.png");
      EXPECT_EQ(back.channels, channels);
      EXPECT_EQ(back.pixels, shallow.pixels);
      EXPECT_EQ(decode_image(encode_png(shallow), "memory").pixels, shallow.pixels);
      const auto deep = ramp<std::uint16_t>(width, 5, channels);
      write_png(folder / "a.png", deep);
      EXPECT_EQ(read_image_16(folder / "a.png").pixels, deep.pixels);
      const ImageU8 rounded = read_image(folder / "a.png");
      for (std::size_t i = 0; i < deep.pixels.size(); ++i) {
        EXPECT_EQ(rounded.pixels[i], int(std::lround(deep.pixels[i] / 257.0)));
      }
    }
  }
}

TEST(Png, TruncatedAnywhereIsAnError) {
  const std::string bytes = encode_png(ramp<std::uint8_t>(7, 5, 3));
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_THROW((void)decode_image(bytes.substr(0, n), "cut.png"), Error) << n;
  }
}

TEST(Jpeg, KeepsAPictureNearlyAndRefusesTruncation) {
  ImageU8 image(24, 16, 3);
  for (int y = 0; y < 16; ++y) {
    for (int x = 0; x < 24; ++x) {
      image.at(x, y, 0) = std::uint8_t(10 * x);
      image.at(x, y, 1) = std::uint8_t(15 * y);
      image.at(x, y, 2) = 100;
    }
  }
  const std::string bytes = encode_jpeg(image, 95);
  const ImageU8 back = decode_image(bytes, "memory");
  ASSERT_EQ(back.channels, 3);
  double sum = 0;
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    sum += std::abs(int(image.pixels[i]) - int(back.pixels[i]));
  }
  EXPECT_LT(sum / double(image.pixels.size()), 4.0);
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_THROW((void)decode_image(bytes.substr(0, n), "cut.jpg"), Error) << n;
  }
}

TEST(Pnm, ReadsPlainAndBinaryOfAnyMaximum) {
  EXPECT_EQ(decode_image("P2 # c\n# d\n3 1\n#e\n15\n0 7 15", "m").pixels,
            (std::vector<std::uint8_t>{0, 119, 255}));
  EXPECT_EQ(decode_image("P3\n1 1 255\n1 2 3\n", "m").channels, 3);
  EXPECT_EQ(decode_image(std::string("P5 2 1 65535\n\x00\x00\x80\x00", 17), "m").pixels,
            (std::vector<std::uint8_t>{0, 128}));
  expect_input_error([] { (void)decode_image("P5 2 1 255\nx", "cut.pgm"); }, "cut.pgm: truncated");
  expect_input_error([] { (void)decode_image("P5 99999 99999 255\nx", "m"); }, "99999 x 99999");
  expect_input_error([] { (void)decode_image("P5 0 3 255\nx", "m"); }, "empty");
  expect_input_error([] { (void)decode_image("P2 1 1 3\n4", "m"); }, "above 3");
  expect_input_error([] { (void)decode_image("P4 1 1\nx", "m"); }, "P4");
}

TEST(Pfm, BothByteOrdersTopRowFirst) {
  const test::TemporaryFolder folder;
  ImageF map(2, 2);
  map.pixels = {1, 2, std::numeric_limits<float>::infinity(), -3};
  write_pfm(folder / "a.pfm", map);
  EXPECT_EQ(read_pfm(folder / "a.pfm").pixels, map.pixels);
  std::string bytes = read_file(folder / "a.pfm");
  EXPECT_EQ(bytes.substr(0, 12), "Pf\n2 2\n-1.0\n");
  for (std::size_t i = bytes.size() - 16; i < bytes.size(); i += 4) {
    std::swap(bytes[i], bytes[i + 3]);
    std::swap(bytes[i + 1], bytes[i + 2]);
  }
  bytes.erase(7, 1);
  write_file(folder / "b.pfm", bytes);
  EXPECT_EQ(read_pfm(folder / "b.pfm").pixels, map.pixels);
  bytes.pop_back();
  write_file(folder / "c.pfm", bytes);
  expect_input_error([&] { (void)read_pfm(folder / "c.pfm"); }, "c.pfm: truncated");
}

}  // namespace
}  // namespace bifocal
