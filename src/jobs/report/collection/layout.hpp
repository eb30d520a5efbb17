// SPDX-License-Identifier: BSD-3-Clause
// A layout of the images in the plane, in which images with many common inliers are near
// each other.
#pragma once

#include <vector>

#include "jobs/report/collection/view_graph.hpp"

namespace bifocal::jobs {

struct GraphLayout {
  double width = 1, height = 1;  // size of the bounding box, in typical distances of neighbours
  std::vector<double> x, y;      // position of each image in the box
};

// Arranges the components next to each other, largest first, and images without a verified pair in
// rows below. A component starts from multidimensional scaling of distances along the edges to a
// few pivots
//   U. Brandes, C. Pich, Eigensolver methods for progressive multidimensional scaling of large
//   data, GD 2006
// and is relaxed by springs and repulsion (T. Fruchterman, E. Reingold, Graph drawing by
// force-directed placement, SPE 21(11), 1991). The repulsion is summed over the cells of a quadtree
// (J. Barnes, P. Hut, Nature 324, 1986). The layout of a graph depends neither on chance nor
// on threads.
[[nodiscard]] GraphLayout lay_out(const ViewGraph& graph);

}  // namespace bifocal::jobs
