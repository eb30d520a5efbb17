// SPDX-License-Identifier: BSD-3-Clause
// View graphs of objects whose sides look alike. The relative pose with the most matches decides
// about a pair: the true pose, or a pose that confuses two sides.
#pragma once

#include <cstdint>

#include "mapping/scenes.hpp"

namespace bifocal::test {

enum class LookAlike {
  tower,        // a walk around a tower with four equal sides, before a background
  cup,          // a walk around a cup with two equal sides, before a background
  bare_cup,     // the same without background, as of a turned object or with masks
  facade_row,   // a walk along a facade of equal windows, in steps of half a window
  uneven_row,   // the same with steps of 0.3 to 0.8 windows
  plain_tower,  // as the tower, but its sides differ
  plain_row,    // as the uneven row, but its windows differ
};

inline constexpr const char* kLookAlikeWords[] = {
    "tower", "cup", "bare_cup", "facade_row", "uneven_row", "plain_tower", "plain_row"};

struct LookAlikeScene {
  SyntheticScene scene;
  int wrong_pairs = 0;
};

// Names are in the order of the walk if `is_ordered`, otherwise random.
[[nodiscard]] LookAlikeScene look_alike(LookAlike kind, int images, std::uint32_t seed = 1,
                                        bool is_ordered = true);

}  // namespace bifocal::test
