// SPDX-License-Identifier: BSD-3-Clause
// The arguments of the kernels of real_eigenpairs in their order, and functions that its
// files share.
#pragma once

#include <bifocal/linalg.hpp>

#include <array>

#include "runtime/kernel.hpp"

namespace bifocal::linalg {

inline constexpr int kLargestEigen = 127;

// Positions of the kernel's arguments: 8 addresses, 4 numbers, and the stride (64 bits; never 0).
// The address of an unused output is null.
enum EigenArgument {
  eigen_data,
  eigen_values,
  eigen_vectors,
  eigen_counts,
  eigen_status,
  eigen_residuals,
  eigen_real_parts,
  eigen_imaginary_parts,
  eigen_n,
  eigen_count,
  eigen_interleaved,  // 1; or 0 for a strided layout
  eigen_balance,
  eigen_max_sweeps,
  eigen_stride,
  eigen_argument_count,
};

template <class T>
[[nodiscard]] runtime::CpuFunction eigen_cpu_function();

// Returns the number of n x n matrices after which real_eigenpairs begins again with its threads:
// on a GPU the number that fills the device, on a CPU one work package per core.
[[nodiscard]] int resident_matrices(const DeviceInfo& device, int n, std::size_t number_bytes);

}  // namespace bifocal::linalg
