// SPDX-License-Identifier: BSD-3-Clause
// Cleanup when a signal ends the process (SIGINT, SIGTERM, SIGHUP).
#pragma once

#include <atomic>

#include "jobs/interrupt_guard.hpp"

namespace bifocal::cli {

// Starts to handle these signals. One that ends the process first runs the functions of every
// InterruptGuard on a separate thread.
void watch_interrupts();

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

}  // namespace bifocal::cli
