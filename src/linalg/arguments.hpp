// SPDX-License-Identifier: BSD-3-Clause
// Argument checks and memory layouts of the batched operations.
#pragma once

#include <fmt/format.h>

#include <bifocal/error.hpp>
#include <bifocal/linalg.hpp>
#include <limits>

#include "linalg/lanes.hpp"
#include "runtime/memory_limit.hpp"

namespace bifocal::linalg {

[[noreturn]] inline void refuse(const char* function, const std::string& why) {
  throw Error(ErrorCode::usage, fmt::format("{}: {}", function, why));
}

template <class T>
[[nodiscard]] View<const T> input_view(const MatrixBatch<T>& A) {
  return view_of_input(A.data.pointer(), A.layout, A.stride, A.count, A.rows * A.cols);
}
// Returns the layout of an output with `size` numbers per matrix.
template <class T>
[[nodiscard]] View<T> output_view(const MatrixBatch<T>& A, const Memory<T>& to, int size) {
  return view_of_output(to.pointer(), A.layout, A.stride, A.count, size);
}

// Throws unless `memory` is on a device that the queue uses and holds `size` numbers per matrix.
template <class T>
void check_memory(const char* function, const Queue& queue, const char* name,
                  const Memory<T>& memory, int count, const View<T>& view, int size) {
  if (const std::string why = runtime::why_foreign(queue, name, memory); !why.empty())
    refuse(function, why);
  if (count == 0 || size == 0 || !memory.owner()) return;
  const auto last = static_cast<std::size_t>((size - 1) * view.element + (count - 1) * view.matrix);
  if (memory.size() <= last)
    refuse(function,
           fmt::format("{} holds {} numbers, {} are needed", name, memory.size(), last + 1));
}

template <class T>
void check_batch(const char* function, const Queue& queue, const MatrixBatch<T>& A,
                 int largest_rows, int largest_cols) {
  if (A.rows < 1 || A.rows > largest_rows)
    refuse(function, fmt::format("rows = {}: must be 1 to {}", A.rows, largest_rows));
  if (A.cols < 1 || A.cols > largest_cols)
    refuse(function, fmt::format("cols = {}: must be 1 to {}", A.cols, largest_cols));
  if (A.count < 0 || A.count > std::numeric_limits<int>::max() / 2)
    refuse(function, fmt::format("count = {}: must be 0 to {}", A.count,
                                 std::numeric_limits<int>::max() / 2));
  const std::ptrdiff_t least = A.layout == MatrixLayout::interleaved
                                   ? A.count
                                   : static_cast<std::ptrdiff_t>(A.rows) * A.cols;
  if (A.stride != 0 && A.stride < least)
    refuse(function, fmt::format("stride = {}: must be 0 or at least {}", A.stride, least));
  if (A.stride > std::numeric_limits<std::ptrdiff_t>::max() / 8 / (least + 1))
    refuse(function, fmt::format("stride = {} is too large", A.stride));
  if (A.count > 0 && A.data.is_null()) refuse(function, "data is a null pointer");
  check_memory(function, queue, "data", A.data, A.count, input_view(A), A.rows * A.cols);
}

// Checks the outputs that belong to an input.
template <class T>
struct OutputCheck {
  const char* function;
  const Queue& queue;
  const MatrixBatch<T>& A;

  void wanted(const char* name, const Memory<T>& memory, int size) const {
    check_memory(function, queue, name, memory, A.count, output_view(A, memory, size), size);
  }
  void required(const char* name, const Memory<T>& memory, int size) const {
    if (A.count > 0 && memory.is_null())
      refuse(function, fmt::format("{} is a null pointer", name));
    wanted(name, memory, size);
  }
  void statuses(const char* name, const Memory<int>& memory) const {
    check_memory(function, queue, name, memory, A.count, View<int>{memory.pointer(), 1, 1}, 1);
  }
};

}  // namespace bifocal::linalg
