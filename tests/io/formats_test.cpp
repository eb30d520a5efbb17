// SPDX-License-Identifier: BSD-3-Clause
// Decoding of TIFF, WebP and BMP files whose bytes are written in the tests.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include <bifocal/io.hpp>

#include "io/decode.hpp"
#include "io/expect.hpp"
#include "runtime/built_parts.h"
#include "support/data.hpp"

namespace bifocal {
namespace {

using test::expect_error;

// Appends the lowest `size` bytes of a number, the lowest first or, if `big`, last.
void put(std::string& out, std::uint64_t value, int size, bool big = false) {
  for (int k = 0; k < size; ++k)
    out += static_cast<char>(value >> (8 * (big ? size - 1 - k : k)) & 0xff);
}

// Values of the tags: orientation 1 is upright, compression 1 is none. A focal length of 0 omits
// the EXIF tag.
struct Tiff {
  int width = 3, height = 2, bits = 8, samples = 3, orientation = 1, compression = 1;
  bool is_big_endian = false;
  double focal_mm = 0;
};

// Returns a TIFF file with its directory after the header and the pixels as one strip at its end.
// They are not compressed, even if the tag says otherwise.
std::string tiff_of(const Tiff& t, const std::string& pixels) {
  struct Tag {
    int tag, type;
    std::uint32_t value;
  };
  const bool big = t.is_big_endian;
  std::vector<Tag> tags = {
      {256, 4, std::uint32_t(t.width)},       {257, 4, std::uint32_t(t.height)},
      {258, 3, std::uint32_t(t.bits)},        {259, 3, std::uint32_t(t.compression)},
      {262, 3, t.samples >= 3 ? 2U : 1U},     {273, 4, 0},
      {274, 3, std::uint32_t(t.orientation)}, {277, 3, std::uint32_t(t.samples)},
      {278, 4, std::uint32_t(t.height)},      {279, 4, std::uint32_t(pixels.size())}};
  if (t.focal_mm > 0) tags.push_back({34665, 4, 0});
  // An entry cannot hold three values of 16 bits. They follow the directory.
  const auto end = std::uint32_t(8 + 2 + 12 * tags.size() + 4);
  const std::uint32_t exif = end + 6, rational = exif + 2 + 12 + 4, data = rational + 8;
  std::string out = big ? "MM" : "II";
  put(out, 42, 2, big), put(out, 8, 4, big), put(out, tags.size(), 2, big);
  for (Tag tag : tags) {
    if (tag.tag == 273) tag.value = data;
    if (tag.tag == 34665) tag.value = exif;
    const bool is_list = tag.tag == 258 && t.samples == 3;
    put(out, std::uint64_t(tag.tag), 2, big), put(out, std::uint64_t(tag.type), 2, big);
    put(out, is_list ? 3 : 1, 4, big);
    if (is_list) {
      put(out, end, 4, big);
    } else if (tag.type == 3) {
      put(out, tag.value, 2, big), put(out, 0, 2, big);
    } else {
      put(out, tag.value, 4, big);
    }
  }
  put(out, 0, 4, big);
  for (int k = 0; k < 3; ++k) put(out, std::uint64_t(t.bits), 2, big);
  put(out, 1, 2, big), put(out, 0x920A, 2, big), put(out, 5, 2, big), put(out, 1, 4, big);
  put(out, rational, 4, big), put(out, 0, 4, big);
  put(out, std::uint64_t(std::lround(t.focal_mm * 100)), 4, big), put(out, 100, 4, big);
  return out + pixels;
}

// Returns the bytes 0, step, 2 step, ... modulo 256.
std::string ramp(std::size_t count, int step = 7) {
  std::string pixels;
  for (std::size_t i = 0; i < count; ++i) pixels += static_cast<char>(i * std::size_t(step));
  return pixels;
}

// Returns the bytes of an image, row by row.
std::string text_of(const ImageU8& image) { return {image.pixels.begin(), image.pixels.end()}; }

// Skips a test if the build does not have a decoder.
#define NEED(part) \
  if (!BIFOCAL_HAS_##part) GTEST_SKIP() << "this build has no " #part

TEST(Tiff, KeepsTheSamplesOfEightBits) {
  NEED(TIFF);
  for (const int samples : {1, 3}) {
    const std::string pixels = ramp(std::size_t(6 * samples));
    const ImageU8 image = decode_image(tiff_of({.samples = samples}, pixels), "a.tif");
    EXPECT_EQ(image.channels, samples);
    EXPECT_EQ(text_of(image), pixels);
  }
}

TEST(Tiff, KeepsSixteenBitsInBothByteOrders) {
  NEED(TIFF);
  const test::TemporaryFolder folder;
  for (const bool big : {false, true}) {
    std::string pixels;
    for (std::uint64_t v : {0U, 1U, 256U, 1000U, 40000U, 65535U}) put(pixels, v, 2, big);
    write_file(folder / "a.tif", tiff_of({.bits = 16, .samples = 1, .is_big_endian = big}, pixels));
    EXPECT_EQ(read_image_16(folder / "a.tif").pixels,
              (std::vector<std::uint16_t>{0, 1, 256, 1000, 40000, 65535}));
  }
}

TEST(Tiff, HasOrientationAndFocalLength) {
  NEED(TIFF);
  const std::string pixels = ramp(6);
  const std::string bytes = tiff_of({.samples = 1, .orientation = 6, .focal_mm = 35}, pixels);
  const ImageU8 upright = decode_image(bytes, "a.tif");
  EXPECT_EQ(upright.width, 2);
  EXPECT_EQ(upright.height, 3);
  EXPECT_EQ(decode_photograph(bytes, "a.tif").grey.width, 3);
  const auto head = io::read_tiff_head(bytes);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->exif.orientation, 6);
  EXPECT_NEAR(head->exif.focal_mm, 35, 1e-6);
  EXPECT_EQ(io::claimed_pixels(bytes), 6);
}

TEST(Tiff, TruncatedAnywhereIsAnError) {
  NEED(TIFF);
  const std::string bytes = tiff_of({.focal_mm = 35}, ramp(18));
  // From 4 bytes on a file is recognised as a TIFF.
  for (std::size_t size = 4; size < bytes.size(); ++size)
    expect_error([&] { (void)decode_image(bytes.substr(0, size), "cut.tif"); }, "cut.tif: ");
}

TEST(Tiff, ClaimsBeyondTheFileAreRefused) {
  NEED(TIFF);
  expect_error(
      [] {
        (void)decode_image(tiff_of({.width = 1 << 20, .height = 1 << 20}, ramp(18)), "big.tif");
      },
      "big.tif: ");
  expect_error(
      [] { (void)decode_image(tiff_of({.width = 10000, .height = 10000}, ramp(18)), "b"); },
      "can't hold 10000 x 10000 pixels");
  expect_error([] { (void)decode_image(tiff_of({.bits = 32}, ramp(72)), "deep.tif"); },
               "32 bits a sample");
}

TEST(WebP, IsDecoded) {
  NEED(WEBP);
  // Encoded by WebPEncodeLosslessRGB.
  constexpr std::string_view kHex =
      "5249464642000000574542505650384c350000002f024000002f40986db439dc7bfe96a7212420741ffc7f8920db"
      "6"
      "617a9bfe5e73fe0cf78264501856c23c0a17b054ee922fa1fc30b00";
  std::string bytes;
  for (std::size_t i = 0; i < kHex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(kHex.substr(i, 2)), nullptr, 16));
  const ImageU8 image = decode_image(bytes, "a.webp");
  EXPECT_EQ(image.width, 3);
  EXPECT_EQ(image.pixels, (std::vector<std::uint8_t>{255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30,
                                                     40, 50, 60, 70, 80, 90}));
  EXPECT_EQ(io::claimed_pixels(bytes), 6);
  for (std::size_t size = 12; size + 8 < bytes.size(); ++size)
    expect_error([&] { (void)decode_image(bytes.substr(0, size), "cut.webp"); }, "cut.webp: ");
}

// Returns a BMP file. rows: pixels as in the file, each row padded to 4 bytes, the lowest row first
// unless the height is negative. A file of 8 bits has a palette of three colours: (20 + k, 10 + k,
// k) in RGB, k = 0, 1, 2.
std::string bmp_of(int width, int height, int bits, const std::string& rows) {
  std::string out = "BM";
  const std::size_t colours = bits == 8 ? 3 : 0, start = 54 + 4 * colours;
  put(out, start + rows.size(), 4), put(out, 0, 4), put(out, start, 4), put(out, 40, 4);
  put(out, std::uint32_t(width), 4), put(out, std::uint32_t(height), 4), put(out, 1, 2);
  put(out, std::uint64_t(bits), 2);
  for (int k = 0; k < 4; ++k) put(out, 0, 4);
  put(out, colours, 4), put(out, 0, 4);
  for (std::size_t k = 0; k < colours; ++k)
    out += {static_cast<char>(k), static_cast<char>(10 + k), static_cast<char>(20 + k), '\0'};
  return out + rows;
}

TEST(Bmp, RowsRunFromBelowInBlueGreenRed) {
  const std::string rows("\x01\x02\x03\x04\x05\x06\0\0\x07\x08\x09\x0a\x0b\x0c\0\0", 16);
  const std::vector<std::uint8_t> below = {9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4};
  EXPECT_EQ(decode_image(bmp_of(2, 2, 24, rows), "a.bmp").pixels, below);
  const std::vector<std::uint8_t> above = {3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10};
  EXPECT_EQ(decode_image(bmp_of(2, -2, 24, rows), "a.bmp").pixels, above);
}

TEST(Bmp, PaletteBecomesColours) {
  const std::string rows("\x02\0\0\0", 4);
  EXPECT_EQ(decode_image(bmp_of(1, 1, 8, rows), "a.bmp").pixels,
            (std::vector<std::uint8_t>{22, 12, 2}));
  expect_error([] { (void)decode_image(bmp_of(1, 1, 8, std::string("\x03\0\0\0", 4)), "a.bmp"); },
               "colour 3 of 3");
}

TEST(Bmp, DamageIsAnError) {
  const std::string bytes = bmp_of(2, 2, 24, std::string(16, 'x'));
  for (std::size_t size = 1; size < bytes.size(); ++size)
    expect_error([&] { (void)decode_image(bytes.substr(0, size), "cut.bmp"); }, "cut.bmp: ");
  expect_error([] { (void)decode_image(bmp_of(1 << 20, 1 << 20, 24, "abc"), "big.bmp"); },
               "big.bmp: ");
  expect_error([] { (void)decode_image(bmp_of(2, 2, 4, std::string(16, 'x')), "a.bmp"); },
               "4 bits a pixel");
}

}  // namespace
}  // namespace bifocal
