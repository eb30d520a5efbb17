// SPDX-License-Identifier: BSD-3-Clause
// Processing of batches whose arrays may lie in host memory, on any device: the work is written
// once, for arrays that the device can access.
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

// An array with `numbers` numbers for each instance, in the layout of MatrixBatch: element e of
// instance b is at [e stride + b] if interleaved, else at [b stride + e]. Null memory stays null.
struct BatchArray {
  Argument memory;
  bool is_null, is_output;
  std::size_t number_bytes, size;  // size: numbers in a Buffer; 0 if unknown
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

// Instances [begin, begin + count) of the batch. Strides refer to the piece; interleaved arrays
// with equal strides keep equal strides.
struct Piece {
  Queue& queue;
  int begin = 0, count = 0;
  std::span<const Argument> arrays;
  std::span<const std::ptrdiff_t> strides;
  std::span<const BatchArray> batch = {};  // descriptions of `arrays`

  // Returns array `k` of the batch for a typed launch.
  template <class T>
  [[nodiscard]] Array<T> array(std::size_t k) const {
    if (batch[k].number_bytes != sizeof(T))
      throw Error(ErrorCode::usage, "an array of a batch is given as one of another type");
    return Array<T>(arrays[k]);
  }
};

// Calls `work` for pieces of a batch.
// * CPU, or no array in host memory: a single piece with the arrays themselves; the
//   call is asynchronous.
// * All arrays in host memory: pieces on two queues through page-locked memory, so that copies
//   overlap work. The call returns when all pieces are done.
// * Some arrays in host memory: a single piece, copied as a whole; the call waits for its end.
// Throws Error(usage) before any work if an array is too small or a stride too short.
void for_each_piece(Queue& queue, const Batch& batch, std::span<const BatchArray> arrays,
                    const std::function<void(const Piece&)>& work,
                    std::size_t piece_bytes = std::size_t{32} << 20);

// Copies bytes on all threads, because one thread is slower than the bus.
void copy_on_all_threads(char* to, const char* from, std::size_t bytes);

// Queues and page-locked memory for this, kept in a queue.
struct Staging;

}  // namespace bifocal::runtime
