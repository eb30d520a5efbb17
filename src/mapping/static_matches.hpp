// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/mapping.hpp>

#include <optional>

#include "mapping/doubts.hpp"

namespace bifocal::mapping {

// Returns the graph without matches of points that stay at one place of nearly all images while
// other points move, and adds the pairs that had many to ViewGraph::static_pairs. Empty if there
// are no such points.
[[nodiscard]] std::optional<ViewGraph> without_static_matches(const ViewGraph& graph);

}  // namespace bifocal::mapping
