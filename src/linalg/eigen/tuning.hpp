// SPDX-License-Identifier: BSD-3-Clause
// Tuning table: the mapping that a GPU uses for a matrix size, measured by `bifocal-bench
// tune` (docs/linalg.md).
#pragma once

#include <bifocal/device.hpp>

namespace bifocal::linalg {

// How a GPU computes a matrix of a batch.
struct EigenMapping {
  // Threads per matrix. 1: one matrix per thread (linalg/eigen/real_eigenpairs.lane.h), with
  // `threads` matrices per block. 8, 16, 32: a group (linalg/eigen/real_eigenpairs.group.h).
  int width = 1;
  int threads = 32;  // per block
};

struct EigenTuning {
  DeviceKind kind;
  bool is_double;
  int largest;  // matrix size
  EigenMapping mapping;
};

// For at most this many matrices per multiprocessor, a warp computes each matrix and the table is
// ignored. One thread per matrix would leave most multiprocessors idle.
inline constexpr int kFewMatricesPerCore = 4;
inline constexpr int kSmallestOfWarp = 4;  // matrix size

// The first row whose kernel exists for the size is used. The CUDA rows were measured on an NVIDIA
// H200. OpenCL computes one matrix per work-group, so that less than a warp per matrix leaves
// threads idle.
inline constexpr EigenTuning kEigenTuning[] = {
    {DeviceKind::cuda, true, 20, {1, 32}},    {DeviceKind::cuda, true, 16, {8, 64}},
    {DeviceKind::cuda, true, 24, {16, 64}},   {DeviceKind::cuda, true, 127, {32, 32}},
    {DeviceKind::cuda, false, 20, {1, 32}},   {DeviceKind::cuda, false, 16, {8, 64}},
    {DeviceKind::cuda, false, 24, {16, 64}},  {DeviceKind::cuda, false, 127, {32, 32}},
    {DeviceKind::opencl, true, 20, {1, 32}},  {DeviceKind::opencl, true, 127, {32, 32}},
    {DeviceKind::opencl, false, 20, {1, 32}}, {DeviceKind::opencl, false, 127, {32, 32}},
};

// Replaces the mapping of the table for every call if it is not null; used by the tuning search.
inline const EigenMapping* forced_eigen_mapping = nullptr;

}  // namespace bifocal::linalg
