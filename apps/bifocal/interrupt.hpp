// SPDX-License-Identifier: BSD-3-Clause
// Cleanup when a signal ends the process (SIGINT, SIGTERM, SIGHUP).
#pragma once

#include <atomic>
#include <string>

#include "jobs/interrupt_guard.hpp"

namespace bifocal::cli {

// Starts to handle these signals. Before a signal ends the process, a separate thread runs the
// functions of every InterruptGuard and prints a line on stderr. SIGINT is then raised again, so
// that a loop of a shell ends as well, and the shell sees exit code 130. SIGTERM and SIGHUP end
// with exit code 130.
void watch_interrupts();

// Sentences that an interruption prints after "interrupted; ".
inline constexpr const char* kNothingWritten = "nothing was written";  // at the start
inline constexpr const char* kFilesWritten = "all files are written";
inline constexpr const char* kResumes = "the same command resumes the work";
void announce_interruption(std::string left);

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
}  // namespace bifocal::cli
