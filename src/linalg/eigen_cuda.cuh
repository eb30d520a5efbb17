// SPDX-License-Identifier: BSD-3-Clause
// The CUDA kernels of real_eigenpairs; eigen_f32.cu and eigen_f64.cu instantiate them.
#pragma once

#include "lane/scalar.hpp"
#include "linalg/eigen_kernels.hpp"

namespace bifocal::linalg {

template <class Real, int Width>
struct eigen_class {
#define LANE_GROUP_WIDTH Width
#include "lane/cuda_begin.h"
#include "linalg/linalg.lanes"
#include "linalg/linalg.groups"
#include "linalg/eigen_matrix.kernel.h"
#include "lane/cpp_end.h"
};

// Small ones fit 64 registers, and then 32 warps run on a multiprocessor instead of 24.
template <class T, int N>
__global__ void __launch_bounds__(128, N <= 4 ? 8 : 1) eigen_lanes(const T* A, long element, long matrix, T* values, T* vectors,
                            int* counts, int* status, T* residuals, T* real_parts,
                            T* imaginary_parts, long out_element, long values_matrix,
                            long vectors_matrix, T* kept, int, int balance, int max_sweeps,
                            int count) {
  using lanes = eigen_class<T, 32>;
  extern __shared__ double shared_memory[];
  const int member = static_cast<int>(threadIdx.x % 32u);
  const int warp = static_cast<int>(threadIdx.x / 32u);
  T* work = reinterpret_cast<T*>(shared_memory) + warp * N * N * 32 + member;
  const long id = static_cast<long>(blockIdx.x) * (blockDim.x / 32u) + warp;
  kept += id * lanes::real_eigenpairs_kept(N) * 32 + member;
  T x[N];
  for (long b = id * 32 + member; b < count; b += static_cast<long>(gridDim.x) * blockDim.x) {
    lanes::lane_real_eigenpairs(A, element, matrix, values, vectors, counts, status, residuals,
                                real_parts, imaginary_parts, out_element, values_matrix,
                                vectors_matrix, N, b, balance, max_sweeps, work, kept, x);
  }
}

template <class T, int Width>
__global__ void eigen_groups(const T* A, long element, long matrix, T* values, T* vectors,
                             int* counts, int* status, T* residuals, T* real_parts,
                             T* imaginary_parts, long out_element, long values_matrix,
                             long vectors_matrix, T* kept, int n, int balance, int max_sweeps,
                             int count) {
  extern __shared__ double shared_memory[];
  const int groups = static_cast<int>(blockDim.x) / Width;
  const int group = static_cast<int>(threadIdx.x) / Width;
  const EigenRoom room = eigen_room(n, {Width, 0});
  T* work = reinterpret_cast<T*>(shared_memory) + group * room.local;
  const long id = static_cast<long>(blockIdx.x) * groups + group;
  kept += id * room.kept;
  for (long b = id; b < count; b += static_cast<long>(gridDim.x) * groups) {
    eigen_class<T, Width>::group_real_eigenpairs(
        A, element, matrix, values, vectors, counts, status, residuals, real_parts, imaginary_parts,
        out_element, values_matrix, vectors_matrix, n, b, balance != 0, max_sweeps, work, kept);
  }
}

template <class T>
const void* eigen_cuda_function(int n, const EigenMapping& mapping) {
#define BIFOCAL_EIGEN_LANES(N) \
  if (mapping.width == 1 && n == N) return reinterpret_cast<const void*>(&eigen_lanes<T, N>);
  BIFOCAL_EIGEN_LANES(2)
  BIFOCAL_EIGEN_LANES(3)
  BIFOCAL_EIGEN_LANES(4)
  BIFOCAL_EIGEN_LANES(5)
  BIFOCAL_EIGEN_LANES(6)
  BIFOCAL_EIGEN_LANES(7)
  BIFOCAL_EIGEN_LANES(8)
  BIFOCAL_EIGEN_LANES(9)
  BIFOCAL_EIGEN_LANES(10)
  BIFOCAL_EIGEN_LANES(12)
  BIFOCAL_EIGEN_LANES(15)
  BIFOCAL_EIGEN_LANES(16)
  BIFOCAL_EIGEN_LANES(20)
#undef BIFOCAL_EIGEN_LANES
  if (mapping.width == 8) return reinterpret_cast<const void*>(&eigen_groups<T, 8>);
  if (mapping.width == 16) return reinterpret_cast<const void*>(&eigen_groups<T, 16>);
  if (mapping.width == 32) return reinterpret_cast<const void*>(&eigen_groups<T, 32>);
  return nullptr;
}

}  // namespace bifocal::linalg
