// SPDX-License-Identifier: BSD-3-Clause
// A place in the plane for every image, those with many inliers in common near each other.
#pragma once

#include <vector>

#include "report/collection/view_graph.hpp"

namespace bifocal::cli {

struct GraphLayout {
  double width = 1, height = 1;  // of the box, in typical distances of neighbours
  std::vector<double> x, y;      // of each image, in the box
};

// The components side by side, largest first, images without a verified pair in rows below. One
// component starts from multidimensional scaling of distances to a few pivots along the edges
//   U. Brandes, C. Pich, Eigensolver methods for progressive multidimensional scaling of large
//   data, GD 2006
// and is relaxed by springs and repulsion (T. Fruchterman, E. Reingold, Graph drawing by
// force-directed placement, SPE 21(11), 1991), the latter summed over the cells of a quadtree (J.
// Barnes, P. Hut, Nature 324, 1986). Neither chance nor threads: the same graph, the same layout.
[[nodiscard]] GraphLayout lay_out(const ViewGraph& graph);

}  // namespace bifocal::cli
