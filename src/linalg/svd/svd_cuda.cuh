// SPDX-License-Identifier: BSD-3-Clause
// The CUDA kernels of svd; svd_f32.cu and svd_f64.cu instantiate them.
#pragma once

#include <cstddef>
#include <type_traits>

#include "lane/scalar.hpp"
#include "linalg/svd/svd_kernels.hpp"

namespace bifocal::linalg {

template <class Real, int Size>
struct svd_registers_text {
#include "lane/cuda_begin.h"
#include "lane/cuda_group_words.h"
#define SVD_IN_REGISTERS
  static constexpr int SVD_SIZE = Size;
#include "linalg/svd/svd_rotation.group.h"
#include "linalg/svd/svd_registers.group.h"
#include "linalg/svd/svd_batch.kernel.h"
#include "linalg/svd/svd_matrix.kernel.h"
#undef SVD_IN_REGISTERS
#undef SVD_BATCH
#include "lane/cuda_group_end.h"
#include "lane/cpp_end.h"
};

template <class Real, int Places, int Rows, int Blocks>
struct svd_columns_text {
#include "lane/cuda_begin.h"
#include "lane/cuda_group_words.h"
  static constexpr int SVD_PLACES = Places, SVD_ROWS = Rows, SVD_BLOCKS = Blocks,
                       SVD_PAIRS = svd_pairs({Places, Rows, Blocks, 32});
#include "linalg/svd/svd_rotation.group.h"
#include "linalg/svd/svd_columns.group.h"
#include "linalg/svd/svd_batch.kernel.h"
#include "linalg/svd/svd_matrix.kernel.h"
#undef SVD_BATCH
#include "lane/cuda_group_end.h"
#include "lane/cpp_end.h"
};

// Arguments: SVD_BATCH (svd_batch.kernel.h), then the matrices [first, first + count). MinBlocks:
// of a multiprocessor, which bounds the registers.
template <class T, int Size, int Threads, int MinBlocks>
__global__ void __launch_bounds__(Threads, MinBlocks)
    svd_registers(const T* A, std::ptrdiff_t in_element, std::ptrdiff_t in_matrix, T* S, T* V, T* U,
                  int* status, std::ptrdiff_t out_element, int out_interleaved, int n, int rows,
                  int u_rows, int max_sweeps, int first, int count) {
  extern __shared__ double2 shared_memory[];
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  svd_registers_text<T, Size>::svd_of_thread(
      A, in_element, in_matrix, S, V, U, status, out_element, out_interleaved, Size, rows, u_rows,
      max_sweeps, static_cast<std::ptrdiff_t>(first) + i,
      reinterpret_cast<T*>(shared_memory) + threadIdx.x, static_cast<int>(blockDim.x));
}

template <class T, int Places, int Rows, int Blocks, int MinBlocks>
__global__ void __launch_bounds__(128, MinBlocks)
    svd_columns(const T* A, std::ptrdiff_t in_element, std::ptrdiff_t in_matrix, T* S, T* V, T* U,
                int* status, std::ptrdiff_t out_element, int out_interleaved, int n, int rows,
                int u_rows, int max_sweeps, int first, int count) {
  using text = svd_columns_text<T, Places, Rows, Blocks>;
  constexpr int team = Rows * Blocks;
  extern __shared__ double2 shared_memory[];
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) / team;
  text::svd_of_team(
      A, in_element, in_matrix, S, V, U, status, out_element, out_interleaved, n, rows, u_rows,
      max_sweeps, static_cast<std::ptrdiff_t>(first) + (i < count ? i : count - 1), i < count,
      reinterpret_cast<T*>(shared_memory) + threadIdx.x / 32 * (32 / team) * 6 * Places);
}

}  // namespace bifocal::linalg

// Inside svd_cuda_function(n, m).
#define BIFOCAL_SVD_REGISTERS(T, N, THREADS, MIN_BLOCKS) \
  if (m.places == 0 && n == N && m.threads <= THREADS)   \
    return reinterpret_cast<const void*>(&svd_registers<T, N, THREADS, MIN_BLOCKS>);
#define BIFOCAL_SVD_COLUMNS(T, PLACES, ROWS, BLOCKS, MIN_BLOCKS)                 \
  if (m.places == PLACES && m.rows == ROWS && m.blocks == BLOCKS && n <= PLACES) \
    return reinterpret_cast<const void*>(&svd_columns<T, PLACES, ROWS, BLOCKS, MIN_BLOCKS>);
