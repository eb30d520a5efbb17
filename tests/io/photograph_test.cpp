// SPDX-License-Identifier: BSD-3-Clause
// Photographs of a collection: pixels, EXIF and search in folders.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <random>

#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include "io/decode.hpp"
#include "io/exif_block.hpp"
#include "support/data.hpp"

namespace bifocal {
namespace {

using test::exif_block;
using test::TemporaryFolder;
using test::with_exif;

ImageU8 smooth_colours(int width, int height) {
  ImageU8 image(width, height, 3);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      image.at(x, y, 0) = std::uint8_t(60 + 100 * x / width);
      image.at(x, y, 1) = std::uint8_t(80 + 90 * y / height);
      image.at(x, y, 2) = std::uint8_t(200 - 120 * x / width);
    }
  return image;
}

TEST(Photograph, is_the_grey_of_the_file_without_rotation) {
  const ImageU8 colours = smooth_colours(48, 32);
  const std::string jpeg = encode_jpeg(colours, 95);
  for (const bool big_endian : {false, true}) {
    const std::string turned = with_exif(jpeg, exif_block({.orientation = 6}, big_endian));
    const Photograph p = decode_photograph(turned, "p");
    EXPECT_EQ(p.grey.channels, 1);
    EXPECT_EQ(p.info.width, 48);
    EXPECT_EQ(p.info.height, 32);
    const ImageU8 expected = to_grey(decode_image(jpeg, "p"));
    for (int y = 0; y < 32; ++y)
      for (int x = 0; x < 48; ++x) ASSERT_NEAR(p.grey.at(x, y), expected.at(x, y), 2);
  }
  EXPECT_EQ(decode_photograph(encode_png(colours), "p").grey.pixels, to_grey(colours).pixels);
}

TEST(Photograph, has_camera_and_position) {
  const std::string jpeg = encode_jpeg(ImageU8(64, 48), 90);
  for (const bool big_endian : {false, true}) {
    const PhotographInfo info =
        decode_photograph(with_exif(jpeg, exif_block({.focal_on_film_mm = 50,
                                                      .make = "Canon",
                                                      .model = "EOS 5D ",
                                                      .latitude = {48, 30, 36},
                                                      .longitude = {7, 45, 0},
                                                      .north = 'S',
                                                      .east = 'W'},
                                                     big_endian)),
                          "p")
            .info;
    EXPECT_EQ(info.camera, "Canon-EOS 5D-50-64x48");
    ASSERT_TRUE(info.focal_length);
    EXPECT_NEAR(*info.focal_length, 50 * 80 / std::hypot(36, 24), 1e-9);
    ASSERT_TRUE(info.position);
    EXPECT_NEAR(info.position->latitude_deg, -48.51, 1e-9);
    EXPECT_NEAR(info.position->longitude_deg, -7.75, 1e-9);
  }
}

TEST(Photograph, with_incomplete_tags_has_no_camera_and_no_position) {
  const std::string jpeg = encode_jpeg(ImageU8(64, 48), 90);
  const auto info = [&](const test::ExifTags& tags) {
    return decode_photograph(with_exif(jpeg, exif_block(tags)), "p").info;
  };
  EXPECT_EQ(decode_photograph(jpeg, "p").info.camera, "--0-64x48");
  EXPECT_EQ(info({.focal_on_film_mm = 50, .model = "M"}).camera, "");
  EXPECT_EQ(info({.focal_on_film_mm = 50, .make = "M"}).camera, "");
  EXPECT_EQ(info({.make = "M", .model = "N"}).camera, "");
  EXPECT_FALSE(info({.make = "M", .model = "N"}).focal_length);
  // A focal length without the sensor's resolution distinguishes settings and has no value in px.
  EXPECT_EQ(info({.focal_mm = 35, .make = "M", .model = "N"}).camera, "M-N-35-64x48");
  EXPECT_FALSE(info({.focal_mm = 35, .make = "M", .model = "N"}).focal_length);
  EXPECT_TRUE(info({.latitude = {48.5}, .longitude = {7, 30}}).position);
  EXPECT_FALSE(info({.latitude = {98, 0, 0}, .longitude = {7, 0, 0}}).position);
}

TEST(Photograph, is_read_despite_damaged_exif) {
  const std::string jpeg = encode_jpeg(ImageU8(64, 48), 90);
  const std::string block = exif_block({.focal_on_film_mm = 50,
                                        .make = "Canon",
                                        .model = "EOS",
                                        .latitude = {48, 30, 36},
                                        .longitude = {7, 45, 0}});
  for (std::size_t n = 0; n <= block.size(); ++n)
    EXPECT_EQ(decode_photograph(with_exif(jpeg, block.substr(0, n)), "p").grey.width, 64);
}

TEST(Photograph, header_gives_the_number_of_pixels) {
  const ImageU8 image(37, 21);
  EXPECT_EQ(io::claimed_pixels(encode_png(image)), 37 * 21);
  EXPECT_EQ(io::claimed_pixels(encode_jpeg(image, 90)), 37 * 21);
  EXPECT_EQ(io::claimed_pixels("P5 # 9 9\n37\n 21 255 "), 37 * 21);
  for (const char* none : {"", "P5", "P5 7", "\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "text"})
    EXPECT_EQ(io::claimed_pixels(none), 0) << none;
}

// Each pixel is the mean of the covered area, summed over small squares.
TEST(Photograph, is_reduced_by_means_of_areas) {
  std::mt19937 random(3);
  ImageU8 image(40, 28);
  for (auto& v : image.pixels) v = std::uint8_t(random());
  const ReducedImage half = reduce_to(image, 20);
  ASSERT_EQ(half.image.width, 20);
  ASSERT_EQ(half.image.height, 14);
  EXPECT_EQ(half.scale_x, 2);
  for (int y = 0; y < 14; ++y)
    for (int x = 0; x < 20; ++x) {
      const int sum = image.at(2 * x, 2 * y) + image.at(2 * x + 1, 2 * y) +
                      image.at(2 * x, 2 * y + 1) + image.at(2 * x + 1, 2 * y + 1);
      EXPECT_NEAR(half.image.at(x, y), sum / 4.0, 0.51);
    }
  const ReducedImage odd = reduce_to(image, 25);  // 25 x 18: squares of 1/225 of a pixel
  ASSERT_EQ(odd.image.height, 18);
  EXPECT_DOUBLE_EQ(odd.scale_y, 28.0 / 18);
  for (const auto& [x, y] : {std::pair{0, 0}, std::pair{7, 3}, std::pair{24, 17}}) {
    double sum = 0;
    for (int j = 0; j < 140; ++j)
      for (int i = 0; i < 80; ++i)
        sum += image.at(int((x + (i + 0.5) / 80) * 1.6), int((y + (j + 0.5) / 140) * 28 / 18));
    EXPECT_NEAR(odd.image.at(x, y), sum / (80 * 140), 0.6) << x << ' ' << y;
  }
}

TEST(Photograph, is_not_reduced_below_a_pixel_or_enlarged) {
  EXPECT_EQ(reduce_to(ImageU8(10, 7), 10).image.width, 10);
  EXPECT_EQ(reduce_to(ImageU8(10, 7), 10).scale_x, 1);
  const ReducedImage thin = reduce_to(ImageU8(1000, 2, 1, 9), 10);
  EXPECT_EQ(thin.image.width, 10);
  EXPECT_EQ(thin.image.height, 1);
  EXPECT_EQ(thin.image.at(3, 0), 9);
  EXPECT_EQ(reduce_to(ImageU8(9, 9, 3, 7), 3).image.pixels, ImageU8(3, 3, 3, 7).pixels);
  EXPECT_THROW((void)reduce_to(ImageU8(9, 9), 0), Error);
}

class PhotographFileList : public ::testing::Test {
 protected:
  void touch(const std::string& name) const {
    std::filesystem::create_directories((folder / name).parent_path());
    write_file(folder / name, "x");
  }
  [[nodiscard]] std::vector<std::string> names(const std::vector<std::string>& paths) const {
    std::vector<std::string> whole;
    for (const std::string& p : paths) whole.push_back((folder / p).string());
    std::vector<std::string> names;
    const PhotographFiles found = list_photographs(whole);
    for (const auto& [file, name] : found.files) {
      names.push_back(name);
      EXPECT_TRUE(std::filesystem::equivalent(file, found.folder / name));
    }
    return names;
  }
  TemporaryFolder folder;
};

TEST_F(PhotographFileList, contains_the_images_of_a_folder_by_name) {
  for (const char* name : {"b.jpg", "a.PNG", "sub/deep/c.JPeG", "sub/d.ppm", "notes.txt",
                           ".hidden.jpg", ".git/e.jpg", "a.jpg.part"})
    touch(name);
  EXPECT_EQ(names({""}),
            (std::vector<std::string>{"a.PNG", "b.jpg", "sub/d.ppm", "sub/deep/c.JPeG"}));
  EXPECT_EQ(names({"sub"}), (std::vector<std::string>{"d.ppm", "deep/c.JPeG"}));
  // Files are taken as given, each once; names are below the folder of all.
  EXPECT_EQ(names({"sub/d.ppm", "b.jpg", "sub", "notes.txt", "b.jpg"}),
            (std::vector<std::string>{"b.jpg", "notes.txt", "sub/d.ppm", "sub/deep/c.JPeG"}));
  EXPECT_EQ(names({"sub/deep/c.JPeG"}), std::vector<std::string>{"c.JPeG"});
  EXPECT_EQ(names({".git"}), std::vector<std::string>{"e.jpg"});
}

TEST_F(PhotographFileList, has_each_photograph_once_despite_links) {
  for (const char* name : {"P/a.jpg", "P/sub/b.jpg", "Q/c.jpg"}) touch(name);
  const auto link = [&](const char* to, const std::string& name) {
    std::filesystem::create_symlink(to, folder / name);
  };
  link("..", "P/sub/up");          // to a folder above
  link("loop", "P/loop");          // to itself
  link("loop.jpg", "P/loop.jpg");  // which could be a photograph
  link("sub", "P/again");          // to a folder that is listed itself
  link("../Q", "P/q1");            // two to one folder
  link("../Q", "P/q2");
  link("../Q/../P/sub/b.jpg", "P/b.jpg");  // to a file that is listed itself
  link("nowhere", "P/gone");
  link("nowhere", "P/gone.jpg");
  std::filesystem::create_hard_link(folder / "P/a.jpg", folder / "P/a2.jpg");
  EXPECT_EQ(mkfifo((folder / "P/pipe.jpg").c_str(), 0600), 0);
  const PhotographFiles found = list_photographs(std::vector{(folder / "P").string()});
  std::vector<std::string> taken, other_files;
  for (const PhotographFile& f : found.files) taken.push_back(f.name);
  for (const LeftOut& l : found.other_files) other_files.push_back(l.name + ": " + l.reason);
  EXPECT_EQ(taken, (std::vector<std::string>{"a.jpg", "a2.jpg", "gone.jpg", "loop.jpg", "q1/c.jpg",
                                             "sub/b.jpg"}));
  const std::string P = (folder / "P").string();
  EXPECT_EQ(other_files,
            (std::vector<std::string>{
                "again: is a link to the folder sub", "b.jpg: is a link to sub/b.jpg",
                "gone: is a broken link", "loop: is a broken link", "pipe.jpg: is no file",
                "q2: is a link to the folder q1", "sub/up: is a link to the folder " + P}));
  // Several arguments behave likewise.
  link("P", "P2");
  EXPECT_EQ(list_photographs(std::vector{(folder / "P").string(), (folder / "P/sub").string(),
                                         (folder / "P2").string()})
                .files.size(),
            6U);
}

TEST_F(PhotographFileList, is_in_the_order_of_numbers) {
  for (const int i : {1, 2, 9, 10, 11, 100}) touch(fmt::format("frame_{}.jpg", i));
  touch("frame_010.jpg");
  EXPECT_EQ(names({""}),
            (std::vector<std::string>{"frame_1.jpg", "frame_2.jpg", "frame_9.jpg", "frame_010.jpg",
                                      "frame_10.jpg", "frame_11.jpg", "frame_100.jpg"}));
}

TEST_F(PhotographFileList, names_missing_files) {
  try {
    (void)names({"none.jpg"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::input);
    EXPECT_NE(std::string(e.what()).find("none.jpg"), std::string::npos);
  }
  EXPECT_THROW((void)list_photographs({}), Error);
}

}  // namespace
}  // namespace bifocal
