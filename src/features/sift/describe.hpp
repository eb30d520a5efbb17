// SPDX-License-Identifier: BSD-3-Clause
// Description of a point on a Gaussian level.
#pragma once

#include <bifocal/features.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "features/sift/sift_rules.hpp"
#include "features/sift/space.hpp"

namespace bifocal::features {

using Description = std::array<float, 128>;  // [y 4][x 4][direction 8]

// The neighbourhood of a description: `size` times the point's own size, on the level `levels_up`
// above (or below) the point's own level if the octave has that level.
struct Domain {
  float size = 1;
  int levels_up = 0;
};
// One, or with domain_size_pooling several, each on the level whose blur is nearest to its size.
[[nodiscard]] std::vector<Domain> domains_of(const SiftOptions& options);

// How far a description looks from its point: the corner of the grid of samples of the largest
// domain. In sigma.
[[nodiscard]] inline double description_reach(const std::vector<Domain>& domains) {
  float largest = 0;
  for (const Domain& d : domains) largest = std::max(largest, d.size);
  return 10.5 / 4 * SiftRules::sift_bin_width() * 1.415 * largest;
}
// How much farther at most with shapes.
[[nodiscard]] inline double shape_reach() { return std::sqrt(SiftRules::shape_most_ratio()); }

// Lowe's 4 x 4 x 8 histogram with trilinear interpolation, before normalisation (Lowe, section 6).
// The neighbourhood is resampled on a grid rotated by the angle, a quarter of a bin (0.9 sigma)
// apart: as dense as an image of this blur needs, and the same work for every scale, with constant
// weights.
// In the frame of a shape the grid is of parallelograms.
[[nodiscard]] Description describe(const Level& level, float x, float y, float sigma,
                                   float angle_deg, const KeypointShape& shape = {});

// The sum of the domains' histograms, of a point of levels[level].
[[nodiscard]] Description describe(std::span<const Level> levels, int level,
                                   const std::vector<Domain>& domains, float x, float y,
                                   float sigma, float angle_deg, const KeypointShape& shape = {});

// Unit length, clipped at 0.2, unit length again; with `root` then the square root of the
// L1-normalised vector. Times 512, in 8 bits.
void quantise(const Description& description, bool root, std::uint8_t* out);

}  // namespace bifocal::features
