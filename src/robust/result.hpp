// SPDX-License-Identifier: BSD-3-Clause
// From what the search found to what the caller gets.
#pragma once

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

// When to believe a model: when wrong matches would hardly support one as well. significance: log10
// of the expected number of such models.
[[nodiscard]] Outcome judge(ModelKind problem, const Result& found, const Info& info, int count,
                            const Evidence& evidence, double& significance);

}  // namespace bifocal::robust
