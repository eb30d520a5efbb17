// SPDX-License-Identifier: BSD-3-Clause
// The view graph of a database: its images, the pairs with a verified geometry, and the state of
// all other pairs.
#pragma once

#include <bifocal/colmap/database.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace bifocal::jobs {

struct GraphImage {
  colmap::Id id = 0;
  std::string name;
  int camera = -1;             // index into ViewGraph::cameras; -1: no row
  std::int64_t features = -1;  // -1: no row
  int matched = 0;             // number of pairs with a match
  int verified = 0;            // number of pairs with a geometry
  int component = -1;          // index into ViewGraph::components; -1: no pair has a geometry
};

// A pair of images by their indices in ViewGraph::images, a < b.
struct GraphPair {
  int a = 0, b = 0;
  std::int64_t matches = 0, inliers = 0;
  colmap::Configuration configuration = colmap::Configuration::undefined;
};

enum class PairState {
  verified,       // a geometry with inliers
  degenerate,     // no geometry, or too few inliers
  watermark,      // the inliers belong to a watermark
  undecided,      // row with configuration 0
  unverified,     // matches without a row
  unmatched,      // no match
  unknown_image,  // pair with an image that does not exist
};
inline constexpr int kPairStates = 7;

struct ViewGraph {
  std::vector<colmap::ModelCamera> cameras;  // ordered by number
  std::vector<GraphImage> images;            // ordered by number
  std::vector<colmap::RowFault> damaged_rows;
  std::vector<GraphPair> edges;     // verified pairs, ordered by a, then b
  std::vector<GraphPair> rejected;  // pairs with matches that are not verified, in the same order
  std::array<std::int64_t, kPairStates> states{};
  std::vector<std::pair<colmap::Configuration, std::int64_t>>
      configurations;  // counts over all rows
  // Connected components with at least two images, as lists of images. The largest comes first;
  // components of equal size by their first image.
  std::vector<std::vector<int>> components;
  // Edges of the spanning forest with the most inliers, the strongest connections of each component
  // (J. Kruskal, Proc. AMS 7(1), 1956). In the order of `strongest`.
  std::vector<int> forest;
  std::vector<int> strongest;  // all edges, most inliers first, then by a, b

  [[nodiscard]] std::int64_t count(PairState state) const {
    return states[static_cast<std::size_t>(state)];
  }
};

[[nodiscard]] ViewGraph read_view_graph(const colmap::Database& database);

// Returns "1 pair", "2 pairs".
[[nodiscard]] std::string pairs_text(std::int64_t count);
// Returns why an image has no verified pair.
[[nodiscard]] std::string without_pair_text(const GraphImage& image);

// Chooses at most `most` edges, or the whole forest if that is more. The forest comes first, then
// edges by rank: the better position of the edge in the two lists of its images' edges by inliers.
// Every image thus keeps its best edge.
[[nodiscard]] std::vector<int> edges_to_show(const ViewGraph& graph, std::size_t most);

// A matrix of pairs. The cells are the upper triangle, row by row: [0, 0], [0, 1], ..., [1, 1], ...
// Images are ordered by component, then by number, several per row and column. A cell holds the
// best of its pairs: 0 none, 1 with matches only, 2 to 255 by the logarithm of the inliers; 255 is
// the strongest pair.
struct PairMatrix {
  int size = 0;
  std::vector<int> order;  // images
  std::vector<std::uint8_t> cells;
};
[[nodiscard]] PairMatrix pair_matrix(const ViewGraph& graph, int most);

}  // namespace bifocal::jobs
