// SPDX-License-Identifier: BSD-3-Clause
// These are loops over the rows of a picture that allocate nothing.
#pragma once

#include <bifocal/error.hpp>

#include <algorithm>
#include <atomic>
#include <functional>

#include "runtime/parallel.hpp"

namespace bifocal::stereo {

inline constexpr int kRowsABlock = 16;

// Workers that have something to do.
[[nodiscard]] inline int blocks_at_once(int height) {
  return std::min(runtime::thread_count(), (height + kRowsABlock - 1) / kRowsABlock);
}

// body(worker, begin, end) for blocks of rows, at most one at a time for each worker: its number,
// below `workers`, names its scratch memory.
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

// body(y) for every row, on all threads that are allowed.
template <class Body>
void for_rows(int height, const Body& body) {
  const auto rows = [&](int, int begin, int end) {
    for (int y = begin; y < end; ++y) body(y);
  };
  for_row_blocks(blocks_at_once(height), height, rows);
}

}  // namespace bifocal::stereo
