// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pair/attempt.hpp"

namespace bifocal::pair {

// Makes the attempt that the options ask for and, with options.escalate, further ones while the
// answer is refused, doubted or has fewer than 50 inliers: affine shapes, then the guided round of
// the best one. Returns the attempt with the most belief, whose result has the tries.
[[nodiscard]] Attempt escalated(const AttemptInput& input, const PairOptions& options);

}  // namespace bifocal::pair
