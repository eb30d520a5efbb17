// SPDX-License-Identifier: BSD-3-Clause
// Common declarations of the suite `robust`.
#pragma once

#include "frame/bench.hpp"
#include "synthetic/problem_scenes.hpp"

namespace bifocal::bench {

using namespace synthetic;

struct FoundModel {
  bool ok = false;
  Mat3 model{};
  Pose pose;
};

// Errors of the estimates of scenes of one problem (scene_error).
class Accuracy {
 public:
  explicit Accuracy(ModelKind problem) : problem_(problem) {}
  void add(const ProblemScene& scene, const FoundModel& estimate);
  // Adds failures, the median error and the area under the recall curve, under names with `prefix`.
  void report(const std::string& prefix, Figures& figures) const;

 private:
  ModelKind problem_;
  std::vector<double> errors_, positions_;  // positions_: of one camera in the world
  int failures_ = 0;
};

// Equal scenes for equal arguments; noise of 1 px.
[[nodiscard]] std::vector<ProblemScene> make_scenes(ModelKind problem, int count, int points,
                                                    int inliers_percent);

[[nodiscard]] double median(std::vector<double> values);
[[nodiscard]] double median_deviation(std::vector<double> values);  // median absolute
// Statistics of the times of pairs.
[[nodiscard]] Record pairs_record(const std::string& name, const std::vector<double>& ms, int runs);

void run_robust_batches(Context& context);  // robust_batches.cpp
void run_robust_planes(Context& context);   // robust_planes.cpp
void run_robust_real(Context& context);     // robust_real.cpp

}  // namespace bifocal::bench
