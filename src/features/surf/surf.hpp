// SPDX-License-Identifier: BSD-3-Clause
// Octaves and constant tables of SURF, which the host makes for all devices.
#pragma once

#include <bifocal/features.hpp>

#include <array>
#include <vector>

#include "lane/scalar.hpp"

namespace bifocal::features {

template <class Real>
struct surf_rules_of {
#include "lane/cpp_begin.h"

#include "features/sift/sift.lane.h"
#include "features/surf/surf.lane.h"

#include "lane/cpp_end.h"
};
using SurfRules = surf_rules_of<float>;

// Filter of the Hessian, with sides of 3 lobe px.
struct SurfFilter {
  int lobe;
  float scale;  // scale of a determinant in whole numbers
  [[nodiscard]] int reach() const { return (3 * lobe - 1) / 2; }
};
// Octave with samples every 1, 1, 2, 4 or 8 px of the image, after doubling if it is doubled.
struct SurfOctave {
  int number;
  std::array<SurfFilter, SurfRules::SURF_LAYERS> filters;
  // Samples [first, end) in which maxima of layers 1 and 2 are searched.
  std::array<int, 2> first_x, end_x, first_y, end_y;
  [[nodiscard]] int step() const { return SurfRules::surf_step(number); }
};
// Returns the octaves that fit into an image of the given size, which includes the enlargement.
[[nodiscard]] std::vector<SurfOctave> surf_octaves(int width, int height,
                                                   const SurfOptions& options);

// Returns the weights of the samples along a side of a description in its cells: [cell][sample].
// The weight of a sample is the product of the weights of its row and its column.
[[nodiscard]] std::vector<float> surf_shares();

}  // namespace bifocal::features
