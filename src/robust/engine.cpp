// SPDX-License-Identifier: BSD-3-Clause
#include "robust/engine.hpp"

#include <bifocal/cancel.hpp>
#include <cmath>

#include "robust/pair_points.hpp"
#include "robust/scalar_lanes.hpp"

namespace bifocal::robust {

#define BIFOCAL_PROBLEM(name, ...) const EngineSteps& name##_steps();  // a unit of its own each
#include <bifocal/problems.def>
#undef BIFOCAL_PROBLEM

const EngineSteps& engine_steps(ModelKind problem) {
  using Steps = const EngineSteps& (*)();
  static constexpr Steps kSteps[] = {
#define BIFOCAL_PROBLEM(name, ...) name##_steps,
#include <bifocal/problems.def>
#undef BIFOCAL_PROBLEM
  };
  return kSteps[static_cast<std::size_t>(problem)]();
}

SearchLimits limits_of(const RobustOptions& options) {
  return {options.min_iterations, options.max_iterations, std::log1p(-options.confidence),
          options.min_inlier_ratio > 0 ? options.min_inlier_ratio : 0.2};
}

void search(ModelKind problem, const GivenPair& given, const RobustOptions& options,
            PairPoints& pair, Result& result) {
  const EngineSteps& steps = engine_steps(problem);
  const SearchLimits limits = limits_of(options);
  thread_local Hypotheses hypotheses;  // its memory is kept from call to call
  constexpr size_t most = MOST_ROUND;
  hypotheses.models.resize(most * static_cast<size_t>(steps.slots * steps.model_size));
  hypotheses.counts.resize(most);
  hypotheses.scores.resize(most);
  hypotheses.slots.resize(most);
  int done = 0;
  for (int count = Lanes::first_round(limits.min_iterations, limits.max_iterations); count > 0;) {
    check_cancelled();
    const double floor = Lanes::score_floor(pair.state[STATE_SAMPLE_SCORE], pair.count());
    steps.solve(pair, options.seed, done, count, hypotheses);
    check_cancelled();
    steps.score(pair, static_cast<float>(floor), count, hypotheses);
    done += count;
    check_cancelled();
    count = steps.decide(pair, limits, count, hypotheses);
  }
  check_cancelled();
  if (options.dominant_plane) steps.planes(pair, options.seed, limits);
  steps.finish(given, pair, result);
}

}  // namespace bifocal::robust
