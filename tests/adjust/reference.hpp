// SPDX-License-Identifier: BSD-3-Clause
// A plain bundle adjuster as oracle: Levenberg-Marquardt on the dense normal equations, with
// derivatives by differences and LensCamera's own projection.
#pragma once

#include <bifocal/adjust.hpp>

namespace bifocal::test {

// Adjusts in place and returns the final cost. Every observation counts. `loss_scale` as in
// AdjustOptions; intrinsics follow AdjustCamera's flags.
double reference_adjust(AdjustProblem& problem, AdjustLoss loss = AdjustLoss::trivial,
                        double loss_scale = 1);

}  // namespace bifocal::test
