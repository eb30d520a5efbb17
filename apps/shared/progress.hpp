// SPDX-License-Identifier: BSD-3-Clause
// Progress on stderr. On a terminal one line is redrawn; otherwise a line is printed every ten
// seconds.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace bifocal::cli {

// Work that is counted in pieces of similar duration has a rate and a remaining time. Stages and
// per cent of a command have none.
enum class Work { counted, stages };

// Returns a line of Progress after `seconds`: the finished work, rate and remaining time if they
// are measured, otherwise the elapsed time, and the current step.
struct ProgressState {
  double done = 0, total = 0, seconds = 0;
  std::string_view unit, what;
  Work work = Work::counted;
};
[[nodiscard]] std::string progress_line(const ProgressState& state);

class Progress {
 public:
  // total: amount of work, counted in `unit` ("cases", "%").
  Progress(double total, std::string unit, Work work = Work::counted);
  ~Progress();  // erases the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Reports the finished part `done` of the total and the current step `what`.
  void update(double done, std::string_view what);
  // Erases the line on the terminal so that other text can be printed. The next update shows
  // it again.
  void hide();

 private:
  void tick();   // body of the thread that updates the line during a long step
  void show();   // requires mutex_
  void erase();  // requires mutex_
  [[nodiscard]] std::string line() const;  // requires mutex_

  using Clock = std::chrono::steady_clock;
  const double total_;
  const std::string unit_;
  const Work work_;
  const bool terminal_;
  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  std::condition_variable wake_;
  double done_ = 0;
  std::string what_;
  bool shown_ = false, stop_ = false;
  std::thread thread_;
};

}  // namespace bifocal::cli
