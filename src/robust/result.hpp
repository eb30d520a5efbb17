// SPDX-License-Identifier: BSD-3-Clause
// From what the search found to what the caller gets.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "robust/engine.hpp"
#include "robust/evidence.hpp"

namespace bifocal::robust {

// Throws Error(usage) naming the first option out of range, or the camera.
void check_options(const RobustOptions& options);
void check_camera(const char* name, const Intrinsics& camera);
// Or the first weight that is no weight (their first one has the index `first`), or the argument
// that has not one number a match.
void check_weights(const char* where, std::span<const double> weights, std::size_t first = 0);
inline constexpr std::size_t kMostMatches = std::size_t{1} << 28;  // places of columns fit an int
void check_priors(const MatchPriors& priors, std::size_t matches);

// When to believe a model: when wrong matches would hardly support one as well. evidence: asked for
// when the inliers would do. significance: log10 of the expected number of such models.
[[nodiscard]] Outcome judge(Problem problem, const Result& found,
                            const std::array<double, Lanes::INFO_SIZE>& info, int count,
                            const std::function<Evidence()>& evidence, double& significance);

// The numbers of a believed model that RobustResult and PairEstimate share; `length`: px a unit of
// the errors.
template <class Estimate>
void fill_numbers(const Result& found, double length, Estimate& out) {
  out.noise = found[Lanes::RESULT_NOISE] * length;
  out.gain = found[Lanes::RESULT_GAIN];
  out.inlier_count =
      static_cast<int>(found[Lanes::RESULT_INLIERS] + found[Lanes::RESULT_IDLE_INLIERS]);
  out.rms = length * std::sqrt((found[Lanes::RESULT_SQUARES] + found[Lanes::RESULT_IDLE_SQUARES]) /
                               std::max(1, out.inlier_count));
}

// Sets the flags of the pair's inliers, by original index.
void mark_inliers(const PairPoints& pair, const std::vector<double>& errors, std::uint8_t* flags);

// Outcome, iterations and, of a found model, inlier flags, count, gain, rms and noise. errors: of
// the points in their order; `length`: px a unit of the errors.
void fill_result(Problem problem, const PairPoints& pair, const std::vector<double>& errors,
                 const Result& found, double length, RobustResult& result);

// too_few_points, or the search and fill_result.
void run_search(Problem problem, const PairPoints& pair, const RobustOptions& options,
                double length, Result& found, RobustResult& result);

}  // namespace bifocal::robust
