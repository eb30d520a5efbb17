// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/mapping.hpp>

#include <chrono>
#include <optional>

namespace bifocal::mapping {

// Measures the stages of a call and reports their starts.
class StageClock {
 public:
  StageClock(const MapOptions& options, MapResult& result) : options_(options), result_(result) {}

  void begin(MapStage stage) {
    end();
    stage_ = stage;
    stage_start_ = Clock::now();
    if (options_.progress) options_.progress({stage, models_, images_, seconds_since(start_)});
  }
  void end() {
    if (stage_) result_.seconds[static_cast<std::size_t>(*stage_)] += seconds_since(stage_start_);
    stage_.reset();
  }
  void forget_models() { models_ = images_ = 0; }
  void add_model(int images) { ++models_, images_ += images; }

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds_since(Clock::time_point from) {
    return std::chrono::duration<double>(Clock::now() - from).count();
  }

  const MapOptions& options_;
  MapResult& result_;
  Clock::time_point start_ = Clock::now(), stage_start_;
  std::optional<MapStage> stage_;
  int models_ = 0, images_ = 0;
};

}  // namespace bifocal::mapping
