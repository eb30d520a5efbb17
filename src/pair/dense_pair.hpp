// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_photographs.hpp>

#include "pair/stage_clock.hpp"
#include "pair/self_calibration.hpp"

namespace bifocal::pair {

// Rectifies the images of a pair with an essential or a fundamental matrix, matches them densely,
// and computes the depth map and the point cloud. Sets result.dense, or result.dense_reason if the
// geometry does not permit dense matching.
void add_dense(Queue& queue, const PinholePair& pair, const PairOptions& options, StageClock& clock,
               PairResult& result);

}  // namespace bifocal::pair
