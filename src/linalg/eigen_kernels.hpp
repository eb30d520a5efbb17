// SPDX-License-Identifier: BSD-3-Clause
// The kernels of real_eigenpairs on GPUs, and which of them is taken for a size.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bifocal::linalg {

// How a GPU works on a matrix of a batch.
struct EigenMapping {
  // 1: a thread a matrix (linalg/real_eigenpairs.lane.h), `threads` of them sharing a block.
  // 8, 16, 32: so many threads a matrix (linalg/real_eigenpairs.group.h).
  int width = 1;
  int threads = 32;  // of a block
};

// In the order of the kernels' arguments, behind the pointers and strides of EIGEN_BATCH: the
// workspace `kept`, n, balance, max_sweeps, count; numbers of the precision per matrix in work:
struct EigenRoom {
  std::size_t local, kept;
};
[[nodiscard]] constexpr EigenRoom eigen_room(int n, const EigenMapping& mapping) {
  const auto m = static_cast<std::size_t>(n);
  if (mapping.width == 1) return {m * m, m * m + 6 * m + 3};
  const std::size_t local = m * (m | 1) + 5 * m;
  // Neighbouring groups of a warp start in other banks.
  const std::size_t bank = mapping.width == 8 ? 8 : 0;
  return {mapping.width == 32 ? local : local + (16 + bank - local % 16) % 16, 2 * m * m};
}

// The CUDA function for it (eigen_f32.cu, eigen_f64.cu); nullptr where the build holds none.
template <class T>
[[nodiscard]] const void* eigen_cuda_function(int n, const EigenMapping& mapping);
// Sizes that a thread a matrix is compiled for.
inline constexpr int kEigenLaneSizes[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 20};

}  // namespace bifocal::linalg
