// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pair/attempt.hpp"

namespace bifocal::pair {

// Makes the attempt that the options request. With options.escalate, further attempts follow while
// the answer is refused, doubted or has fewer than 50 inliers: affine shapes, then the guided round
// of the best attempt. Returns the most credible attempt, whose result lists the tries.
[[nodiscard]] Attempt escalated(const AttemptInput& input, const PairOptions& options);

}  // namespace bifocal::pair
