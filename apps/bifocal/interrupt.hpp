// SPDX-License-Identifier: BSD-3-Clause
// This is undone when the process is told to end (SIGINT, SIGTERM, SIGHUP).
#pragma once

#include <atomic>
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

// While it lives, the first Ctrl-C (SIGINT) is a request to finish early; the second one ends the
// process. One at a time.
class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;
  [[nodiscard]] bool is_made() const { return is_made_; }

 private:
  friend struct Interrupts;
  std::atomic<bool> is_made_ = false;
};
// Exit code of a command that finished early and wrote its result: a shell's code for SIGINT.
inline constexpr int kExitStopped = 130;

// No interruption takes place while this lock is held: for what must be done whole or not at all.
[[nodiscard]] std::unique_lock<std::mutex> hold_interrupts();

}  // namespace bifocal::cli
