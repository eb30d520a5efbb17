// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_photographs.hpp>

#include <chrono>
#include <numeric>
#include <string>

namespace bifocal::pair {

// Times the stages of a pair and reports their progress.
class StageClock {
 public:
  StageClock(std::vector<StageTime>& times,
             const std::function<void(std::string_view, double)>& progress)
      : times_(times), progress_(progress) {}
  StageClock(const StageClock&) = delete;
  StageClock& operator=(const StageClock&) = delete;
  ~StageClock() { end(); }

  // Ends the previous stage and starts `stage`, with `fraction` of the whole job done.
  void start(const std::string& stage, double fraction) {
    end();
    times_.push_back({stage, 0});
    start_ = Clock::now();
    if (progress_) progress_(stage, fraction);
  }
  void end() {
    if (!times_.empty() && times_.back().ms == 0) {
      times_.back().ms = std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
    }
  }
  // Ends the stage and returns the total time of all stages, in ms.
  [[nodiscard]] double total_ms() {
    end();
    return std::accumulate(times_.begin(), times_.end(), 0.0,
                           [](double sum, const StageTime& t) { return sum + t.ms; });
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::vector<StageTime>& times_;
  const std::function<void(std::string_view, double)>& progress_;
  Clock::time_point start_;
};

}  // namespace bifocal::pair
