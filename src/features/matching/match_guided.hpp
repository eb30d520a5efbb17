// SPDX-License-Identifier: BSD-3-Clause
// Inner loops of guided matching on a CPU.
#pragma once

#include <bifocal/matching.hpp>

#include <cstdint>

namespace bifocal::features {

// Writes the indices of the columns whose points (x[j], y[j]) fit the guide with (x1, y1), in
// ascending order, and returns their number. padded: number of columns, a multiple of 8, with NaN
// in the padding.
int fitting_columns(const MatchGuide& guide, double x1, double y1, const double* x, const double* y,
                    int padded, int* out);

// Returns |a - b|^2 of two descriptors.
std::int32_t squared_distance(const std::uint8_t* a, const std::uint8_t* b);

}  // namespace bifocal::features
