// SPDX-License-Identifier: BSD-3-Clause
// The page of a collection: its view graph, what became of its pairs, single pairs to look at.
#pragma once

#include <bifocal/collect.hpp>
#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli.hpp"
#include "report/collection/pair_details.hpp"
#include "report/page.hpp"

namespace bifocal::cli {

inline constexpr std::size_t kMostEdges = 60000;  // drawn on the map
inline constexpr int kMatrixSide = 512;           // cells
inline constexpr std::size_t kTablePairs = 15;    // in a table of weakest or strongest pairs
inline constexpr std::size_t kListed = 500;       // names in a list of what was left out

// A pair's details take at most so many bytes of the page: with the fewest points, without any, and
// for a point.
inline constexpr std::size_t kPairBytes = 8600, kPairHeadBytes = 600;
inline constexpr double kPointBytes = double(kPairBytes - kPairHeadBytes) / kFewestPoints;

struct CollectionReport {
  std::string title, command_line;
  std::string database, images;  // paths; `images` may be empty
  const ViewGraph& graph;
  std::size_t points_of_pair;  // at most
  CollectSummary summary;      // what the database says of how it was made
  Json run;                    // what bifocal collect --json or verify --json printed, or null
};

// Pairs that the page holds, in the order in which they get their details.
struct ShownPairs {
  std::vector<int> edges;  // of ViewGraph::edges, on the map
  // Places in `edges`. Links: the forest's edges with fewest inliers.
  std::vector<std::size_t> weakest_links, weakest, strongest;
  std::vector<int> in_turn;  // all of `edges`: those of the tables, the forest, the others
};
[[nodiscard]] ShownPairs shown_pairs(const ViewGraph& graph);

// Pairs that share so many bytes may have this many points each.
[[nodiscard]] std::size_t points_that_fit(std::size_t bytes, std::size_t pairs);

// Makes what the scripts of the page read, without details of pairs.
[[nodiscard]] Json page_data(const ViewGraph& graph, const ShownPairs& shown);
// Adds them. The details' edges must be among the shown.
void add_details(Json& data, const ShownPairs& shown, const std::vector<PairDetails>& details,
                 const Thumbnails& thumbnails);

[[nodiscard]] std::string collection_report(const CollectionReport& report, const Json& data,
                                            const ShownPairs& shown, const Thumbnails* thumbnails);

}  // namespace bifocal::cli
