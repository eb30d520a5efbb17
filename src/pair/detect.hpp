// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/matching.hpp>
#include <bifocal/two_photographs.hpp>

#include "pair/photograph.hpp"

namespace bifocal::pair {

// Uploads both images and detects their features concurrently on the queue's device. Returns a set
// of two images there.
[[nodiscard]] FeatureSet detect(Queue& queue, Photograph& image1, Photograph& image2,
                                const PairOptions& options, const PairInput& input);

}  // namespace bifocal::pair
