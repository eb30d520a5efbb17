// SPDX-License-Identifier: BSD-3-Clause
// Images are rotated according to EXIF, and focal lengths belong to the rotated image.
#include <gtest/gtest.h>

#include <cmath>

#include <bifocal/io.hpp>

#include "io/exif.hpp"
#include "io/exif_block.hpp"
#include "io/tiny_png.hpp"
#include "support/data.hpp"
#include "support/paths.hpp"

namespace bifocal {
namespace {

using test::exif_block;
using test::with_exif;

// Makes four blocks of 16 x 8 px: A B above C D.
constexpr int kBlockWidth = 16, kBlockHeight = 8;
ImageU8 four_blocks(int channels) {
  ImageU8 image(2 * kBlockWidth, 2 * kBlockHeight, channels);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      for (int c = 0; c < channels; ++c) {
        image.at(x, y, c) = std::uint8_t(40 + 50 * (x / kBlockWidth) + 100 * (y / kBlockHeight));
      }
    }
  }
  return image;
}

// Returns the letters of the four quarters, row by row.
template <class T>
std::string quarters(const Image<T>& image, double white = 255) {
  std::string letters;
  for (const int y : {1, 3}) {
    for (const int x : {1, 3}) {
      const T value = image.at(image.width * x / 4, image.height * y / 4);
      letters += char('A' + int(std::lround((value * 255 / white - 40) / 50)));
    }
  }
  return letters;
}

// A B above C D as the eight orientations of the standard display it.
const std::string kShown[] = {"ABCD", "BADC", "DCBA", "CDAB", "ACBD", "CADB", "DBCA", "BDAC"};

TEST(Orientation, AllEightValuesOfAJpegAreApplied) {
  for (const int channels : {1, 3}) {
    const std::string jpeg = encode_jpeg(four_blocks(channels), 95);
    EXPECT_EQ(quarters(decode_image(jpeg, "m")), "ABCD");
    for (int orientation = 1; orientation <= 8; ++orientation) {
      for (const bool big_endian : {false, true}) {
        SCOPED_TRACE(orientation);
        const std::string turned =
            with_exif(jpeg, exif_block({.orientation = orientation}, big_endian));
        const ImageU8 image = decode_image(turned, "m");
        EXPECT_EQ(quarters(image), kShown[orientation - 1]);
        EXPECT_EQ(image.channels, channels);
        EXPECT_EQ(image.width, orientation < 5 ? 2 * kBlockWidth : 2 * kBlockHeight);
        EXPECT_EQ(image.height, orientation < 5 ? 2 * kBlockHeight : 2 * kBlockWidth);
      }
    }
    for (const int unknown : {9, 65535}) {
      const std::string block = exif_block({.orientation = unknown});
      EXPECT_EQ(quarters(decode_image(with_exif(jpeg, block), "m")), "ABCD");
    }
  }
}

// Tests every pixel, not only the quarters: orientation 6 followed by 8 is the identity, and
// likewise for all inverse pairs.
TEST(Orientation, EveryPixelOfAPngGoesToItsPlace) {
  const auto png_of = [](const std::string& raw, int width, int height, int orientation) {
    const std::string tiff = exif_block({.orientation = orientation}).substr(6);
    return test::tiny_png(std::uint32_t(width), std::uint32_t(height), 8, 0, raw,
                          test::png_chunk("eXIf", tiff));
  };
  const std::string raw("\0\1\2\3\0\4\5\6", 8);  // 1 2 3 above 4 5 6, with filter bytes
  const std::vector<std::uint8_t> shown[] = {
      {1, 2, 3, 4, 5, 6}, {3, 2, 1, 6, 5, 4}, {6, 5, 4, 3, 2, 1}, {4, 5, 6, 1, 2, 3},
      {1, 4, 2, 5, 3, 6}, {4, 1, 5, 2, 6, 3}, {6, 3, 5, 2, 4, 1}, {3, 6, 2, 5, 1, 4}};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    SCOPED_TRACE(orientation);
    EXPECT_EQ(decode_image(png_of(raw, 3, 2, orientation), "m").pixels, shown[orientation - 1]);
  }
}

TEST(Orientation, ImagesOf16BitsAreRotatedAndBareSamplesAreNot) {
  const test::TemporaryFolder folder;
  ImageU16 deep(2, 2);
  deep.pixels = {40 * 257, 90 * 257, 140 * 257, 190 * 257};
  write_png(folder / "a.png", deep);
  std::string png = read_file(folder / "a.png");
  const std::string chunk = test::png_chunk("eXIf", exif_block({.orientation = 6}).substr(6));
  for (const std::size_t at : {std::size_t{33}, png.size() - 12}) {  // before and after the pixels
    write_file(folder / "b.png", std::string(png).insert(at, chunk));
    EXPECT_EQ(quarters(read_image_16(folder / "b.png"), 65535), "CADB");
    EXPECT_EQ(quarters(read_image(folder / "b.png")), "CADB");
    EXPECT_EQ(quarters(read_samples(folder / "b.png"), 65535), "ABCD");
  }
}

