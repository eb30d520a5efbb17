// SPDX-License-Identifier: BSD-3-Clause
// Focal lengths from fundamental matrices.
//
// E = K2' F K1 has two equal singular values, so 2 E E' E - trace(E E') E = 0. Its norm relative to
// |E|^3 is the residual of a pair; unknowns are the logarithms of factors of given focal lengths.
//   P. Mendonca, R. Cipolla, A simple technique for self-calibration, CVPR 1999;
//   C. Sweeney et al., Optimizing the viewing graph for structure-from-motion, ICCV 2015.
#pragma once

#include <bifocal/camera.hpp>
#include <bifocal/colmap/database.hpp>
#include <bifocal/geometry.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace bifocal::colmap {

inline const double kLeastFocalLog = std::log(0.3), kMostFocalLog = std::log(3.5);

// A fundamental matrix and the focal lengths that it constrains, by their numbers.
struct FocalPair {
  std::size_t focal1 = 0, focal2 = 0;
  Mat3 E{};  // for points relative to the principal points, divided by the given focal lengths
  double weight = 1;
};

// Whether the inliers of a pair have parallax, so that its F constrains focal lengths.
[[nodiscard]] inline bool has_depth(Configuration configuration) {
  return configuration == Configuration::uncalibrated || configuration == Configuration::calibrated;
}

// F: px, x2' F x1 = 0. K1 and K2 have the given focal lengths.
[[nodiscard]] FocalPair focal_pair(std::size_t focal1, std::size_t focal2, const Mat3& F,
                                   const Intrinsics& K1, const Intrinsics& K2, std::size_t inliers);

// Cauchy loss of the residual.
[[nodiscard]] double focal_cost(const FocalPair& pair, double log1, double log2);
[[nodiscard]] inline double focal_cost(const FocalPair& pair, std::span<const double> logs) {
  return focal_cost(pair, logs[pair.focal1], logs[pair.focal2]);
}

// Calls cost(log) for logarithms over the whole range and returns that of the least cost.
template <class Cost>
double best_focal_log(const Cost& cost) {
  constexpr int kSteps = 60;
  double best = 0, best_cost = 0;
  for (int step = 0; step <= kSteps; ++step) {
    const double log = kLeastFocalLog + (kMostFocalLog - kLeastFocalLog) * step / kSteps;
    const double now = cost(log);
    if (step == 0 || now < best_cost) best = log, best_cost = now;
  }
  return best;
}

struct FocalGroups {
  std::vector<int> groups;   // of each focal length, from 0
  std::vector<double> logs;  // of each group
};
// Divides focal lengths that were taken for one into groups that differ by at least 10 %, if the
// pairs say so clearly. Group 0 is the largest; numbers follow the first members.
[[nodiscard]] FocalGroups focal_groups(std::size_t focal_lengths, std::span<const FocalPair> pairs);
inline const double kLeastFocalStep = std::log(1.1);  // between groups

}  // namespace bifocal::colmap
