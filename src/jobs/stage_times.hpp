// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_photographs.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace bifocal::jobs {

// Time table of a command. Every moment from the construction to the last call counts for a stage.
class StageTimes {
 public:
  // Adds the time since the previous call, or since the construction, to the stage.
  void end(const std::string& stage) {
    const Clock::time_point now = Clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - start_).count();
    start_ = now;
    const auto known = std::ranges::find(times_, stage, &StageTime::stage);
    if (known == times_.end())
      times_.push_back({stage, ms});
    else
      known->ms += ms;
  }
  // Adds stages that a function has timed itself, and restarts the clock.
  void end(const std::vector<StageTime>& stages) {
    times_.insert(times_.end(), stages.begin(), stages.end());
    start_ = Clock::now();
  }
  [[nodiscard]] const std::vector<StageTime>& times() const { return times_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  std::vector<StageTime> times_;
};

}  // namespace bifocal::jobs
