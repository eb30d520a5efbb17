// SPDX-License-Identifier: BSD-3-Clause
// The HTML page of a collection: its view graph, statistics of its pairs, and single pairs
// for inspection.
#pragma once

#include <bifocal/collect.hpp>
#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/json.hpp"
#include "jobs/report/collection/dense_section.hpp"
#include "jobs/report/collection/model_section.hpp"
#include "jobs/report/collection/pair_details.hpp"
#include "jobs/report/page.hpp"

namespace bifocal::jobs {

inline constexpr std::size_t kMostEdges = 60000;  // drawn on the map
inline constexpr int kMatrixSide = 512;           // cells
inline constexpr std::size_t kTablePairs = 15;    // in a table of weakest or strongest pairs

// Largest size on the page of a pair's details with the minimum number of points, and of its part
// without points; then the size of a point.
inline constexpr std::size_t kPairBytes = 11200, kPairHeadBytes = 900;
inline constexpr double kPointBytes = double(kPairBytes - kPairHeadBytes) / kFewestPoints;

struct CollectionReport {
  std::string title, command_line;
  std::string database, images;  // paths; `images` may be empty
  const ViewGraph& graph;
  std::size_t points_of_pair;  // largest number
  CollectSummary summary;      // the database's record of how it was made
  Json run;                    // output of bifocal collect --json or verify --json, or null
  std::vector<NamedModel> models = {};
  const DenseSection* dense = nullptr;
};

// Pairs on the page, in the order in which they get details.
struct ShownPairs {
  std::vector<int> edges;  // indices into ViewGraph::edges, on the map
  // Positions in `edges`. Links are edges of the spanning forest with the fewest inliers.
  std::vector<std::size_t> weakest_links, weakest, strongest;
  std::vector<int> in_order;  // all of `edges`: first the tables, then the forest, then the rest
};
[[nodiscard]] ShownPairs shown_pairs(const ViewGraph& graph);

// Returns the number of points per pair for which the details of `pairs` pairs fit into `bytes`.
[[nodiscard]] std::size_t points_that_fit(std::size_t bytes, std::size_t pairs);

// Returns the data for the page's scripts, without details of pairs.
[[nodiscard]] Json page_data(const ViewGraph& graph, const ShownPairs& shown);
// Adds the details of pairs. Their edges must be among the shown pairs.
void add_details(Json& data, const ShownPairs& shown, const std::vector<PairDetails>& details,
                 const Thumbnails& thumbnails, const DepthPictures& depth);

[[nodiscard]] std::string collection_report(const CollectionReport& report, const Json& data,
                                            const ShownPairs& shown, const Thumbnails* thumbnails);

}  // namespace bifocal::jobs
