// SPDX-License-Identifier: BSD-3-Clause
// Queues with their own page-locked memory that alternate between the pieces of a batch. Two are
// used, or three if copies take longer than work.
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
  std::size_t begin = 0, count = 0;  // of the current piece; count 0: none
};

struct Staging {
  explicit Staging(const Device& device)
      : slots{StagingSlot(device), StagingSlot(device), StagingSlot(device)} {}
  StagingSlot slots[3];
};

// Calls work(slot, k) for all k < count, on `slots` slots (at most three) with a thread each. For
// pieces of different sizes that read results during their work. Waits for earlier work of `queue`;
// returns when all pieces are done, or throws the exception of a piece.
void for_each_on_slots(Queue& queue, std::size_t count, std::size_t slots,
                       const std::function<void(StagingSlot&, std::size_t)>& work);

}  // namespace bifocal::runtime
