// SPDX-License-Identifier: BSD-3-Clause
// The place of a model on the Earth.
#pragma once

#include <optional>

#include "mapping/doubts.hpp"
#include "mapping/place/position_fit.hpp"

namespace bifocal::mapping {

// Moves, rotates and scales registered views and points.
void apply(const Similarity& similarity, Scene& scene);

// Moves the registered views to their positions and, as MapOptions::positions says, adjusts them
// with these. Empty, and nothing is changed, if the positions determine no similarity.
// `adjustment` is replaced if there is a new one.
[[nodiscard]] std::optional<colmap::Georeference> georeference(Queue& queue, Scene& scene,
                                                               const MapOptions& options,
                                                               AdjustResult& adjustment);

}  // namespace bifocal::mapping
