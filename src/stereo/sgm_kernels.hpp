// SPDX-License-Identifier: BSD-3-Clause
// The kernels of sgm_device.cpp: how many threads share a pixel, and the CUDA functions.
#pragma once

namespace bifocal::stereo {

// Threads of a team and 32-bit words of four disparities each holds; and threads of the teams of
// the lines along the rows, which share the same words.
struct TeamShape {
  int team, words, row_team;
  [[nodiscard]] constexpr int disparities() const { return 4 * team * words; }
};
// Every shape that CUDA functions exist for, by disparities. On an NVIDIA H200 others for 64, 128
// and 256 were 6 % faster at best and as often slower; the rest follow them.
inline constexpr TeamShape kTeamShapes[] = {{4, 1, 4},   {4, 2, 4},   {4, 4, 8},   {8, 3, 8},
                                            {8, 4, 16},  {16, 3, 16}, {16, 4, 32}, {32, 3, 32},
                                            {32, 4, 32}, {32, 6, 32}, {32, 8, 32}};

inline constexpr int kPixelThreads = 128, kPathThreads = 128, kWinnerThreads = 256;

enum class SgmKernel { smooth, census, cost, paths, winners };

// nullptr in a build without CUDA, and for shapes that are not in kTeamShapes.
[[nodiscard]] const void* cuda_sgm_kernel(SgmKernel kernel, int pixel_bits, TeamShape shape,
                                          int paths);

}  // namespace bifocal::stereo
