// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/adjust.hpp>

#include "adjust/arrangement.hpp"
#include "adjust/unknowns.hpp"

namespace bifocal::adjustment {

// Sets the covariances and the redundancy of the result of an adjusted problem. options: the loss.
void set_covariances(const AdjustProblem& problem, const Arrangement& arrangement,
                     const AdjustOptions& options, AdjustResult& result);

}  // namespace bifocal::adjustment
