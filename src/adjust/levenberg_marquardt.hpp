// SPDX-License-Identifier: BSD-3-Clause
// Levenberg-Marquardt on the terms of a problem.
#pragma once

#include <bifocal/adjust.hpp>

#include "adjust/reduced_solver.hpp"

namespace bifocal::adjustment {

// Minimises the cost from unknowns.start() on. Sets the costs, the history, the number of
// iterations and the reason of `result`. Returns the best poses and cameras; `terms` keeps the
// best points.
[[nodiscard]] Views minimise(Terms& terms, const Unknowns& unknowns, ReducedSolver& solver,
                             const AdjustOptions& options, AdjustResult& result);

// lambda D for the diagonal D of J'J.
[[nodiscard]] std::vector<double> damping_of(const std::vector<double>& diagonal, double lambda);

}  // namespace bifocal::adjustment
