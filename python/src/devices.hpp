// SPDX-License-Identifier: BSD-3-Clause
// Queues for calls from any number of Python's threads: a call takes one that is idle.
#pragma once

#include <optional>

#include "arrays.hpp"

namespace bifocal::python {

class QueueLease {
 public:
  // `device`: as in Device's constructor. Throws Error(device).
  explicit QueueLease(const std::string& device);
  ~QueueLease();
  QueueLease(const QueueLease&) = delete;
  QueueLease& operator=(const QueueLease&) = delete;
  [[nodiscard]] Queue& queue() { return *queue_; }
  [[nodiscard]] bool is_cpu() const { return queue_->device().info().kind == DeviceKind::cpu; }

 private:
  std::string device_;
  std::unique_ptr<Queue> queue_;
};

// A call computes where `device` says; else on the device that `array` lies on, else the CPU.
// ValueError when the array lies on another device than the one named.
[[nodiscard]] std::string device_for(const std::optional<std::string>& device,
                                     const AnyArray* array, const char* name);

}  // namespace bifocal::python
