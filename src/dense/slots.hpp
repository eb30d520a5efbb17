// SPDX-License-Identifier: BSD-3-Clause
// Arrays of equal size in one buffer of a device, of which the least recently used are replaced.
#pragma once

#include <bifocal/device.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bifocal::dense {

template <class T>
class Slots {
 public:
  Slots(Queue& queue, std::size_t slot_size, std::size_t count)
      : slot_size_(slot_size),
        buffer_(queue.device(), slot_size * count),
        staging_(queue.device(), slot_size),
        entries_(count) {}

  [[nodiscard]] std::int64_t slot_size() const { return static_cast<std::int64_t>(slot_size_); }
  [[nodiscard]] const Buffer<T>& buffer() const { return buffer_; }

  [[nodiscard]] bool has(int key) const {
    return std::ranges::find(entries_, key, &Entry::key) != entries_.end();
  }
  // Returns the slot of a key. If it is missing, fill(values) writes the array. The slots of the
  // last count - 1 keys stay.
  template <class Fill>
  int get(Queue& queue, int key, const Fill& fill) {
    auto entry = std::ranges::find(entries_, key, &Entry::key);
    if (entry == entries_.end()) {
      entry = std::ranges::min_element(entries_, {}, &Entry::used);
      queue.wait();  // the copy before may still read the staging memory
      fill(staging_.span());
      const auto slot = static_cast<std::size_t>(entry - entries_.begin());
      runtime::upload(queue, *buffer_.memory(), slot * slot_size_ * sizeof(T), staging_.data(),
                      slot_size_ * sizeof(T));
      entry->key = key;
    }
    entry->used = ++clock_;
    return static_cast<int>(entry - entries_.begin());
  }

 private:
  struct Entry {
    int key = -1;
    std::int64_t used = 0;
  };
  std::size_t slot_size_;
  Buffer<T> buffer_;
  HostBuffer<T> staging_;
  std::vector<Entry> entries_;
  std::int64_t clock_ = 0;
};

}  // namespace bifocal::dense
