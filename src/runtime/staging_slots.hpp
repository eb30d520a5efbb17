// SPDX-License-Identifier: BSD-3-Clause
// Queues, with page-locked memory each, that pieces of a batch take in turn: two, or three where
// copies take longer than work.
#pragma once

#include <bifocal/device.hpp>

#include <cstddef>
#include <functional>
#include <optional>

namespace bifocal::runtime {

struct StagingSlot {
  explicit StagingSlot(const Device& device) : queue(device) {}
  void reserve(std::size_t bytes) {
    if (bytes == 0 || (memory && memory->size() >= bytes)) return;
    memory.reset();
    memory.emplace(queue.device(), bytes);
  }
  Queue queue;
  std::optional<HostBuffer<char>> memory;
  std::size_t begin = 0, count = 0;  // of the piece under way; count 0: none
};

struct Staging {
  explicit Staging(const Device& device)
      : slots{StagingSlot(device), StagingSlot(device), StagingSlot(device)} {}
  StagingSlot slots[3];
};

// Pieces that look at results while they work, and are of many sizes: work(slot, k) for k < count,
// on `slots` slots at a time (at most three), a thread each. Waits for earlier work of `queue`;
// returns when all is done, or throws what a piece threw.
void for_each_on_slots(Queue& queue, std::size_t count, std::size_t slots,
                       const std::function<void(StagingSlot&, std::size_t)>& work);

}  // namespace bifocal::runtime
