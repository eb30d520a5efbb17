// SPDX-License-Identifier: BSD-3-Clause
// Arrays in a device's memory that grow.
#pragma once

#include <bifocal/device.hpp>

#include <algorithm>
#include <cstddef>

namespace bifocal::features {

// Copies `bytes` (a multiple of four) from the front of one memory to that of another of the same
// device.
void copy_on_device(Queue& queue, const std::shared_ptr<runtime::BackendMemory>& from,
                    const std::shared_ptr<runtime::BackendMemory>& to, std::size_t bytes);

// Makes room for `needed` numbers, twice what was there at least; the first `used` are kept.
template <class T>
void grow(Queue& queue, Buffer<T>& buffer, std::size_t used, std::size_t needed) {
  if (needed <= buffer.size()) return;
  Buffer<T> larger(queue.device(), std::max(needed, 2 * buffer.size()));
  if (used > 0) copy_on_device(queue, buffer.memory(), larger.memory(), used * sizeof(T));
  buffer = std::move(larger);
}

}  // namespace bifocal::features
