// SPDX-License-Identifier: BSD-3-Clause
// Positions of images in a database.
#pragma once

#include <bifocal/mapping.hpp>

namespace bifocal::mapping {

// Sets ViewGraph::positions and origin by COLMAP's table pose_priors and the flight records of
// Bifocal. Damaged rows are recorded in the graph and not used.
void read_positions(const colmap::Database& database, ViewGraph& graph);

}  // namespace bifocal::mapping
