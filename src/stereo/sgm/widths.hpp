// SPDX-License-Identifier: BSD-3-Clause
// The loops over disparities on a CPU lay out memory so. A pixel's costs [D] are bytes, its sums 16
// bits; lanes of a register are neighbouring disparities, and those beyond D hold 255 for good.
// `stride` bytes from one pixel to the next leave kGuard bytes of 255 behind a pixel, which
// neighbours of the first and the last disparity are read from.
#pragma once

namespace bifocal::stereo {

inline constexpr int kGuard = 16;        // bytes of 255 between pixels
inline constexpr int kWidestBytes = 64;  // a register of the widest target
inline constexpr int kSumsBlock = 32;    // a pixel's sums are padded to a multiple of this

}  // namespace bifocal::stereo
