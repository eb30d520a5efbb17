// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/matching.hpp>
#include <bifocal/two_photographs.hpp>

#include "pair/photograph.hpp"

namespace bifocal::pair {

// Uploads both images and finds their features at the same time, on the queue's device; returns a
// set of two images there.
[[nodiscard]] FeatureSet detect(Queue& queue, Photograph& image1, Photograph& image2,
                                const PairOptions& options);

}  // namespace bifocal::pair