TEST(Orientation, DamagedExifIsIgnored) {
  const std::string jpeg = encode_jpeg(four_blocks(1), 95);
  const std::string block = exif_block({.orientation = 3, .focal_on_film_mm = 50});
  for (std::size_t n = 0; n < block.size(); ++n) {
    const std::string shown = quarters(decode_image(with_exif(jpeg, block.substr(0, n)), "m"));
    EXPECT_TRUE(shown == "ABCD" || shown == "DCBA") << n << shown;
  }
}

// 50 mm on film, or 50 mm with 500 px per mm for an image recorded 4000 px wide.
TEST(Exif, GivesBothKindsOfFocalLengthInBothByteOrders) {
  const std::string jpeg = encode_jpeg(ImageU8(40, 30), 90);
  for (const bool big_endian : {false, true}) {
    for (const int orientation : {0, 1, 3, 6, 8}) {
      SCOPED_TRACE(orientation);
      const auto film = exif_intrinsics(with_exif(
          jpeg, exif_block({.orientation = orientation, .focal_on_film_mm = 50}, big_endian)));
      ASSERT_TRUE(film);
      EXPECT_NEAR(film->fx, 50 * 50 / std::hypot(36, 24), 1e-9);
      EXPECT_EQ(film->cx, orientation < 5 ? 19.5 : 14.5);
      EXPECT_EQ(film->cy, orientation < 5 ? 14.5 : 19.5);
      for (const auto& [unit, mm] : {std::pair{0, 25.4}, {2, 25.4}, {3, 10.0}, {4, 1.0}}) {
        const auto plane = exif_intrinsics(with_exif(jpeg, exif_block({.orientation = orientation,
                                                                       .focal_mm = 50,
                                                                       .pixels_a_unit = 1000,
                                                                       .unit = unit,
                                                                       .width = 4000},
                                                                      big_endian)));
        ASSERT_TRUE(plane);
        EXPECT_NEAR(plane->fx, 50 * (1000 / mm) * 40 / 4000, 1e-9) << unit;
        EXPECT_EQ(plane->fx, plane->fy);
      }
    }
  }
}

// As in caliterra: 4,000 px were resized to 1,600, and the resolution was kept.
TEST(Exif, ASensorThatNoCameraHasGivesNoFocalLength) {
  const std::string jpeg = encode_jpeg(ImageU8(1600, 1200), 90);
  test::ExifTags tags = {.focal_mm = 4.5, .pixels_a_unit = 16393, .unit = 2, .width = 1600};
  EXPECT_FALSE(exif_intrinsics(with_exif(jpeg, exif_block(tags))));
  EXPECT_EQ(decode_photograph(with_exif(jpeg, exif_block(tags)), "p").info.doubt,
            "a sensor of 2.5 mm");
  tags.width = 4000;
  EXPECT_NEAR(exif_intrinsics(with_exif(jpeg, exif_block(tags)))->fx, 4.5 * 16393 / 25.4 * 0.4,
              1e-9);
}

TEST(Exif, TheCorpusReads) {
  const std::filesystem::path corpus =
      std::filesystem::path(test::kSourceFolder) / "tests/fuzz/corpus/exif";
  for (const char* order : {"little", "big"}) {
    const auto film = intrinsics_from_exif(corpus / ("film_" + std::string(order) + ".jpg"));
    const auto plane = intrinsics_from_exif(corpus / ("plane_" + std::string(order) + ".jpg"));
    ASSERT_TRUE(film && plane) << order;
    EXPECT_NEAR(film->fx, 50 * 50 / std::hypot(36, 24), 1e-9);
    EXPECT_NEAR(plane->fx, 50 * 1000 * 40 / 4000.0, 1e-9);
    EXPECT_EQ(film->cy, 14.5);
  }
}

TEST(Exif, IsEmptyWithoutABlock) {
  const std::string jpeg = encode_jpeg(ImageU8(8, 8), 90);
  EXPECT_FALSE(exif_intrinsics(jpeg));
  EXPECT_FALSE(exif_intrinsics(with_exif(jpeg, exif_block({.orientation = 6}))));
  EXPECT_FALSE(exif_intrinsics(encode_png(ImageU8(8, 8))));
  EXPECT_FALSE(exif_intrinsics(""));
  const std::string whole = with_exif(jpeg, exif_block({.focal_on_film_mm = 50}));
  const std::size_t scan = whole.find("\xff\xda");
  for (std::size_t n = 0; n < scan; ++n) EXPECT_FALSE(exif_intrinsics(whole.substr(0, n))) << n;
  EXPECT_TRUE(exif_intrinsics(whole));
}

}  // namespace
}  // namespace bifocal
