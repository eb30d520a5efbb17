// SPDX-License-Identifier: BSD-3-Clause
// Progress on stderr: one redrawn line on a terminal, else a line every ten seconds. Says rate and
// time left.
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
  // `total` is the amount of work, counted in `unit` ("cases", "%").
  Progress(double total, std::string unit);
  ~Progress();  // hides the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` of the total is finished and `what` is being worked on.
  void update(double done, std::string_view what);
  // Takes the line off the terminal, so that something else can be printed; the next update shows
  // it again.
  void hide();

 private:
  void tick();   // body of the thread that keeps the line alive during a long step
  void show();   // mutex_ is held
  void erase();  // mutex_ is held
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
