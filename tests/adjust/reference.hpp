// SPDX-License-Identifier: BSD-3-Clause
// A plain bundle adjuster as oracle: Levenberg-Marquardt on the dense normal equations, with
// derivatives by differences and LensCamera's own projection.
#pragma once

#include <bifocal/adjust.hpp>

#include <functional>

namespace bifocal::test {

// Adjusts in place and returns the final cost. Every observation counts. `loss_scale` as in
// AdjustOptions; intrinsics follow AdjustCamera's flags.
double reference_adjust(AdjustProblem& problem, AdjustLoss loss = AdjustLoss::trivial,
                        double loss_scale = 1);

// Covariances as AdjustResult has them, for a least-squares loss, by the inverse of the dense
// normal equations that are bordered by the derivatives of the constraints. Constraints are numbers
// of the problem that keep their values.
using Constraint = std::function<double(const AdjustProblem&)>;
AdjustResult reference_covariances(const AdjustProblem& problem,
                                   const std::vector<Constraint>& constraints);

}  // namespace bifocal::test
