// SPDX-License-Identifier: BSD-3-Clause
// Extrema of differences of Gaussians (Lowe, section 4).
#pragma once

#include <bifocal/features.hpp>

#include <optional>
#include <vector>

#include "features/sift/sift_rules.hpp"
#include "features/sift/space.hpp"

namespace bifocal::features {

// Appends the columns x in [border, width - border) of row y where D = levels[i + 1] - levels[i], i
// = scale, is above `threshold` in magnitude and an extremum among its 26 neighbours. Among equal
// neighbours the first (by scale, y, x) counts.
void find_extrema(const Level* levels, int scale, int y, int border, float threshold,
                  std::vector<int>& columns);

// An extremum located to fractions of a sample.
struct Extremum {
  float x, y;      // px of the octave
  float layer;     // scale index, from 0.4 to layers + 0.6
  float response;  // |DoG| there
};

// Fits a quadratic to the 27 samples around (x, y, layer), and moves to a better sample up to five
// times. Returns no extremum if it leaves the octave, does not settle, is too weak or lies on
// an edge.
[[nodiscard]] std::optional<Extremum> refine(const Level* levels, int x, int y, int layer,
                                             const SiftOptions& options);

inline constexpr int kMoves = SiftRules::SIFT_MOVES;    // steps of a refinement
inline constexpr int kBorder = SiftRules::SIFT_BORDER;  // px at the border without extrema

}  // namespace bifocal::features
