// SPDX-License-Identifier: BSD-3-Clause
// Standard deviation of the matches' noise from the errors of all points, wrong matches included.
#pragma once

#include <span>

namespace bifocal::robust {

// Of one coordinate, in the unit of the errors. The squared errors up to `window`^2 (others and NaN
// are skipped) are taken as a mixture of Gaussian residuals, `dof` (1 or 2) of them a point, and of
// wrong matches whose residuals are uniform; expectation maximisation on a histogram, from the
// start `sigma`.
//   A. Dempster, N. Laird, D. Rubin, J. R. Stat. Soc. B 39(1), 1977.
[[nodiscard]] double noise_scale(std::span<const double> squared_errors, int dof, double window,
                                 double sigma);

}  // namespace bifocal::robust
