// SPDX-License-Identifier: BSD-3-Clause
// Least squares of global positioning.
#pragma once

#include <cstddef>
#include <vector>

#include "mapping/algebra.hpp"

namespace bifocal::mapping {

// A point is seen from the centre `centre` in the unit direction `v`.
struct PositioningRay {
  std::size_t centre = 0;
  Vec3 v{};
};

// Point k has the rays [offsets[k], offsets[k + 1]).
struct PositioningProblem {
  std::size_t centre_count = 0;
  std::vector<std::size_t> offsets;
  std::vector<PositioningRay> rays;
};

struct PositioningState {
  std::vector<Vec3> centres, points;
  std::vector<double> scales;  // one a ray
};

// Sum of the Huber losses of the residuals v - s (X - c).
[[nodiscard]] double positioning_cost(const PositioningProblem& problem,
                                      const PositioningState& state);
// Sets every scale to the value with the smallest residual for the centres and points.
void set_best_scales(const PositioningProblem& problem, PositioningState& state);
// Returns the state after one step of Levenberg-Marquardt. Sums run in a fixed order.
[[nodiscard]] PositioningState positioning_step(const PositioningProblem& problem,
                                                const PositioningState& state, double damping);

}  // namespace bifocal::mapping
