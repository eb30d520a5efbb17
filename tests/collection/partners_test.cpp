// SPDX-License-Identifier: BSD-3-Clause
// Retrieved partners are not wasted on copies, on images of a camera that stood still, and on
// images without features.
#include <bifocal/collect.hpp>
#include <bifocal/io.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "support/data.hpp"
#include "support/texture.hpp"

namespace bifocal::test {
namespace {

namespace fs = std::filesystem;

constexpr int kViews = 10, kWidth = 260, kHeight = 200, kStep = 70;

class PartnersOfCopies : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directory(folder / "in"); }
  // Views along one wide scene.
  ImageU8 view(int i) const {
    ImageU8 out(kWidth, kHeight);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) out.at(x, y) = scene.at(x + kStep * i, y);
    return out;
  }
  CollectResult run() const {
    Queue queue;
    CollectOptions options{.pairs = PairChoice::retrieval, .overwrite = true};
    options.partners = 3;
    options.sift.max_features = 400;
    options.retrieval.words = 32;
    return collect(queue, list_photographs(std::vector{(folder / "in").string()}),
                   folder / "out.db", options);
  }
  // Counts the connected components of the images under verified pairs.
  int parts() const {
    const colmap::Database database(folder / "out.db");
    std::vector<std::size_t> root(database.images().size() + 1);
    std::iota(root.begin(), root.end(), 0U);
    const auto top = [&](std::size_t i) {
      while (root[i] != i) i = root[i];
      return i;
    };
    for (const colmap::PairRows& row : database.geometry_rows())
      if (row.rows > 0) root[top(row.image1)] = top(row.image2);
    std::set<std::size_t> tops;
    for (std::size_t i = 1; i < root.size(); ++i) tops.insert(top(i));
    return int(tops.size());
  }
  const ImageU8 scene = texture(kWidth + kStep * kViews, kHeight, 5);
  TemporaryFolder folder;
};

TEST_F(PartnersOfCopies, duplicates_leave_the_graph_connected) {
  for (int i = 0; i < kViews; ++i) write_png(folder / fmt::format("in/{}.png", i), view(i));
  const CollectResult alone = run();
  EXPECT_EQ(parts(), 1);
  for (int i = 0; i < kViews; ++i)
    fs::copy_file(folder / fmt::format("in/{}.png", i), folder / fmt::format("in/{} (1).png", i));
  const CollectResult doubled = run();
  EXPECT_EQ(parts(), 1);
  EXPECT_GE(doubled.pairs, 2 * alone.pairs);
  EXPECT_EQ(doubled.notes.at(0).substr(0, 47), "10 photographs are copies of another one, the f");
}

// Copies with another compression, size or brightness have other bytes.
TEST_F(PartnersOfCopies, images_of_equal_content_are_copies) {
  for (int i = 0; i < kViews; ++i) {
    write_file(folder / fmt::format("in/{}.jpg", i), encode_jpeg(view(i), 97));
    write_file(folder / fmt::format("in/{} weak.jpg", i), encode_jpeg(view(i), 75));
    ImageU8 dark = view(i);
    for (std::uint8_t& v : dark.pixels) v = static_cast<std::uint8_t>(0.9 * v);
    write_png(folder / fmt::format("in/{} dark.png", i), dark);
  }
  (void)run();
  EXPECT_EQ(parts(), 1);
}

TEST_F(PartnersOfCopies, photographs_without_features_are_no_partners) {
  for (int i = 0; i < kViews; ++i) write_png(folder / fmt::format("in/{}.png", i), view(i));
  const CollectResult alone = run();
  // Images that are flat except for a corner with a few features.
  for (int i = 0; i < kViews; ++i) {
    ImageU8 flat(kWidth + i, kHeight, 1, std::uint8_t{90});
    for (int y = 0; y < 24; ++y)
      for (int x = 0; x < 24; ++x) flat.at(x, y) = scene.at(x, y);
    write_png(folder / fmt::format("in/flat{}.png", i), flat);
  }
  const CollectResult result = run();
  EXPECT_EQ(result.pairs, alone.pairs);
  EXPECT_EQ(result.verified, alone.verified);
}

}  // namespace
}  // namespace bifocal::test
