// SPDX-License-Identifier: BSD-3-Clause
#include "robust/result.hpp"

#include <fmt/format.h>

#include <bifocal/error.hpp>
#include <cmath>

#include "robust/chance.hpp"

namespace bifocal::robust {

Outcome judge(Problem problem, const Result& found,
              const std::array<double, Lanes::INFO_SIZE>& info, int count,
              const std::function<Evidence()>& evidence, double& significance) {
  const EngineSteps& steps = engine_steps(problem);
  const double outcome = found[Lanes::RESULT_OUTCOME];
  if (outcome < 2) return outcome < 1 ? Outcome::degenerate_sample : Outcome::no_model;
  const double rate = std::max(found[Lanes::RESULT_CHANCE], info[Lanes::INFO_CHANCE]);
  const auto false_alarms = [&](int inliers, int points) {
    return log_false_alarms(inliers, points, steps.sample_size, steps.slots, rate);
  };
  significance = false_alarms(static_cast<int>(found[Lanes::RESULT_INLIERS]), count);
  if (!(significance < kLogFalseAlarms)) return Outcome::no_model;
  if (found[Lanes::RESULT_COLLINEAR] > 0) return Outcome::degenerate_sample;
  if (found[Lanes::RESULT_PLANE] > 0) {
    // Two matches off the plane and the plane make a matrix; half of the wrong matches that lie on
    // their epipolar line are on the wrong side of the epipole (support.group.h).
    const auto off = static_cast<int>(found[Lanes::RESULT_OFF]);
    const auto proof = static_cast<int>(found[Lanes::RESULT_PARALLAX]);
    if (off < 2 || !(log_false_alarms(proof, off, 2, 1, rate / 2) < kLogFalseAlarms))
      return Outcome::degenerate_sample;
  }
  const Evidence counted = evidence();
  significance = false_alarms(counted.inliers, counted.count);
  return significance < kLogFalseAlarms ? Outcome::ok : Outcome::no_model;
}

void check_options(const RobustOptions& o) {
  const auto fail = [](const char* name, auto value, const char* range) {
    throw Error(ErrorCode::usage,
                fmt::format("robust estimation: {} = {}, must be {}", name, value, range));
  };
  if (!(o.threshold > 0) || !std::isfinite(o.threshold))
    fail("threshold", o.threshold, "positive and finite (px)");
  if (!(o.confidence > 0 && o.confidence < 1)) fail("confidence", o.confidence, "between 0 and 1");
  if (o.min_iterations < 1) fail("min_iterations", o.min_iterations, "at least 1");
  if (o.max_iterations < 1) fail("max_iterations", o.max_iterations, "at least 1");
}

void check_weights(const char* where, std::span<const double> weights, size_t first) {
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] >= 0 && std::isfinite(weights[i])) continue;
    throw Error(ErrorCode::usage, fmt::format("{}: weights[{}] = {}, must be finite and >= 0",
                                              where, first + i, weights[i]));
  }
}

void check_priors(const MatchPriors& priors, size_t matches) {
  if (matches > kMostMatches)
    throw Error(ErrorCode::usage, fmt::format("robust estimation: {} matches, at most {} can be",
                                              matches, kMostMatches));
  const auto check_size = [&](const char* name, size_t size) {
    if (size == 0 || size == matches) return;
    throw Error(ErrorCode::usage, fmt::format("robust estimation: {} {} for {} matches, must be "
                                              "none or one a match",
                                              size, name, matches));
  };
  check_size("weights", priors.weights.size());
  check_size("qualities", priors.qualities.size());
  check_weights("robust estimation", priors.weights);
}

void check_camera(const char* name, const Intrinsics& k) {
  const bool finite =
      std::isfinite(k.fx) && std::isfinite(k.fy) && std::isfinite(k.cx) && std::isfinite(k.cy);
  if (!finite || !k.valid()) {
    throw Error(
        ErrorCode::usage,
        fmt::format("robust estimation: {} = ({}, {}, {}, {}), must be finite with fx, fy > 0",
                    name, k.fx, k.fy, k.cx, k.cy));
  }
}

void mark_inliers(const PairPoints& pair, const std::vector<double>& errors, std::uint8_t* flags) {
  for (size_t i = 0; i < pair.order.size(); ++i) {
    if (errors[i] * pair.info[Lanes::INFO_THRESHOLD] < 1) flags[pair.order[i]] = 1;
  }
  for (size_t i = 0; i < pair.idle.size(); ++i) {
    const double error = errors[static_cast<size_t>(pair.stride) + i];
    if (error * pair.info[Lanes::INFO_THRESHOLD] < 1) flags[pair.idle[i]] = 1;
  }
}

void fill_result(Problem problem, const PairPoints& pair, const std::vector<double>& errors,
                 const Result& found, double length, RobustResult& result) {
  result.iterations = static_cast<int>(found[Lanes::RESULT_TRIALS]);
  result.outcome = judge(
      problem, found, pair.info, pair.count(), [&] { return evidence_of(problem, pair, errors); },
      result.significance);
  if (!result.ok()) return;
  fill_numbers(found, length, result);
  mark_inliers(pair, errors, result.inliers.data());
}

void run_search(Problem problem, const PairPoints& pair, const RobustOptions& options,
                double length, Result& found, RobustResult& result) {
  result.not_finite = pair.not_finite;
  if (pair.count() < engine_steps(problem).sample_size) {
    result.outcome = Outcome::too_few_points;
    return;
  }
  std::vector<double> errors;
  search(problem, pair, options, errors, found);
  fill_result(problem, pair, errors, found, length, result);
}

}  // namespace bifocal::robust
