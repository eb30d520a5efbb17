// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the SVD family on GPUs, by what they are compiled for.
#pragma once

#include <cstddef>

namespace bifocal::linalg {

// How a GPU works on the matrices of an svd.
struct SvdMapping {
  // 0: a thread a matrix, all of it in registers (linalg/svd/svd_registers.group.h). Else a team of
  // rows x blocks threads a matrix of up to so many columns (linalg/svd/svd_columns.group.h).
  int places = 0;
  int rows = 1, blocks = 1;
  int threads = 128;  // of a block: 32 to 128
};

[[nodiscard]] constexpr int svd_team_size(const SvdMapping& m) { return m.rows * m.blocks; }
// Bytes that the threads of a block share.
[[nodiscard]] constexpr std::size_t svd_local_bytes(const SvdMapping& m, int n,
                                                    std::size_t number_bytes) {
  const int numbers =
      m.places == 0 ? n * n * m.threads : m.threads / svd_team_size(m) * 6 * m.places;
  return static_cast<std::size_t>(numbers) * number_bytes;
}
// Pairs of columns that a member adds up at most: a power of two.
[[nodiscard]] constexpr int svd_pairs(const SvdMapping& m) {
  int pairs = 1;
  while (2 * pairs * m.blocks < m.places) pairs *= 2;
  return pairs;
}

// The CUDA functions (svd_f32.cu, svd_f64.cu); nullptr where the build holds none.
template <class T>
[[nodiscard]] const void* svd_cuda_function(int n, const SvdMapping& mapping);

// A thread a matrix, of arrays of its own (linalg/svd/svd_lanes.kernel.h), and the reduction of
// tall matrices (linalg/svd/svd_tall.kernel.h).
enum class SvdLaneKernel { svd, smallest_vector, symmetric, tall_factor, tall_apply };
inline constexpr int kSvdLaneThreads = 64;
// What their arrays are compiled for: n up to the first that is not less.
inline constexpr int kSvdLaneSizes[] = {9, 32};
template <class T>
[[nodiscard]] const void* svd_lane_cuda_function(int n, SvdLaneKernel kernel);

}  // namespace bifocal::linalg
