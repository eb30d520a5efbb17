// SPDX-License-Identifier: BSD-3-Clause
// So many threads of a GPU share a pixel of semi-global matching.
#pragma once

namespace bifocal::stereo {

// Threads of a team and 32-bit words of four disparities each holds; and threads of the teams of
// the lines along the rows, which share the same words.
struct TeamShape {
  int team, words, row_team;
  [[nodiscard]] constexpr int disparities() const { return 4 * team * words; }
};
// Every shape that CUDA functions exist for, by disparities: a search takes the first one that
// holds it. On an NVIDIA H200 others for 64, 128 and 256 were 6 % faster at best and as often
// slower; the rest follow them.
#ifdef BIFOCAL_FEW_CUDA_VARIANTS
inline constexpr TeamShape kTeamShapes[] = {{4, 4, 8}, {16, 4, 32}, {32, 8, 32}};
#else
inline constexpr TeamShape kTeamShapes[] = {{4, 1, 4},   {4, 2, 4},   {4, 4, 8},   {8, 3, 8},
                                            {8, 4, 16},  {16, 3, 16}, {16, 4, 32}, {32, 3, 32},
                                            {32, 4, 32}, {32, 6, 32}, {32, 8, 32}};
#endif

}  // namespace bifocal::stereo
