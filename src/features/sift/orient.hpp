// SPDX-License-Identifier: BSD-3-Clause
// Orientations and shapes of points on Gaussian levels.
#pragma once

#include <bifocal/features.hpp>

#include <array>
#include <vector>

#include "features/sift/sift_rules.hpp"
#include "features/sift/space.hpp"

namespace bifocal::features {

inline constexpr int kOrientationBins = SiftRules::ORIENTATION_BINS;
// Bin i is centred at 10 i degrees.
using OrientationHistogram = std::array<float, kOrientationBins>;

// Returns the histogram of gradient directions around (x, y), px of the level, weighted by
// magnitude and a Gaussian of sift_orientation_spread() times sigma (Lowe, section 5).
[[nodiscard]] OrientationHistogram orientation_histogram(const Level& level, float x, float y,
                                                         float sigma);

// Returns the shape of a point, or a circle if the iteration finds none (shape/shape.lane.h).
[[nodiscard]] KeypointShape affine_shape(const Level& level, float x, float y, float sigma);

// Returns the histogram in the frame of a shape, from samples of a grid.
[[nodiscard]] OrientationHistogram orientation_histogram(const Level& level, float x, float y,
                                                         float sigma, const KeypointShape& shape);

// Returns the directions, [0, 360) degrees, of the histogram's highest peak and of peaks of at
// least 80 % of its height, strongest first.
[[nodiscard]] std::vector<float> dominant_directions(const OrientationHistogram& histogram);

}  // namespace bifocal::features
