// SPDX-License-Identifier: BSD-3-Clause
// This is undone when the process is told to end (SIGINT, SIGTERM, SIGHUP).
#pragma once

#include <functional>
#include <mutex>

namespace bifocal::cli {

// Starts to watch for these signals.
void watch_interrupts();

// While it lives, `clean_up` runs before the process ends by such a signal, on a thread of its own.
class InterruptGuard {
 public:
  explicit InterruptGuard(std::function<void()> clean_up);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  std::function<void()> clean_up_;
};

// The message of an interruption by SIGINT from now on says that the same command resumes the work.
void announce_resuming();

// No interruption takes place while this lock is held: for what must be done whole or not at all.
[[nodiscard]] std::unique_lock<std::mutex> hold_interrupts();

}  // namespace bifocal::cli
