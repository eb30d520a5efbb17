// SPDX-License-Identifier: BSD-3-Clause
// Cleanup of unfinished files if a signal ends the process. The program that handles the signal
// calls clean_up(); a library without such a program never does.
#pragma once

#include <functional>
#include <mutex>

namespace bifocal::jobs {

// Registers `clean_up` for the lifetime of the object.
class InterruptGuard {
 public:
  explicit InterruptGuard(std::function<void()> clean_up);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  std::function<void()> clean_up_;
};

// Returns a lock that delays interruptions, for operations that must be complete or not start.
[[nodiscard]] std::unique_lock<std::mutex> hold_interrupts();
// Runs every registered function. The caller holds the lock of hold_interrupts().
void clean_up();

}  // namespace bifocal::jobs
