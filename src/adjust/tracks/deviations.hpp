// SPDX-License-Identifier: BSD-3-Clause
// Deviations of intrinsics of an adjusted problem.
#pragma once

#include <bifocal/adjust.hpp>

#include <vector>

namespace bifocal::adjustment {

struct IntrinsicDeviations {
  std::vector<std::vector<double>> deviations;  // by camera and parameter
  // Changes of the parameters by a Gauss-Newton step, as after parameters that were constant in the
  // adjustment are adjusted; 0 unless deviations are exact.
  std::vector<std::vector<double>> steps;
  bool is_exact = false;
};

// Returns the standard deviation of each parameter of each camera, px for focal lengths and
// principal points, for the deviation of observations that the residuals show; 0 if it is not
// adjusted, infinite if observations and priors do not determine it. Priors count, with
// options.deviation_px; if they leave a part of the gauge free, all of it is held. The points of
// the problem are known, and its images share points. The deviation is exact if the reduced system
// can be factorised quickly, otherwise a lower bound: the deviation if all other images were known,
// for a shared camera if all poses were known. options: the loss and the deviation of observations.
// Throws as adjust().
[[nodiscard]] IntrinsicDeviations intrinsic_deviations(const AdjustProblem& problem,
                                                       const AdjustOptions& options = {});

}  // namespace bifocal::adjustment
