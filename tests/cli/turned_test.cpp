// SPDX-License-Identifier: BSD-3-Clause
// Every command sees photographs upright that a camera stored sideways with an EXIF orientation.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "io/exif_block.hpp"
#include "io/tiny_png.hpp"

namespace bifocal::test {
namespace {

using nlohmann::json;

// Returns the stored image that orientation 6, a quarter rotation to the right, displays
// as `image`.
ImageU8 lying(const ImageU8& image) {
  ImageU8 stored(image.height, image.width);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) stored.at(y, image.width - 1 - x) = image.at(x, y);
  }
  return stored;
}

TEST(CliOrientation, every_command_gives_the_result_of_upright_images) {
  const TemporaryFolder folder;
  write_pictures(folder);
  const std::string exif = png_chunk("eXIf", exif_block({.orientation = 6}).substr(6));
  for (const std::string name : {"left", "right"}) {
    const std::string png = encode_png(lying(read_image(folder / (name + ".png"))));
    write_file(folder / (name + "6.png"), std::string(png).insert(33, exif));
  }
  write_file(folder / "c.txt",
             "1 PINHOLE 400 300 400 400 200 150\nR 1 0 0 0 1 0 0 0 1\nt -0.25 0 0\n");
  for (const auto& [command, files] :
       {std::pair<std::string, std::vector<std::string>>{
            "pair {} --no-dense --intrinsics 400,400,199.5,149.5", {"matches.txt"}},
        {"stereo {} --max-disparity 32", {"disparity.pfm", "disparity_raw.pfm"}},
        {"rectify {} --calib c.txt", {"left.png", "right.png"}}}) {
    SCOPED_TRACE(command);
    const Ran upright =
        run(folder, fmt::format(fmt::runtime(command), "left.png right.png") + " --out a");
    const Ran turned =
        run(folder, fmt::format(fmt::runtime(command), "left6.png right6.png") + " --out b");
    ASSERT_EQ(upright.code, 0) << upright.err;
    ASSERT_EQ(turned.code, 0) << turned.err;
    for (const std::string& file : files) {
      EXPECT_EQ(read_file(folder / "a" / file), read_file(folder / "b" / file)) << file;
    }
    for (const char* out : {"a", "b"}) std::filesystem::remove_all(folder / out);
  }
}

TEST(CliOrientation, focal_lengths_and_sizes_belong_to_the_upright_image) {
  const TemporaryFolder folder;
  write_pictures(folder);
  const std::string block = exif_block({.orientation = 6, .focal_on_film_mm = 35});
  for (const std::string name : {"left", "right"}) {
    write_file(folder / (name + ".jpg"),
               with_exif(encode_jpeg(lying(read_image(folder / (name + ".png"))), 98), block));
  }
  const Ran r = run(folder, "pair left.jpg right.jpg --out o --no-dense --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const json j = json::parse(r.out), camera = j["cameras"]["first"];
  EXPECT_EQ(j["images"][0]["width"], 400);
  EXPECT_EQ(j["images"][0]["height"], 300);
  EXPECT_NEAR(camera["fx"].get<double>(), 35 * 500 / std::hypot(36, 24), 1e-9);
  EXPECT_EQ(camera["cx"], 199.5);
  EXPECT_EQ(camera["cy"], 149.5);
}

}  // namespace
}  // namespace bifocal::test
