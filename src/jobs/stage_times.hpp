// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_photographs.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace bifocal::jobs {

// Time table of a command. Every moment from the construction to the last call counts for a stage.
class StageTimes {
 public:
  // before: stages that have ended.
  explicit StageTimes(std::vector<StageTime> before = {}) : times_(std::move(before)) {}
  // Returns a table that starts with the process. Until main() a process only computes, so its
  // processor time is the time since its start.
  [[nodiscard]] static StageTimes of_process() {
    StageTimes times;
    times.start_ms_ -= 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    return times;
  }
  // Adds the time since the previous call, or since the construction, to the stage.
  void end(const std::string& stage) { add(stage, now_ms() - start_ms_); }
  // Adds stages that a function has timed itself, and the rest of the time since the previous call
  // to the stage `rest`.
  void end(std::span<const StageTime> stages, const std::string& rest = "other") {
    for (const StageTime& s : stages) add(s.stage, s.ms);
    end(rest);
  }
  [[nodiscard]] const std::vector<StageTime>& times() const { return times_; }
  [[nodiscard]] double total_ms() const {
    double total = 0;
    for (const StageTime& t : times_) total += t.ms;
    return total;
  }

 private:
  static double now_ms() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::milli>(now).count();
  }
  void add(const std::string& stage, double ms) {
    start_ms_ += ms;
    const auto known = std::ranges::find(times_, stage, &StageTime::stage);
    if (known == times_.end())
      times_.push_back({stage, ms});
    else
      known->ms += ms;
  }
  double start_ms_ = now_ms();
  std::vector<StageTime> times_;
};

}  // namespace bifocal::jobs
