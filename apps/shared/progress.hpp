// SPDX-License-Identifier: BSD-3-Clause
// Progress on stderr, with rate and remaining time. On a terminal one line is redrawn; otherwise a
// line is printed every ten seconds.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace bifocal::cli {

class Progress {
 public:
  // total: amount of work, counted in `unit` ("cases", "%").
  Progress(double total, std::string unit);
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
  [[nodiscard]] std::string line() const;

  using Clock = std::chrono::steady_clock;
  const double total_;
  const std::string unit_;
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
