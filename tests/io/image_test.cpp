// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include "io/expect.hpp"
#include "io/tiny_png.hpp"
#include "support/data.hpp"
#include "support/paths.hpp"

namespace bifocal {
namespace {

template <class T>
Image<T> ramp(int width, int height, int channels) {
  Image<T> image(width, height, channels);
  unsigned state = 1;
  for (T& v : image.pixels) v = T((state = state * 1664525u + 1013904223u) >> 12);
  return image;
}

using Bytes = std::vector<std::uint8_t>;
using test::expect_error;
using test::tiny_png;

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

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int v : values) text.push_back(char(v));
  return text;
}

TEST(Png, ReadsLayoutsThatWeDoNotWrite) {
  const std::string bit1 = tiny_png(3, 2, 1, 0, bytes({0, 0xa0, 0, 0x40}));
  EXPECT_EQ(decode_image(bit1, "m").pixels, (Bytes{255, 0, 255, 0, 255, 0}));
  const std::string bit4 = tiny_png(3, 1, 4, 0, bytes({0, 0x0f, 0x70}));
  EXPECT_EQ(decode_image(bit4, "m").pixels, (Bytes{0, 255, 119}));
  const std::string palette = test::png_chunk("PLTE", bytes({1, 2, 3, 4, 5, 6, 7, 8, 9}));
  const std::string plain = tiny_png(4, 1, 2, 3, bytes({0, 0x18}), palette);
  const ImageU8 rgb = decode_image(plain, "m");
  EXPECT_EQ(rgb.channels, 3);
  EXPECT_EQ(rgb.pixels, (Bytes{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}));
  const std::string clear =
      tiny_png(2, 1, 2, 3, bytes({0, 0x10}), palette + test::png_chunk("tRNS", bytes({0x80})));
  EXPECT_EQ(decode_image(clear, "m").pixels, (Bytes{1, 2, 3, 0x80, 4, 5, 6, 255}));
  const std::string key =
      tiny_png(2, 1, 8, 0, bytes({0, 9, 7}), test::png_chunk("tRNS", bytes({0, 7})));
  EXPECT_EQ(decode_image(key, "m").pixels, (Bytes{9, 255, 7, 0}));
  // In Adam7 interlacing of 2 x 2 px the passes 1, 6 and 7 have pixels.
  const std::string adam = tiny_png(2, 2, 8, 0, bytes({0, 1, 0, 2, 0, 3, 4}), "", true);
  EXPECT_EQ(decode_image(adam, "m").pixels, (Bytes{1, 2, 3, 4}));
}

TEST(Png, SamplesAreNotScaled) {
  const test::TemporaryFolder folder;
  const std::string palette = test::png_chunk("PLTE", bytes({1, 2, 3, 4, 5, 6, 7, 8, 9}));
  write_file(folder / "a.png", tiny_png(4, 1, 2, 3, bytes({0, 0x18}), palette));
  const ImageU16 index = read_samples(folder / "a.png");
  EXPECT_EQ(index.channels, 1);
  EXPECT_EQ(index.pixels, (std::vector<std::uint16_t>{0, 1, 2, 0}));
  write_file(folder / "a.pgm", "P2 2 1 1000\n3 1000\n");
  EXPECT_EQ(read_samples(folder / "a.pgm").pixels, (std::vector<std::uint16_t>{3, 1000}));
  EXPECT_EQ(read_image_16(folder / "a.pgm").pixels, (std::vector<std::uint16_t>{197, 65535}));
  write_file(folder / "a.jpg", encode_jpeg(ImageU8(8, 8), 90));
  expect_error([&] { (void)read_samples(folder / "a.jpg"); }, "a.jpg: is not a PNG");
}

TEST(Png, HeadersAreCheckedBeforeMemoryIsTaken) {
  const std::string large = tiny_png(100000, 100000, 8, 6, bytes({0}));
  expect_error([&] { (void)decode_image(large, "big.png"); }, "big.png: image of 100000 x 100000");
  const std::string hollow = tiny_png(16000, 16000, 8, 6, bytes({0}));
  expect_error([&] { (void)decode_image(hollow, "hollow.png"); }, "can't hold 16000 x 16000");
  EXPECT_THROW((void)decode_image(tiny_png(0, 4, 8, 0, bytes({0})), "m"), Error);
  std::string crc = tiny_png(2, 1, 8, 0, bytes({0, 9, 7}));
  crc[crc.size() - 20] ^= 1;
  EXPECT_THROW((void)decode_image(crc, "m"), Error);
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

TEST(Jpeg, CmykBecomesRgb) {
  const std::filesystem::path corpus =
      std::filesystem::path(test::kSourceFolder) / "tests/fuzz/corpus/image";
  for (const char* name : {"cmyk.jpg", "ycck.jpg", "progressive.jpg", "restart.jpg", "rgb.jpg"}) {
    const ImageU8 image = read_image(corpus / name);
    EXPECT_EQ(image.channels, 3) << name;
    EXPECT_EQ(image.width, 17) << name;
    EXPECT_EQ(image.height, 9) << name;
  }
  EXPECT_EQ(read_image(corpus / "grey.jpg").channels, 1);
}

TEST(Jpeg, HeadersAreCheckedBeforeMemoryIsTaken) {
  std::string bytes = encode_jpeg(ImageU8(8, 8), 90);
  const std::size_t frame = bytes.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  for (std::size_t i = 5; i < 9; ++i) bytes[frame + i] = char(0xf0);
  expect_error([&] { (void)decode_image(bytes, "big.jpg"); }, "big.jpg: image of 61680 x 61680");
  for (std::size_t i = 5; i < 9; ++i) bytes[frame + i] = char(0x30);
  expect_error([&] { (void)decode_image(bytes, "hollow.jpg"); }, "can't hold 12336 x 12336");
}

TEST(Pnm, ReadsPlainAndBinaryOfAnyMaximum) {
  EXPECT_EQ(decode_image("P2 # c\n# d\n3 1\n#e\n15\n0 7 15", "m").pixels,
            (std::vector<std::uint8_t>{0, 119, 255}));
  EXPECT_EQ(decode_image("P3\n1 1 255\n1 2 3\n", "m").channels, 3);
  EXPECT_EQ(decode_image(std::string("P5 2 1 65535\n\x00\x00\x80\x00", 17), "m").pixels,
            (std::vector<std::uint8_t>{0, 128}));
  expect_error([] { (void)decode_image("P5 2 1 255\nx", "cut.pgm"); }, "cut.pgm: truncated");
  expect_error([] { (void)decode_image("P5 99999 99999 255\nx", "m"); }, "99999 x 99999");
  expect_error([] { (void)decode_image("P5 0 3 255\nx", "m"); }, "empty");
  expect_error([] { (void)decode_image("P2 1 1 3\n4", "m"); }, "above 3");
  expect_error([] { (void)decode_image("P4 1 1\nx", "m"); }, "P4");
}

TEST(Pfm, ReadsBothByteOrdersTopRowFirst) {
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
  expect_error([&] { (void)read_pfm(folder / "c.pfm"); }, "c.pfm: truncated");
}

}  // namespace
}  // namespace bifocal
