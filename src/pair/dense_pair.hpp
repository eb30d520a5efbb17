// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_photographs.hpp>

#include "pair/stage_clock.hpp"
#include "pair/self_calibration.hpp"

namespace bifocal::pair {

// Rectifies the pictures of a pair with an essential or a fundamental matrix, matches them densely,
// and makes the depth map and the cloud. Sets result.dense, or result.dense_reason when the
// geometry doesn't allow it.
void add_dense(Queue& queue, const PinholePair& pair, const PairOptions& options, StageClock& clock,
               PairResult& result);

}  // namespace bifocal::pair
