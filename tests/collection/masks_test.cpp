// SPDX-License-Identifier: BSD-3-Clause
// Features are detected only where a photograph's mask is not black.
#include <bifocal/collect.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "io/expect.hpp"
#include "support/data.hpp"
#include "support/devices.hpp"
#include "support/texture.hpp"

namespace bifocal::test {
namespace {

namespace fs = std::filesystem;

constexpr int kWidth = 320, kHeight = 240, kEdge = 150;

// Makes a mask that is black up to a column.
ImageU8 mask_to(int edge) {
  ImageU8 mask(kWidth, kHeight);
  for (int y = 0; y < kHeight; ++y)
    for (int x = edge; x < kWidth; ++x) mask.at(x, y) = 255;
  return mask;
}

class Masks : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder / "in/a");
    fs::create_directories(folder / "masks/a");
    for (const char* name : {"a/1.png", "2.png", "3.png", "4.png"})
      write_file(folder / ("in/" + std::string(name)),
                 encode_png(texture(kWidth, kHeight, 3)) + name);  // makes the files differ
    write_png(folder / "masks/a/1.png.png", mask_to(kEdge));
    write_png(folder / "masks/2.png.png", mask_to(kWidth));  // all black
    write_png(folder / "masks/4.png.png", ImageU8(kWidth / 2, kHeight));
  }
  // Returns the leftmost feature and the number of features of each image.
  std::map<std::string, std::pair<float, std::size_t>> features() const {
    const colmap::Database database(folder / "out.db");
    std::map<std::string, std::pair<float, std::size_t>> all;
    for (const colmap::Image& image : database.images()) {
      const colmap::Keypoints k = database.keypoints(image.id);
      auto& [left, count] = all[image.name] = {1e9F, k.size()};
      for (std::size_t i = 0; i < k.data.size(); i += 4) left = std::min(left, k.data[i]);
    }
    return all;
  }
  CollectResult run(Queue& queue, CollectOptions options) const {
    const std::vector<std::string> in = {(folder / "in").string()};
    options.masks = folder / "masks";
    return collect(queue, list_photographs(in), folder / "out.db", options);
  }
  TemporaryFolder folder;
};

TEST_F(Masks, restrict_features_of_their_photographs) {
  for_each_device([&](Queue& queue, const std::string& id) {
    const CollectResult result = run(queue, {.overwrite = true});
    EXPECT_EQ(result.images, 3) << id;
    ASSERT_EQ(result.left_out.size(), 1U) << id;
    EXPECT_EQ(result.left_out[0].name, "4.png");
    EXPECT_NE(result.left_out[0].reason.find("4.png.png: has 160 x 240 px, its photograph has 320"),
              std::string::npos)
        << result.left_out[0].reason;
    ASSERT_EQ(result.notes.size(), 2U);
    EXPECT_EQ(result.notes[0],
              "2 of 3 photographs have a mask; the others have all of their features");
    EXPECT_EQ(result.notes[1], "1 photograph has no feature inside the mask, the first 2.png");
    for (const int side : {0, 200}) {
      (void)run(queue, {.max_side = side, .overwrite = true});
      const auto found = features();
      const std::size_t least = side == 0 ? 100 : 30;
      EXPECT_EQ(found.at("2.png").second, 0U) << id;
      EXPECT_GT(found.at("3.png").second, 2 * least) << id;
      EXPECT_LT(found.at("3.png").first, 20) << id;
      EXPECT_GT(found.at("a/1.png").second, least) << id;
      EXPECT_GE(found.at("a/1.png").first, kEdge - 2) << id;
    }
  });
}

// Masked photographs still have the requested number of features, if enough are outside the
// black pixels.
TEST_F(Masks, leave_the_requested_number_of_features) {
  Queue queue;
  (void)run(queue, {.sift = {.max_features = 50}});
  const auto found = features();
  EXPECT_EQ(found.at("a/1.png").second, 50U);
  EXPECT_EQ(found.at("3.png").second, 50U);
}

TEST_F(Masks, are_part_of_the_settings_of_a_run) {
  Queue queue;
  (void)run(queue, {});
  EXPECT_TRUE(run(queue, {}).was_complete);
  write_png(folder / "masks/3.png.png", mask_to(20));
  expect_error([&] { (void)run(queue, {}); }, "3.png has changed since");
  fs::remove_all(folder / "masks");
  expect_error([&] { (void)run(queue, {}); }, "masks: is no folder", ErrorCode::usage);
}

