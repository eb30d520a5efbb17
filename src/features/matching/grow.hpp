// SPDX-License-Identifier: BSD-3-Clause
// Arrays in device memory that can grow.
#pragma once

#include <bifocal/device.hpp>

#include <algorithm>
#include <cstddef>

namespace bifocal::features {

// Copies `bytes` from byte `from_first` of one memory to byte `to_first` of another memory of the
// same device. All three numbers are multiples of four.
void copy_on_device(Queue& queue, const std::shared_ptr<runtime::BackendMemory>& from,
                    const std::shared_ptr<runtime::BackendMemory>& to, std::size_t bytes,
                    std::size_t from_first = 0, std::size_t to_first = 0);

// Enlarges the buffer if it has fewer than `needed` elements, to at least twice its size. The first
// `used` elements are kept.
template <class T>
void grow(Queue& queue, Buffer<T>& buffer, std::size_t used, std::size_t needed) {
  if (needed <= buffer.size()) return;
  Buffer<T> larger(queue.device(), std::max(needed, 2 * buffer.size()));
  if (used > 0) copy_on_device(queue, buffer.memory(), larger.memory(), used * sizeof(T));
  buffer = std::move(larger);
}

}  // namespace bifocal::features
