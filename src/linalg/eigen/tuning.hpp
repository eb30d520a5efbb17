// SPDX-License-Identifier: BSD-3-Clause
// Which mapping a GPU takes for a size: data, found by `bifocal-bench tune` (docs/linalg.md).
#pragma once

#include <bifocal/device.hpp>

namespace bifocal::linalg {

// This says how a GPU works on a matrix of a batch.
struct EigenMapping {
  // 1: a thread a matrix (linalg/eigen/real_eigenpairs.lane.h), `threads` of them sharing a block.
  // 8, 16, 32: so many threads a matrix (linalg/eigen/real_eigenpairs.group.h).
  int width = 1;
  int threads = 32;  // of a block
};

struct EigenTuning {
  DeviceKind kind;
  bool is_double;
  int largest;  // size
  EigenMapping mapping;
};

// Of so many matrices a multiprocessor and fewer a warp takes each, whatever the table says: a
// thread a matrix would leave most multiprocessors without work.
inline constexpr int kFewMatricesOfCore = 4;
inline constexpr int kSmallestOfWarp = 4;  // size

// The first row whose kernel exists for the size. CUDA: NVIDIA H200. OpenCL packs one matrix into a
// work-group, so that less than a warp each leaves lanes idle.
inline constexpr EigenTuning kEigenTuning[] = {
    {DeviceKind::cuda, true, 20, {1, 32}},    {DeviceKind::cuda, true, 16, {8, 64}},
    {DeviceKind::cuda, true, 24, {16, 64}},   {DeviceKind::cuda, true, 127, {32, 32}},
    {DeviceKind::cuda, false, 20, {1, 32}},   {DeviceKind::cuda, false, 16, {8, 64}},
    {DeviceKind::cuda, false, 24, {16, 64}},  {DeviceKind::cuda, false, 127, {32, 32}},
    {DeviceKind::opencl, true, 20, {1, 32}},  {DeviceKind::opencl, true, 127, {32, 32}},
    {DeviceKind::opencl, false, 20, {1, 32}}, {DeviceKind::opencl, false, 127, {32, 32}},
};

// Takes this mapping instead of the table's, for every call while it is not null; for the search.
inline const EigenMapping* forced_eigen_mapping = nullptr;

}  // namespace bifocal::linalg
