// SPDX-License-Identifier: BSD-3-Clause
// What the parts of the suite `robust` share.
#pragma once

#include "frame/bench.hpp"
#include "synthetic/two_view_scenes.hpp"

namespace bifocal::bench {

using namespace synthetic;

struct Estimate {
  bool ok = false;
  Mat3 model{};
  Pose pose;
};
// Degrees (essential: the larger of rotation and direction), or px of the clean pairs.
[[nodiscard]] double error_of(const std::string& problem, const TwoViewScene& scene,
                              const Estimate& e);
// The same ones for the same arguments.
[[nodiscard]] std::vector<TwoViewScene> make_scenes(int count, int points, int inliers_percent,
                                                    bool planar);

[[nodiscard]] double median(std::vector<double> values);
[[nodiscard]] double median_deviation(std::vector<double> values);  // median absolute, from it
// Of the times of pairs.
[[nodiscard]] Record pairs_record(const std::string& name, const std::vector<double>& ms, int runs);

void run_robust_batches(Context& context);  // robust_batches.cpp
void run_robust_planes(Context& context);   // robust_planes.cpp
void run_robust_pose(Context& context);     // robust_pose.cpp
void run_robust_real(Context& context);     // robust_real.cpp

}  // namespace bifocal::bench
