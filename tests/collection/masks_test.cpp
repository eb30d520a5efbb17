// SPDX-License-Identifier: BSD-3-Clause
// Features are only where a photograph's mask is not black.
#include <bifocal/collect.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "io/expect.hpp"
#include "support/data.hpp"
#include "support/devices.hpp"
#include "support/texture.hpp"

namespace bifocal::test {
namespace {

namespace fs = std::filesystem;

constexpr int kWidth = 320, kHeight = 240, kEdge = 150;

// Black up to a column.
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
      write_png(folder / ("in/" + std::string(name)), texture(kWidth, kHeight, 3));
    write_png(folder / "masks/a/1.png.png", mask_to(kEdge));
    write_png(folder / "masks/2.png.png", mask_to(kWidth));  // all of it black
    write_png(folder / "masks/4.png.png", ImageU8(kWidth / 2, kHeight));
  }
  // The leftmost feature of each image, and how many it has.
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

TEST_F(Masks, hold_for_their_photographs) {
  for_each_device([&](Queue& queue, const std::string& id) {
    const CollectResult result = run(queue, {.overwrite = true});
    EXPECT_EQ(result.images, 3) << id;
    ASSERT_EQ(result.left_out.size(), 1U) << id;
    EXPECT_EQ(result.left_out[0].name, "4.png");
    EXPECT_NE(result.left_out[0].reason.find("4.png.png: has 160 x 240 px, its photograph has 320"),
              std::string::npos)
        << result.left_out[0].reason;
    ASSERT_EQ(result.notes.size(), 1U);
    EXPECT_EQ(result.notes[0],
              "2 of 3 photographs have a mask; the others have all of their features");
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

// Those that a mask leaves are as many as are asked for, where there are so many.
TEST_F(Masks, leave_as_many_features_as_asked_for) {
  Queue queue;
  (void)run(queue, {.sift = {.max_features = 50}});
  const auto found = features();
  EXPECT_EQ(found.at("a/1.png").second, 50U);
  EXPECT_EQ(found.at("3.png").second, 50U);
}

TEST_F(Masks, belong_to_their_photographs) {
  Queue queue;
  (void)run(queue, {});
  EXPECT_TRUE(run(queue, {}).was_complete);
  write_png(folder / "masks/3.png.png", mask_to(20));
  expect_error([&] { (void)run(queue, {}); }, "3.png has changed since");
  expect_error([&] { (void)run(queue, {.given = {.source = folder / "in"}}); },
               "CollectOptions::masks", ErrorCode::usage);
  fs::remove_all(folder / "masks");
  expect_error([&] { (void)run(queue, {}); }, "masks: is no folder", ErrorCode::usage);
}

}  // namespace
}  // namespace bifocal::test
