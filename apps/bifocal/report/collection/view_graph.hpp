// SPDX-License-Identifier: BSD-3-Clause
// The view graph of a database: images, the pairs of them whose geometry was found, and what became
// of the others.
#pragma once

#include <bifocal/colmap/database.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace bifocal::cli {

struct GraphImage {
  colmap::Id id = 0;
  std::string name;
  int camera = -1;             // of ViewGraph::cameras; -1: it has no row
  std::int64_t features = -1;  // -1: it has no row
  int matched = 0;             // pairs with a match
  int verified = 0;            // pairs with a geometry
  int component = -1;          // of ViewGraph::components; -1: no pair has a geometry
};

// Images by their place in ViewGraph::images, a < b.
struct GraphPair {
  int a = 0, b = 0;
  std::int64_t matches = 0, inliers = 0;
  colmap::Configuration configuration = colmap::Configuration::undefined;
};

enum class PairState {
  verified,       // a geometry with inliers
  degenerate,     // no geometry, or too few inliers
  watermark,      // what agrees is a watermark
  undecided,      // a row of configuration 0
  unverified,     // matches, but no row
  unmatched,      // no match
  unknown_image,  // of an image that is not there
};
inline constexpr int kPairStates = 7;

struct ViewGraph {
  std::vector<colmap::Camera> cameras;  // by number
  std::vector<GraphImage> images;       // by number
  std::vector<colmap::RowFault> damaged_rows;
  std::vector<GraphPair> edges;     // verified pairs, by a, then b
  std::vector<GraphPair> rejected;  // pairs with matches that are not verified, likewise
  std::array<std::int64_t, kPairStates> states{};
  std::vector<std::pair<colmap::Configuration, std::int64_t>> configurations;  // of all rows
  // A component has two images and more that edges connect; it is the list of its images. The
  // largest comes first, then they go by first image.
  std::vector<std::vector<int>> components;
  // Edges of the spanning forest with most inliers: the strongest way that holds each component
  // together (J. Kruskal, Proc. AMS 7(1), 1956). In the order of `strongest`.
  std::vector<int> forest;
  std::vector<int> strongest;  // all edges, most inliers first, then by a, b

  [[nodiscard]] std::int64_t count(PairState state) const {
    return states[static_cast<std::size_t>(state)];
  }
};

[[nodiscard]] ViewGraph read_view_graph(const colmap::Database& database);

// Chooses at most `most` edges (more only if the forest has): the forest, then the others by their
// rank, an edge's lesser place among the edges of its two images by inliers. So every image keeps
// its best.
[[nodiscard]] std::vector<int> edges_to_show(const ViewGraph& graph, std::size_t most);

// The cells are the upper triangle of a matrix, row by row: [0, 0], [0, 1], ..., [1, 1], ... Images
// come by component, then by number, `size` cells in a row; a cell holds the best of its pairs: 0
// none, 1 with matches alone, 2 to 255 of most inliers, by logarithm: 255 is the strongest pair of
// all.
struct PairMatrix {
  int size = 0;
  std::vector<int> order;  // images
  std::vector<std::uint8_t> cells;
};
[[nodiscard]] PairMatrix pair_matrix(const ViewGraph& graph, int most);

}  // namespace bifocal::cli
