// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/device.hpp>

#include <span>
#include <vector>

namespace bifocal::runtime {

// Returns a new buffer of the queue's device with the values. Waits for the copy.
template <class T>
[[nodiscard]] Buffer<T> uploaded(Queue& queue, std::span<const T> values) {
  Buffer<T> buffer(queue.device(), values.size());
  buffer.upload(queue, values);
  queue.wait();
  return buffer;
}
template <class T>
[[nodiscard]] Buffer<T> uploaded(Queue& queue, const std::vector<T>& values) {
  return uploaded(queue, std::span<const T>(values));
}

}  // namespace bifocal::runtime