// A mask is named 1.jpg.png as in COLMAP, or else 1.png.
TEST_F(Masks, are_found_by_the_stem) {
  Queue queue;
  fs::remove_all(folder / "masks");
  fs::create_directories(folder / "masks/a");
  fs::rename(folder / "in/2.png", folder / "in/2.jpg");  // the format follows from the bytes
  write_png(folder / "masks/a/1.png", mask_to(kEdge));
  write_png(folder / "masks/2.png", mask_to(kEdge));
  const CollectResult result = run(queue, {});
  EXPECT_EQ(result.notes.at(0),
            "2 of 4 photographs have a mask; the others have all of their features");
  EXPECT_GE(features().at("a/1.png").first, kEdge - 2);
  EXPECT_GE(features().at("2.jpg").first, kEdge - 2);
  write_png(folder / "masks/2.jpg.png", mask_to(20));
  const CollectResult again = run(queue, {.overwrite = true});
  EXPECT_LT(features().at("2.jpg").first, kEdge);
  // If no mask fits, the message names an expected and an existing file.
  fs::remove_all(folder / "masks");
  fs::create_directories(folder / "masks");
  write_png(folder / "masks/mask_1.png", mask_to(kEdge));
  EXPECT_EQ(run(queue, {.overwrite = true}).notes.at(0),
            "0 of 4 photographs have a mask; the others have all of their features (expected "
            "2.jpg.png or 2.png, found mask_1.png)");
}

// Lines of 1 px in a mask keep their features even if detection uses reduced images.
TEST_F(Masks, keep_their_resolution_if_photographs_are_reduced) {
  Queue queue;
  for (const bool keeps_lines : {false, true}) {
    ImageU8 mask(kWidth, kHeight, 1, keeps_lines ? std::uint8_t{0} : std::uint8_t{255});
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; x += 4) mask.at(x, y) = keeps_lines ? 255 : 0;
    for (const char* name : {"a/1.png", "2.png", "3.png", "4.png"})
      write_png(folder / ("masks/" + std::string(name) + ".png"), mask);
    for (const int side : {0, 250, 200, 160, 100}) {
      (void)run(queue, {.max_side = side, .overwrite = true});
      const colmap::Database database(folder / "out.db");
      for (const colmap::Image& image : database.images()) {
        const colmap::Keypoints k = database.keypoints(image.id);
        EXPECT_GT(k.size(), 5U) << side << keeps_lines;
        for (std::size_t i = 0; i < k.data.size(); i += std::size_t(k.columns)) {
          const int x = int(std::floor(k.data[i] + 0.5F)),
                    y = int(std::floor(k.data[i + 1] + 0.5F));
          ASSERT_NE(mask.at(std::clamp(x, 0, kWidth - 1), std::clamp(y, 0, kHeight - 1)), 0)
              << side;
        }
      }
    }
  }
}

// Bit depths, transparency and colours.
TEST_F(Masks, keep_pixels_that_are_neither_black_nor_transparent) {
  const auto edge_of = [&](const auto& picture) {
    write_png(folder / "mask.png", picture);
    const ImageU8 mask = read_mask(folder / "mask.png");
    int edge = 0;
    while (edge < mask.width && mask.at(edge, 3) == 0) ++edge;
    for (int y = 0; y < mask.height; ++y)
      for (int x = 0; x < mask.width; ++x) EXPECT_EQ(mask.at(x, y), x < edge ? 0 : 255);
    return edge;
  };
  ImageU16 deep(40, 10);
  ImageU8 faint(40, 10), blue(40, 10, 3), clear(40, 10, 4), shape(40, 10, 4), two(40, 10, 2);
  for (int y = 0; y < 10; ++y) {
    for (int x = 0; x < 40; ++x) {
      const bool is_kept = x >= 15;
      deep.at(x, y) = is_kept ? 1 : 0;
      faint.at(x, y) = is_kept ? 1 : 0;
      blue.at(x, y, 2) = is_kept ? 1 : 0;
      for (int c = 0; c < 3; ++c) clear.at(x, y, c) = 255;
      clear.at(x, y, 3) = is_kept ? 255 : 0;  // white, and partly transparent
      shape.at(x, y, 3) = is_kept ? 255 : 0;  // black, and partly transparent
      two.at(x, y, 0) = is_kept ? 200 : 0;
      two.at(x, y, 1) = 255;
    }
  }
  EXPECT_EQ(edge_of(deep), 15);
  EXPECT_EQ(edge_of(faint), 15);
  EXPECT_EQ(edge_of(blue), 15);
  EXPECT_EQ(edge_of(clear), 15);
  EXPECT_EQ(edge_of(shape), 15);
  EXPECT_EQ(edge_of(two), 15);
}

}  // namespace
}  // namespace bifocal::test
