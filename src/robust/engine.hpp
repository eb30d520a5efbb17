// SPDX-License-Identifier: BSD-3-Clause
// The steps of the search of one pair on this machine's widest SIMD registers, and the search made
// of them. On a GPU the same steps are kernels (engine_device.cpp).
#pragma once

#include "robust/pair_points.hpp"

namespace bifocal::robust {

using State = std::array<double, Lanes::STATE_SIZE>;
using Result = std::array<double, Lanes::RESULT_SIZE>;

struct SearchLimits {
  int min_trials, max_trials;
  double log_failure;
};
[[nodiscard]] SearchLimits limits_of(const RobustOptions& options);

// Models of a round's trials: of trial i [slots][model_size], and how many of them.
struct Trials {
  std::vector<float> models;
  std::vector<int> counts;
  std::vector<float> gains;  // of the best one (-1: none above the floor, -2: none at all) and
  std::vector<int> slots;    // which it is
};

struct EngineSteps {
  int sample_size, slots, model_size;
  void (*solve)(const PairPoints&, std::uint64_t seed, int first, int count, Trials&);
  void (*score)(const PairPoints&, float floor, int count, Trials&);
  int (*decide)(const PairPoints&, const SearchLimits&, int count, const Trials&, State&);
  // Where the option wants it; of a fundamental matrix.
  void (*planes)(const PairPoints&, std::uint64_t seed, const SearchLimits&, State&);
  void (*finish)(const PairPoints&, const State&, std::vector<double>& errors, Result&);
  // For tests and measurements: the gain of a model over all points.
  float (*gain)(const PairPoints&, const float* model);
};
[[nodiscard]] const EngineSteps& engine_steps(Problem problem);

// errors: squared errors of the points in their order, and from `stride` on of the idle ones, when
// a model was found.
void search(Problem problem, const PairPoints& pair, const RobustOptions& options,
            std::vector<double>& errors, Result& result);

}  // namespace bifocal::robust
