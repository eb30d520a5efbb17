// SPDX-License-Identifier: BSD-3-Clause
#include "pair/escalation.hpp"

#include <string>
#include <utility>
#include <vector>

namespace bifocal::pair {
namespace {

constexpr int kFewInliers = 50;
// Inlier fraction that a further try searches for, as in a batch with few matches: a smaller
// fraction takes several times the time of the first try.
constexpr double kMinInlierRatio = 0.3;
constexpr AttemptStages kFirst = {"", 0, 0.7}, kAffine = {"affine ", 0.68, 0.01},
                        kGuided = {"", 0.69, 0.01};

bool is_enough(const Attempt& attempt) {
  return attempt.belief().rank == 2 && attempt.num_inliers() >= kFewInliers;
}

}  // namespace

Attempt escalated(const AttemptInput& input, const PairOptions& options) {
  const bool can_match_again = options.escalate && !input.given.matches,
             has_affine = can_match_again && !options.surf && !options.sift.affine_shape,
             has_guided = can_match_again && !options.guided;
  const int divisor = 1 + int{has_affine} + int{has_guided};
  std::vector<PairTry> tries;
  std::size_t taken = 0;
  double done_ms = 0;
  const auto add = [&](const char* name, const Attempt& attempt) {
    const double ms = input.clock.total_ms();
    tries.push_back({name, attempt.result.outcome, attempt.belief().rank == 1,
                     attempt.num_inliers(), ms - done_ms});
    done_ms = ms;
  };
  Attempt best(input, options, divisor, kFirst);
  add("as asked", best);
  const auto compare = [&](const char* name, Attempt next) {
    add(name, next);
    if (!next.belief().exceeds(best.belief())) return;
    best = std::move(next);
    taken = tries.size() - 1;
  };
  if (has_affine && !is_enough(best)) {
    PairOptions affine = options;
    affine.sift.affine_shape = true;
    if (affine.robust.min_inlier_ratio == 0) affine.robust.min_inlier_ratio = kMinInlierRatio;
    compare("affine shapes", Attempt(input, std::move(affine), divisor, kAffine));
  }
  if (has_guided && !is_enough(best) && best.can_be_guided())
    compare("guided matching", best.guided(input, kGuided));
  tries[taken].is_taken = true;
  best.result.tries = std::move(tries);
  return best;
}

}  // namespace bifocal::pair
