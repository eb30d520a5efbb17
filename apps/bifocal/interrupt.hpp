// SPDX-License-Identifier: BSD-3-Clause
// Cleanup when a signal ends the process (SIGINT, SIGTERM, SIGHUP).
#pragma once

#include <functional>
#include <mutex>

namespace bifocal::cli {

// Starts to handle these signals.
void watch_interrupts();

// Runs `clean_up` on a separate thread if such a signal ends the process during the lifetime of
// the object.
class InterruptGuard {
 public:
  explicit InterruptGuard(std::function<void()> clean_up);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  std::function<void()> clean_up_;
};

// Makes the message of an interruption by SIGINT say that the same command resumes the work.
void announce_resuming();

// Returns a lock that delays interruptions, for operations that must be complete or not start.
[[nodiscard]] std::unique_lock<std::mutex> hold_interrupts();

}  // namespace bifocal::cli
