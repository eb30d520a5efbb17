// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/pair.hpp>

#include "pair/stage_clock.hpp"

namespace bifocal::pair {

// Rectifies the pictures by the pose, matches them densely and makes the cloud. Sets result.dense,
// or result.dense_reason when the geometry doesn't allow it. Both cameras are known.
void add_dense(ImageView<const std::uint8_t> image1, ImageView<const std::uint8_t> image2,
               const RelativePoseResult& geometry, const PairOptions& options, StageClock& clock,
               PairResult& result);

}  // namespace bifocal::pair
