// SPDX-License-Identifier: BSD-3-Clause
// Memory layout of loops over disparities on a CPU. The costs [D] of a pixel are bytes, its sums
// have 16 bits. The lanes of a register are neighbouring disparities; lanes beyond D always hold
// 255. The distance between pixels, `stride` bytes, leaves kGuard bytes of 255 behind each pixel,
// which serve as neighbours of the first and the last disparity.
#pragma once

namespace bifocal::stereo {

inline constexpr int kGuard = 16;        // bytes of 255 between pixels
inline constexpr int kWidestBytes = 64;  // bytes in a register of the widest target
inline constexpr int kSumsBlock = 32;    // a pixel's sums are padded to a multiple of this

}  // namespace bifocal::stereo
