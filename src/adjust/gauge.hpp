// SPDX-License-Identifier: BSD-3-Clause
// The gauge: seven degrees of freedom of each part that no observation determines.
#pragma once

#include <bifocal/adjust.hpp>

#include <vector>

#include "adjust/arrangement.hpp"
#include "adjust/unknowns.hpp"

namespace bifocal::adjustment {

// The first image of a part keeps its pose; the centre of the image farthest from it keeps its
// distance.
struct PartGauge {
  int first = -1, second = -1;  // images; second -1: the part has one image or no extent
  bool is_fixed = false;        // the part has a constant pose or point: no gauge is left
};
[[nodiscard]] std::vector<PartGauge> part_gauges(const AdjustProblem& problem,
                                                 const Arrangement& arrangement,
                                                 const Unknowns& unknowns);

// Moves each part with gauge freedom so that its first image has its pose of the start, and scales
// it so that the second one has its distance of the start. points: [lane][POINT_SIZE].
void restore_gauge(const std::vector<PartGauge>& gauges, const Arrangement& arrangement,
                   const Views& start, Views& views, std::vector<double>& points);

}  // namespace bifocal::adjustment
