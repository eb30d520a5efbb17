// SPDX-License-Identifier: BSD-3-Clause
// Tuning table: the mapping that a GPU uses for the SVD of a matrix size and batch size.
#pragma once

#include <limits>

namespace bifocal::linalg {

// How a GPU computes the matrices of an svd.
struct SvdMapping {
  // 0: one matrix per thread (linalg/svd/svd_registers.group.h). Otherwise the
  // largest number of columns of a matrix, which a team of rows x blocks
  // threads computes (linalg/svd/svd_columns.group.h).
  int places = 0;
  int rows = 1, blocks = 1;
  int threads = 128;  // per block: 32 to 128
};

struct SvdTuning {
  bool is_double;
  int largest, largest_count;  // columns, matrices
  SvdMapping mapping;
};

inline constexpr int kAnyCount = std::numeric_limits<int>::max();

// The first row whose limits the matrices do not exceed is used. The rows for 3, 9, 16 and 32
// columns are the fastest mappings measured on an NVIDIA H200; the rows between were derived
// from them. One thread per matrix leaves the GPU idle with few matrices, so teams compute
// small batches.
inline constexpr SvdTuning kSvdTuning[] = {
    {false, 4, kAnyCount, {0, 1, 1, 128}},   {false, 8, 20000, {8, 8, 1, 32}},
    {false, 8, kAnyCount, {0, 1, 1, 128}},   {false, 9, 20000, {10, 8, 1, 32}},
    {false, 9, kAnyCount, {0, 1, 1, 64}},    {false, 10, 20000, {10, 8, 1, 32}},
    {false, 10, kAnyCount, {10, 8, 1, 128}}, {false, 12, kAnyCount, {12, 4, 2, 128}},
    {false, 16, kAnyCount, {16, 4, 2, 128}}, {false, 20, kAnyCount, {20, 8, 2, 128}},
    {false, 24, kAnyCount, {24, 8, 2, 128}}, {false, 32, kAnyCount, {32, 8, 2, 128}},
    {true, 4, kAnyCount, {0, 1, 1, 128}},    {true, 6, 20000, {8, 8, 1, 32}},
    {true, 6, kAnyCount, {0, 1, 1, 128}},    {true, 8, kAnyCount, {8, 8, 1, 128}},
    {true, 10, 20000, {10, 16, 1, 32}},      {true, 10, kAnyCount, {10, 8, 1, 128}},
    {true, 16, kAnyCount, {16, 8, 1, 128}},  {true, 20, kAnyCount, {20, 8, 2, 128}},
    {true, 24, kAnyCount, {24, 8, 2, 128}},  {true, 32, kAnyCount, {32, 8, 4, 128}},
};

}  // namespace bifocal::linalg
