// SPDX-License-Identifier: BSD-3-Clause
// Page-locked memory for the small downloads of a queue. They are copied to their destinations when
// the caller waits for the queue. A download directly to pageable memory makes the driver copy and
// wait for each download separately.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "runtime/backend.hpp"

namespace bifocal::runtime {

class DownloadTray {
 public:
  static constexpr std::size_t kBytes = std::size_t{128} << 10;

  // Returns memory for a download to `to`; nullptr if the tray is full until the next wait.
  [[nodiscard]] void* place(Backend& backend, void* to, std::size_t bytes) {
    if (bytes > kBytes - used_) return nullptr;
    if (!memory_) memory_ = {static_cast<char*>(backend.allocate_host(kBytes)), {&backend}};
    char* const from = memory_.get() + used_;
    copies_.push_back({to, from, bytes});
    used_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return from;
  }
  // Copies all downloads to their destinations. Must be called after they have arrived.
  void hand_out() {
    for (const Copy& copy : copies_)
      if (copy.bytes > 0) std::memcpy(copy.to, copy.from, copy.bytes);
    clear();
  }
  void clear() {
    copies_.clear();
    used_ = 0;
  }

 private:
  static constexpr std::size_t kAlignment = 64;  // divides kBytes
  struct Copy {
    void* to;
    const void* from;
    std::size_t bytes;
  };
  struct Free {
    Backend* backend;
    void operator()(char* memory) const { backend->free_host(memory); }
  };
  std::unique_ptr<char, Free> memory_;
  std::size_t used_ = 0;
  std::vector<Copy> copies_;
};

}  // namespace bifocal::runtime
