// SPDX-License-Identifier: BSD-3-Clause
// Cleanup when a signal ends the process (SIGINT, SIGTERM, SIGHUP).
#pragma once

#include <atomic>
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

// Makes an interruption by SIGINT print how to resume the work. `how` must live as long as the
// process; nullptr: prints no text.
void announce_resuming(const char* how = "the same command resumes the work");

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

// Returns a lock that delays interruptions, for operations that must be complete or not start.
[[nodiscard]] std::unique_lock<std::mutex> hold_interrupts();

}  // namespace bifocal::cli
