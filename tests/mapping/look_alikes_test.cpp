// SPDX-License-Identifier: BSD-3-Clause
// Scenes whose sides look alike.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <bifocal/device.hpp>
#include <bifocal/mapping.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mapping/look_alike_scenes.hpp"
#include "support/long_tests.hpp"

namespace bifocal::test {
namespace {

struct MappedLookAlike {
  MapResult result;
  PoseErrors errors;  // of the first model

  [[nodiscard]] bool is_folded() const {
    return std::ranges::any_of(result.doubts.at(0), [](const ModelDoubt& doubt) {
      return doubt.kind == DoubtKind::folded;
    });
  }
  [[nodiscard]] bool is_right(int images) const {
    return errors.images == images && errors.rotation_deg < 1 && errors.centre < 0.02;
  }
};

MappedLookAlike mapped(LookAlike kind, int images, std::uint32_t seed, bool is_ordered) {
  const LookAlikeScene in = look_alike(kind, images, seed, is_ordered);
  Queue queue(Device("cpu"));
  MappedLookAlike out{map_view_graph(queue, in.scene.graph), {}};
  fmt::print("{} {} {}: {} wrong of {} pairs", kLookAlikeWords[static_cast<std::size_t>(kind)],
             images, seed, in.wrong_pairs, in.scene.graph.pairs.size());
  for (std::size_t k = 0; k < out.result.models.size(); ++k) {
    const PoseErrors errors = pose_errors(out.result.models[k], in.scene);
    if (k == 0) out.errors = errors;
    fmt::print("; {} images, rotation {:.2f} deg, centre {:.2f} %", errors.images,
               errors.rotation_deg, 100 * errors.centre);
    for (const ModelDoubt& doubt : out.result.doubts[k])
      fmt::print(", {} {:.2f}", to_string(doubt.kind), doubt.value);
  }
  fmt::print("\n");
  return out;
}

// With a background, coverage finds the true rotations, whatever the names are.
TEST(LookAlikes, SidesBeforeABackgroundAreToldApart) {
  const int seeds = test::short_or_long(1, 5);
  for (const LookAlike kind : {LookAlike::tower, LookAlike::cup})
    for (int seed = 1; seed <= seeds; ++seed) {
      const MappedLookAlike found =
          mapped(kind, 24, static_cast<std::uint32_t>(seed), seed % 2 == 0);
      EXPECT_TRUE(found.is_right(24));
      EXPECT_TRUE(found.is_folded());
    }
}

TEST(LookAlikes, ModelsOfFilesAreDoubted) {
  const LookAlikeScene in = look_alike(LookAlike::tower, 24);
  Queue queue(Device("cpu"));
  const MapResult result = map_view_graph(queue, in.scene.graph);
  ASSERT_EQ(result.models.size(), 1U);
  const std::vector<ModelDoubt> doubts = model_doubts(in.scene.graph, result.models[0]);
  ASSERT_EQ(doubts.size(), 1U);
  EXPECT_EQ(doubts[0].kind, DoubtKind::folded);
  EXPECT_GT(doubts[0].value, doubts[0].limit);
  EXPECT_FALSE(doubts[0].pairs.empty());
}

TEST(LookAlikes, ManyImagesOfTwoEqualSidesAreRightOrDoubted) {
  if (!test::is_long()) GTEST_SKIP() << "the long form runs it";
  for (const bool is_ordered : {false, true}) {
    const MappedLookAlike found = mapped(LookAlike::cup, 60, 1, is_ordered);
    EXPECT_TRUE(found.is_right(60) || found.is_folded());
  }
}

// Without a background only the order of names differs from the fold.
TEST(LookAlikes, AFoldWithoutABackgroundIsDoubted) {
  const int seeds = test::short_or_long(1, 5);
  for (int seed = 1; seed <= seeds; ++seed) {
    const MappedLookAlike found =
        mapped(LookAlike::bare_cup, 24, static_cast<std::uint32_t>(seed), true);
    EXPECT_TRUE(found.is_right(24) || found.is_folded());
  }
}

TEST(LookAlikes, SidesThatDifferAreNotDoubted) {
  const int seeds = test::short_or_long(1, 5);
  for (int seed = 1; seed <= seeds; ++seed) {
    const MappedLookAlike found =
        mapped(LookAlike::plain_tower, 24, static_cast<std::uint32_t>(seed), false);
    EXPECT_TRUE(found.is_right(24));
    EXPECT_FALSE(found.is_folded());
  }
}

// Positions of such a row are folded, even if its rotations are right.
TEST(LookAlikes, AFoldedRowOfEqualWindowsIsDoubted) {
  const int seeds = test::short_or_long(1, 5);
  for (const LookAlike kind : {LookAlike::facade_row, LookAlike::uneven_row}) {
    if (kind == LookAlike::uneven_row && !test::is_long()) break;
    for (int seed = 1; seed <= seeds; ++seed) {
      const MappedLookAlike found = mapped(kind, 36, static_cast<std::uint32_t>(seed), true);
      if (seed == 1) {
        EXPECT_LT(found.errors.rotation_deg, 1);
      }
      EXPECT_TRUE(found.is_right(36) || found.is_folded());
    }
  }
}

TEST(LookAlikes, ARowOfDifferentWindowsIsNotDoubted) {
  const int seeds = test::short_or_long(1, 5);
  for (int seed = 1; seed <= seeds; ++seed) {
    const MappedLookAlike found =
        mapped(LookAlike::plain_row, 36, static_cast<std::uint32_t>(seed), true);
    EXPECT_TRUE(found.is_right(36));
    EXPECT_TRUE(found.result.doubts.at(0).empty());
  }
}

}  // namespace
}  // namespace bifocal::test
