// SPDX-License-Identifier: BSD-3-Clause
// Loops over the rows of an image that allocate no memory.
#pragma once

#include <bifocal/error.hpp>

#include <algorithm>
#include <atomic>
#include <functional>

#include "runtime/parallel.hpp"

namespace bifocal::stereo {

inline constexpr int kRowsABlock = 16;

// Returns the number of workers that receive at least one block of rows.
[[nodiscard]] inline int blocks_at_once(int height) {
  return std::min(runtime::thread_count(), (height + kRowsABlock - 1) / kRowsABlock);
}

// Calls body(worker, begin, end) for blocks of rows, at most one block at a time for each worker.
// The worker's number, below `workers`, selects its scratch memory.
template <class Body>
void for_row_blocks(int workers, int height, const Body& body) {
  std::atomic<int> next{0};
  const auto work = [&](int worker) {
    for (int begin = next.fetch_add(kRowsABlock); begin < height;
         begin = next.fetch_add(kRowsABlock)) {
      check_cancelled();
      body(worker, begin, std::min(height, begin + kRowsABlock));
    }
  };
  runtime::parallel_for(workers, std::ref(work));
}

// Calls body(y) for every row, on all threads that are allowed.
template <class Body>
void for_rows(int height, const Body& body) {
  const auto rows = [&](int, int begin, int end) {
    for (int y = begin; y < end; ++y) body(y);
  };
  for_row_blocks(blocks_at_once(height), height, rows);
}

}  // namespace bifocal::stereo
