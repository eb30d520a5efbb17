// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_photographs.hpp>

#include <span>
#include <string>

namespace bifocal::pair {

// A calibrated pair and its fundamental matrix.
struct CalibratedEstimates {
  const EstimateResult& essential;
  const EstimateResult& fundamental;
  std::span<const PointPair> points;  // px
  const Intrinsics &camera1, &camera2;
};

// Tests whether the given focal lengths contradict the matches. Repeated structure gives a
// fundamental matrix more inliers than a correct pose, so the number of inliers alone does not
// decide. Two signs are used, and both require a common factor of the focal lengths, estimated from
// the matches, beyond 1.2. The pose with this factor must win by a margin of 5 %:
//   - the inliers of the pose fit a fundamental matrix closely and the pose badly: F statistic of
//     its two additional parameters above 20, smaller errors in the median, and a root mean square
//     error smaller by the margin; the pose with the factor may have fewer inliers by the margin;
//   - the pose has fewer than 85 % of the inliers of the fundamental matrix, the factor is beyond
//     1.4, and the pose with the factor has more inliers by the margin.
// The margin was chosen on made scenes, the other constants on castle-P19, pairs with index mod 3
// == 0 (scripts/measure/intrinsics).
//
// Returns the reason of the doubt in words; empty without a doubt.
[[nodiscard]] std::string focal_doubt(Queue& queue, const CalibratedEstimates& pair,
                                      const RobustOptions& options);

}  // namespace bifocal::pair
