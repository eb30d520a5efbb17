// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/adjust.hpp>

#include "adjust/arrangement.hpp"
#include "adjust/gauge.hpp"

namespace bifocal::adjustment {

// Sets the covariances and the redundancy of the result of an adjusted problem, or the image or the
// camera that is not determined. gauge, start: of the start; options: the loss.
void set_covariances(const AdjustProblem& problem, const Arrangement& arrangement, Gauge gauge,
                     const Views& start, const AdjustOptions& options, AdjustResult& result);

}  // namespace bifocal::adjustment
