// SPDX-License-Identifier: BSD-3-Clause
// The median of known neighbours is compiled for every SIMD target.
#pragma once

#include <cstdint>

namespace bifocal::stereo {

inline constexpr int kMedianMargin = 2 + 32;  // columns that rows have to have on both sides

// out[x], x < width: the median of the known (not 0xffff) among the side x side neighbours, of an
// even number of them the upper one; unknown stays. rows [side]: of y - side / 2 and on, unknown
// outside the picture. out may be written up to 32 beyond its end.
void median_row(const std::uint16_t* const* rows, int side, int width, std::uint16_t* out);

}  // namespace bifocal::stereo
