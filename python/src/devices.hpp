// SPDX-License-Identifier: BSD-3-Clause
// Queues for calls from any number of Python threads: each call leases an idle queue.
#pragma once

#include <optional>

#include "arrays.hpp"

namespace bifocal::python {

class QueueLease {
 public:
  // device: id as in the constructor of Device, or "auto" (resolved_device()). Throws
  // Error(device).
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

// Issues a RuntimeWarning unless the text is empty. The caller need not hold the interpreter's
// lock.
void warn(const std::string& text);
// Whether this process was forked from one that used a GPU, whose driver does not survive that.
[[nodiscard]] bool has_lost_gpus();
// Returns the argument `device` with "auto" resolved: best_working_device(), with warn() if that is
// the CPU because a GPU cannot be used, or because has_lost_gpus().
[[nodiscard]] std::string resolved_device(const std::string& device);

// Returns the device of a call: `device` if given, otherwise the CUDA device that holds `array`,
// otherwise the CPU. "auto" is the CUDA device that holds `array`, otherwise resolved_device().
// Raises ValueError if the array is on a different device than `device`.
[[nodiscard]] std::string device_for(const std::optional<std::string>& device,
                                     const AnyArray* array, const char* name);

}  // namespace bifocal::python
