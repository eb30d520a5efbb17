// SPDX-License-Identifier: BSD-3-Clause
// Numbers of GPU threads that share a pixel of semi-global matching.
#pragma once

namespace bifocal::stereo {

// team: threads of a team; words: 32-bit words that each thread holds, with four disparities each;
// row_team: threads of a team for lines along rows, which divide the same words among them.
struct TeamShape {
  int team, words, row_team;
  [[nodiscard]] constexpr int disparities() const { return 4 * team * words; }
};
// All shapes with CUDA kernels, by disparities: a search takes the first shape that holds its
// disparities. On an NVIDIA H200 other shapes for 64, 128 and 256 disparities were at most 6 %
// faster and as often slower; the remaining shapes follow these three.
#ifdef BIFOCAL_FEW_CUDA_VARIANTS
inline constexpr TeamShape kTeamShapes[] = {{4, 4, 8}, {16, 4, 32}, {32, 8, 32}};
#else
inline constexpr TeamShape kTeamShapes[] = {{4, 1, 4},   {4, 2, 4},   {4, 4, 8},   {8, 3, 8},
                                            {8, 4, 16},  {16, 3, 16}, {16, 4, 32}, {32, 3, 32},
                                            {32, 4, 32}, {32, 6, 32}, {32, 8, 32}};
#endif

}  // namespace bifocal::stereo
