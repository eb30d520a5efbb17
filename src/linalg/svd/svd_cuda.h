// SPDX-License-Identifier: BSD-3-Clause
// The CUDA kernels of svd in registers; instantiated by svd_f32.cu and svd_f64.cu.
#pragma once

#include "runtime/cuda_kernels.h"

namespace {

// Size: columns of a matrix in one thread. Places, Rows, Blocks: of a team (svd_columns.group.h).
// Threads: threads per block. MinBlocks: blocks that must fit on a multiprocessor, which limits
// the registers.
template <class Real, int Size, int Places, int Rows, int Blocks, int Threads, int MinBlocks>
struct svd_source {
  static constexpr int SVD_SIZE = Size, SVD_PLACES = Places, SVD_ROWS = Rows, SVD_BLOCKS = Blocks,
                       THREADS = Threads, MIN_BLOCKS = MinBlocks;
  static bifocal::runtime::Constants constants() {
    return {{"REAL_IS_FLOAT", sizeof(Real) == 4},
            {"SVD_SIZE", Size},
            {"SVD_PLACES", Places},
            {"SVD_ROWS", Rows},
            {"SVD_BLOCKS", Blocks}};
  }
#include "lane/cuda_begin.h"
#include "linalg/svd/svd_groups.list"
#include "lane/cpp_end.h"
};
template <class Real, int Size, int Threads, int MinBlocks>
using svd_threads_source = svd_source<Real, Size, 2, 1, 1, Threads, MinBlocks>;
template <class Real, int Places, int Rows, int Blocks, int MinBlocks>
using svd_teams_source = svd_source<Real, 1, Places, Rows, Blocks, 128, MinBlocks>;

CUDA_KERNELS(SVD_GROUPS_KERNELS)

template <class Source>
void add_svd_threads(bifocal::runtime::CudaTable& table) {
  CUDA_VARIANT(svd_groups, SVD_THREADS_KERNEL, Source)
}
template <class Source>
void add_svd_teams(bifocal::runtime::CudaTable& table) {
  CUDA_VARIANT(svd_groups, SVD_TEAMS_KERNEL, Source)
}

}  // namespace
