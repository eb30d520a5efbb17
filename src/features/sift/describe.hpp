// SPDX-License-Identifier: BSD-3-Clause
// Descriptions of points on Gaussian levels.
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

// Neighbourhood of a description: `size` times the size of the point, on the level `levels_up`
// above (or below) the level of the point if the octave has that level.
struct Domain {
  float size = 1;
  int levels_up = 0;
};
// Returns one domain or, with domain_size_pooling, several, each on the level whose blur is nearest
// to its size.
[[nodiscard]] std::vector<Domain> domains_of(const SiftOptions& options);

// Returns the distance from a point to the farthest sample of its description, the corner of the
// largest domain's grid, in sigma.
[[nodiscard]] inline double description_reach(const std::vector<Domain>& domains) {
  float largest = 0;
  for (const Domain& d : domains) largest = std::max(largest, d.size);
  return 10.5 / 4 * SiftRules::sift_bin_width() * 1.415 * largest;
}
// Returns the largest factor by which shapes enlarge this distance.
[[nodiscard]] inline double shape_reach() { return std::sqrt(SiftRules::shape_most_ratio()); }

// Computes Lowe's 4 x 4 x 8 histogram with trilinear interpolation, before normalisation (Lowe,
// section 6). The neighbourhood is resampled on a grid rotated by the angle, with a step of a
// quarter of a bin (0.9 sigma): as dense as an image of this blur needs, with the same work for
// every scale, and with constant weights. In the frame of a shape the grid consists
// of parallelograms.
[[nodiscard]] Description describe(const Level& level, float x, float y, float sigma,
                                   float angle_deg, const KeypointShape& shape = {});

// Returns the sum of the domains' histograms, for a point of levels[level].
[[nodiscard]] Description describe(std::span<const Level> levels, int level,
                                   const std::vector<Domain>& domains, float x, float y,
                                   float sigma, float angle_deg, const KeypointShape& shape = {});

// Normalises to unit length, clips at 0.2 and normalises again; with `root`, takes the square root
// of the L1-normalised vector. Writes the elements times 512, in 8 bits.
void quantise(const Description& description, bool root, std::uint8_t* out);

}  // namespace bifocal::features
