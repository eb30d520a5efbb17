// SPDX-License-Identifier: BSD-3-Clause
// Numbers for the page. Lists are base64 of little-endian arrays.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "jobs/report/collection/collection_report.hpp"
#include "jobs/report/collection/layout.hpp"

namespace bifocal::jobs {
namespace {

template <class T>
std::string packed(const std::vector<T>& values) {
  std::string bytes;
  bytes.reserve(values.size() * sizeof(T));
  for (const T& value : values) {
    auto raw = std::bit_cast<std::array<char, sizeof(T)>>(value);
    if constexpr (std::endian::native == std::endian::big) std::reverse(raw.begin(), raw.end());
    bytes.append(raw.data(), raw.size());
  }
  return base64(bytes);
}

template <class T, class List, class Get>
std::string column(const List& list, const Get& get) {
  std::vector<T> values;
  for (const auto& item : list) values.push_back(static_cast<T>(get(item)));
  return packed(values);
}

std::string places(const std::vector<double>& values, double size) {
  return column<std::uint16_t>(values, [&](double v) { return std::lround(65535 * v / size); });
}

Json images_json(const ViewGraph& graph, const GraphLayout& layout) {
  Json json;
  json["names"] = Json::array();
  for (const GraphImage& image : graph.images) json["names"].push_back(image.name);
  const auto& all = graph.images;
  json["id"] = column<std::uint32_t>(all, [](const GraphImage& i) { return i.id; });
  json["features"] = column<std::int32_t>(all, [](const GraphImage& i) { return i.features; });
  json["matched"] = column<std::int32_t>(all, [](const GraphImage& i) { return i.matched; });
  json["verified"] = column<std::int32_t>(all, [](const GraphImage& i) { return i.verified; });
  json["component"] = column<std::int32_t>(all, [](const GraphImage& i) { return i.component; });
  json["camera"] = column<std::int32_t>(all, [](const GraphImage& i) { return i.camera; });
  json["x"] = places(layout.x, layout.width);
  json["y"] = places(layout.y, layout.height);
  return json;
}

Json edges_json(const ViewGraph& graph, const ShownPairs& shown) {
  std::vector<GraphPair> pairs;
  for (const int e : shown.edges) pairs.push_back(graph.edges[static_cast<std::size_t>(e)]);
  return {{"a", column<std::uint32_t>(pairs, [](const GraphPair& p) { return p.a; })},
          {"b", column<std::uint32_t>(pairs, [](const GraphPair& p) { return p.b; })},
          {"inliers", column<std::uint32_t>(pairs, [](const GraphPair& p) { return p.inliers; })},
          {"matches", column<std::uint32_t>(pairs, [](const GraphPair& p) { return p.matches; })},
          {"configuration", column<std::uint8_t>(pairs, [](const GraphPair& p) {
             return static_cast<int>(p.configuration);
           })}};
}

// Returns histograms of verified and rejected pairs by inliers or matches. Bins begin at 1, 1.5, 2,
// 3, 5 and 7 times each power of ten.
Json histogram_json(const ViewGraph& graph) {
  std::int64_t most = 1;
  for (const GraphPair& p : graph.edges) most = std::max(most, p.inliers);
  for (const GraphPair& p : graph.rejected) most = std::max(most, p.matches);
  std::vector<std::int64_t> from;
  for (std::int64_t decade = 1; from.empty() || from.back() <= most; decade *= 10)
    for (const double step : {1.0, 1.5, 2.0, 3.0, 5.0, 7.0})
      if (const double value = step * static_cast<double>(decade); value == std::floor(value))
        from.push_back(static_cast<std::int64_t>(value));
  while (from.size() > 1 && from[from.size() - 1] > most) from.pop_back();
  std::vector<std::int64_t> verified(from.size()), rejected(from.size());
  const auto bin = [&](std::int64_t count) {
    return static_cast<std::size_t>(std::upper_bound(from.begin(), from.end(), count) -
                                    from.begin() - 1);
  };
  for (const GraphPair& p : graph.edges) ++verified[bin(p.inliers)];
  for (const GraphPair& p : graph.rejected) ++rejected[bin(p.matches)];
  return {{"from", from}, {"verified", verified}, {"rejected", rejected}};
}

Json cameras_json(const ViewGraph& graph) {
  Json json = Json::array();
  for (const colmap::ModelCamera& c : graph.cameras)
    json.push_back({{"size", {c.width, c.height}}, {"focal", c.params.empty() ? 0 : c.params[0]}});
  return json;
}

}  // namespace

ShownPairs shown_pairs(const ViewGraph& graph) {
  ShownPairs shown;
  shown.edges = edges_to_show(graph, kMostEdges);
  std::unordered_map<int, std::size_t> place;
  for (const int e : shown.edges) place.emplace(e, place.size());
  const auto add = [&](int e, std::vector<std::size_t>& to) {
    const auto [at, is_new] = place.emplace(e, place.size());
    if (is_new) shown.edges.push_back(e);
    to.push_back(at->second);
  };
  const auto first = [&](const std::vector<int>& list, bool from_back,
                         std::vector<std::size_t>& to) {
    const std::size_t count = std::min(list.size(), kTablePairs);
    for (std::size_t k = 0; k < count; ++k) add(list[from_back ? list.size() - 1 - k : k], to);
  };
  first(graph.forest, true, shown.weakest_links);
  first(graph.strongest, true, shown.weakest);
  first(graph.strongest, false, shown.strongest);
  std::vector<bool> taken(shown.edges.size());
  const auto take = [&](std::size_t k) {
    if (!taken[k]) shown.in_order.push_back(shown.edges[k]);
    taken[k] = true;
  };
  for (const auto* table : {&shown.strongest, &shown.weakest_links, &shown.weakest})
    for (const std::size_t k : *table) take(k);
  for (std::size_t k = 0; k < shown.edges.size(); ++k) take(k);
  return shown;
}

std::size_t points_that_fit(std::size_t bytes, std::size_t pairs) {
  const std::size_t each = bytes / std::max<std::size_t>(pairs, 1);
  if (each <= kPairBytes) return kFewestPoints;
  const double points = static_cast<double>(each - kPairHeadBytes) / kPointBytes;
  return std::min(static_cast<std::size_t>(points), kMostPoints);
}

Json page_data(const ViewGraph& graph, const ShownPairs& shown) {
  const GraphLayout layout = lay_out(graph);
  const PairMatrix matrix = pair_matrix(graph, kMatrixSide);
  Json data;
  data["images"] = images_json(graph, layout);
  data["cameras"] = cameras_json(graph);
  data["layout"] = {{"width", layout.width}, {"height", layout.height}};
  data["edges"] = edges_json(graph, shown);
  data["tables"] = {{"Weakest links", shown.weakest_links},
                    {"Weakest pairs", shown.weakest},
                    {"Strongest pairs", shown.strongest}};
  data["matrix"] = {{"size", matrix.size},
                    {"order", column<std::uint32_t>(matrix.order, [](int i) { return i; })},
                    {"cells", packed(matrix.cells)}};
  data["histogram"] = histogram_json(graph);
  data["configurations"] = Json::array();
  for (int k = 0; k < 10; ++k)
    data["configurations"].push_back(colmap::to_string(static_cast<colmap::Configuration>(k)));
  data["pairs"] = Json::array();
  data["thumbnails"] = data["depths"] = Json::object();
  return data;
}

void add_details(Json& data, const ShownPairs& shown, const std::vector<PairDetails>& details,
                 const Thumbnails& thumbnails, const DepthPictures& depth) {
  std::unordered_map<int, std::size_t> place;
  for (const int e : shown.edges) place.emplace(e, place.size());
  for (const PairDetails& d : details) {
    Json json = {{"edge", place.at(d.edge)},
                 {"positions", packed(d.positions)},
                 {"inliers", d.inliers},
                 {"source", d.source}};
    if (!d.residuals.empty()) json["residuals"] = packed(d.residuals);
    if (!d.model.empty()) json[d.is_homography ? "H" : "F"] = d.model;
    if (!d.points.empty()) {
      json["points"] = packed(d.points);
      json["pose"] = d.pose;
    }
    data["pairs"].push_back(std::move(json));
  }
  for (const auto& [image, jpeg] : thumbnails.pictures)
    data["thumbnails"][std::to_string(image)] = base64(jpeg);
  for (const auto& [image, made] : depth.images)
    data["depths"][std::to_string(image)] = {{"html", made.html}, {"text", made.text}};
}

}  // namespace bifocal::jobs
