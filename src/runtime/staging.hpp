// SPDX-License-Identifier: BSD-3-Clause
// Batches whose arrays may lie in the host's memory, on any device: work is written once, for
// arrays that the device can reach.
//
//   const BatchArray arrays[] = {input(A.data, 81, A.stride), output(out.S, 9, A.stride)};
//   for_each_piece(queue, {count, interleaved}, arrays, [&](const Piece& p) {
//     launch.svd(p.queue, {.count = p.count},
//                {.A = p.array<const float>(0), .S = p.array<float>(1), .step = p.strides[0]});
//   });
#pragma once

#include <bifocal/device.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "runtime/kernel_set.hpp"

namespace bifocal::runtime {

// One array: `numbers` numbers for each instance, laid out as MatrixBatch says: element e of
// instance b at [e stride + b] when interleaved, else at [b stride + e]. Null memory stays null.
struct BatchArray {
  Argument memory;
  bool is_null, is_output;
  std::size_t number_bytes, size;  // size: numbers that a Buffer holds; 0: unknown
  int numbers;
  std::ptrdiff_t stride;
};
template <class T>
[[nodiscard]] BatchArray input(const Memory<const T>& m, int numbers, std::ptrdiff_t stride) {
  return {m, m.is_null(), false, sizeof(T), m.size(), numbers, stride};
}
template <class T>
[[nodiscard]] BatchArray output(const Memory<T>& m, int numbers, std::ptrdiff_t stride) {
  return {m, m.is_null(), true, sizeof(T), m.size(), numbers, stride};
}

struct Batch {
  int count = 0;
  bool interleaved = true;
};

// Instances [begin, begin + count) of the batch. Strides are those of the piece; interleaved arrays
// that had one stride have one still.
struct Piece {
  Queue& queue;
  int begin = 0, count = 0;
  std::span<const Argument> arrays;
  std::span<const std::ptrdiff_t> strides;
  std::span<const BatchArray> batch = {};  // what `arrays` are of

  // Array `k` of the batch, for a typed launch.
  template <class T>
  [[nodiscard]] Array<T> array(std::size_t k) const {
    if (batch[k].number_bytes != sizeof(T))
      throw Error(ErrorCode::usage, "an array of a batch is given as one of another type");
    return Array<T>(arrays[k]);
  }
};

// On the CPU, and when no array is the host's, there is one piece, the arrays themselves, and the
// call is asynchronous. When all arrays are the host's there are pieces on two queues through
// page-locked memory, so that copies overlap work, and the call returns when all is done. When some
// are, there is one piece. Throws Error(usage) when an array is too small or a stride too short,
// before any work.
void for_each_piece(Queue& queue, const Batch& batch, std::span<const BatchArray> arrays,
                    const std::function<void(const Piece&)>& work,
                    std::size_t piece_bytes = std::size_t{32} << 20);

// One thread copies slower than the bus.
void copy_on_all_threads(char* to, const char* from, std::size_t bytes);

// A queue keeps two queues with page-locked memory for this.
struct Staging;

}  // namespace bifocal::runtime
