// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/report/collection/view_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include <bifocal/pair_selection.hpp>

namespace bifocal::jobs {
namespace {

using colmap::Configuration, colmap::Id, colmap::PairRows;

PairState state_of(const PairRows* matches, const PairRows* geometry) {
  const std::int64_t found = matches ? matches->rows : 0;
  if (!geometry) return found > 0 ? PairState::unverified : PairState::unmatched;
  switch (geometry->configuration) {
    case Configuration::undefined:
      return PairState::undecided;
    case Configuration::degenerate:
      return PairState::degenerate;
    case Configuration::watermark:
      return PairState::watermark;
    default:
      return geometry->rows > 0 && colmap::is_geometry(geometry->configuration)
                 ? PairState::verified
                 : PairState::degenerate;
  }
}

class GraphBuilder {
 public:
  explicit GraphBuilder(const colmap::Database& database) {
    graph.cameras = database.cameras(&graph.damaged_rows);
    for (colmap::ModelCamera& c : graph.cameras)
      c.width = std::max<std::int64_t>(c.width, 1), c.height = std::max<std::int64_t>(c.height, 1);
    std::unordered_map<Id, int> cameras;
    for (const colmap::ModelCamera& c : graph.cameras)
      cameras.emplace(c.id, static_cast<int>(cameras.size()));
    for (const colmap::Image& image : database.images(&graph.damaged_rows)) {
      const auto camera = cameras.find(image.camera_id);
      place_.emplace(image.id, static_cast<int>(graph.images.size()));
      graph.images.push_back({.id = image.id,
                              .name = image.name,
                              .camera = camera == cameras.end() ? -1 : camera->second,
                              .features = database.keypoint_count(image.id)});
    }
  }

  // Both lists are in the order of pair_id.
  void add(const std::vector<PairRows>& matches, const std::vector<PairRows>& geometries) {
    const auto key = [](const PairRows& p) { return std::pair(p.image1, p.image2); };
    auto m = matches.begin();
    auto g = geometries.begin();
    while (m != matches.end() || g != geometries.end()) {
      const bool take_m = m != matches.end() && (g == geometries.end() || key(*m) <= key(*g));
      const bool take_g = g != geometries.end() && (m == matches.end() || key(*g) <= key(*m));
      add(take_m ? &*m : nullptr, take_g ? &*g : nullptr);
      m += take_m;
      g += take_g;
    }
    for (const auto& entry : configurations_) graph.configurations.emplace_back(entry);
    const auto by_images = [](const GraphPair& p, const GraphPair& q) {
      return std::tie(p.a, p.b) < std::tie(q.a, q.b);
    };
    std::sort(graph.edges.begin(), graph.edges.end(), by_images);
    std::sort(graph.rejected.begin(), graph.rejected.end(), by_images);
  }

  ViewGraph graph;

 private:
  void add(const PairRows* matches, const PairRows* geometry) {
    if (geometry) ++configurations_[geometry->configuration];
    const PairRows& any = matches ? *matches : *geometry;
    const auto first = place_.find(any.image1), second = place_.find(any.image2);
    const bool are_known = first != place_.end() && second != place_.end();
    const PairState state = are_known ? state_of(matches, geometry) : PairState::unknown_image;
    ++graph.states[static_cast<std::size_t>(state)];
    if (!are_known) return;
    // Numbers of images increase with their indices, so a < b.
    GraphPair pair{first->second, second->second, matches ? matches->rows : 0,
                   geometry ? geometry->rows : 0,
                   geometry ? geometry->configuration : Configuration::undefined};
    pair.matches = std::max(pair.matches, pair.inliers);
    for (const int i : {pair.a, pair.b}) {
      GraphImage& image = graph.images[static_cast<std::size_t>(i)];
      image.matched += pair.matches > 0;
      image.verified += state == PairState::verified;
    }
    if (state == PairState::verified)
      graph.edges.push_back(pair);
    else if (pair.matches > 0)
      graph.rejected.push_back(pair);
  }

  std::unordered_map<Id, int> place_;
  std::map<Configuration, std::int64_t> configurations_;
};

void connect(ViewGraph& graph) {
  const auto edge = [&](int e) -> const GraphPair& {
    return graph.edges[static_cast<std::size_t>(e)];
  };
  graph.strongest.resize(graph.edges.size());
  std::iota(graph.strongest.begin(), graph.strongest.end(), 0);
  std::stable_sort(graph.strongest.begin(), graph.strongest.end(),
                   [&](int i, int j) { return edge(i).inliers > edge(j).inliers; });
  ImageComponents components(static_cast<int>(graph.images.size()));
  for (const int e : graph.strongest)
    if (components.join({edge(e).a, edge(e).b})) graph.forest.push_back(e);
  std::map<int, std::vector<int>> of_root;
  for (int i = 0; i < static_cast<int>(graph.images.size()); ++i)
    if (graph.images[static_cast<std::size_t>(i)].verified > 0)
      of_root[components.of(i)].push_back(i);
  for (auto& [root, images] : of_root) graph.components.push_back(std::move(images));
  std::stable_sort(graph.components.begin(), graph.components.end(),
                   [](const auto& p, const auto& q) { return p.size() > q.size(); });
  for (std::size_t c = 0; c < graph.components.size(); ++c)
    for (const int i : graph.components[c])
      graph.images[static_cast<std::size_t>(i)].component = static_cast<int>(c);
}

}  // namespace

std::string pairs_text(std::int64_t count) {
  return fmt::format("{} pair{}", count, count == 1 ? "" : "s");
}

std::string without_pair_text(const GraphImage& image) {
  if (image.features < 0) return "no features in the database";
  if (image.features == 0) return "0 features";
  if (image.matched > 0) return pairs_text(image.matched) + " with matches, none verified";
  return "no pair in the database";
}

ViewGraph read_view_graph(const colmap::Database& database) {
  GraphBuilder builder(database);
  builder.add(database.match_rows(&builder.graph.damaged_rows),
              database.geometry_rows(&builder.graph.damaged_rows));
  connect(builder.graph);
  return std::move(builder.graph);
}

std::vector<int> edges_to_show(const ViewGraph& graph, std::size_t most) {
  std::vector<int> shown = graph.forest;
  std::vector<bool> taken(graph.edges.size());
  for (const int e : shown) taken[static_cast<std::size_t>(e)] = true;
  std::vector<int> met(graph.images.size());  // edges of each image so far, the strongest first
  std::vector<std::pair<int, int>> others;    // rank, edge
  for (const int e : graph.strongest) {
    const GraphPair& pair = graph.edges[static_cast<std::size_t>(e)];
    const int rank =
        std::min(met[static_cast<std::size_t>(pair.a)]++, met[static_cast<std::size_t>(pair.b)]++);
    if (!taken[static_cast<std::size_t>(e)]) others.emplace_back(rank, e);
  }
  std::stable_sort(others.begin(), others.end(),
                   [](const auto& p, const auto& q) { return p.first < q.first; });
  for (const auto& [rank, e] : others) {
    if (shown.size() >= most) break;
    shown.push_back(e);
  }
  return shown;
}

PairMatrix pair_matrix(const ViewGraph& graph, int most) {
  const int images = static_cast<int>(graph.images.size());
  PairMatrix matrix{std::min(images, most), {}, {}};
  for (const auto& component : graph.components)
    matrix.order.insert(matrix.order.end(), component.begin(), component.end());
  for (int i = 0; i < images; ++i)
    if (graph.images[static_cast<std::size_t>(i)].component < 0) matrix.order.push_back(i);
  std::vector<std::int64_t> cell_of(graph.images.size());
  for (int k = 0; k < images; ++k)
    cell_of[static_cast<std::size_t>(matrix.order[static_cast<std::size_t>(k)])] =
        std::int64_t{k} * matrix.size / images;
  matrix.cells.resize(static_cast<std::size_t>(matrix.size) *
                      (static_cast<std::size_t>(matrix.size) + 1) / 2);
  const auto set = [&](const GraphPair& pair, std::uint8_t value) {
    auto [row, column] = std::minmax(cell_of[static_cast<std::size_t>(pair.a)],
                                     cell_of[static_cast<std::size_t>(pair.b)]);
    const auto at = row * matrix.size - row * (row - 1) / 2 + column - row;
    std::uint8_t& cell = matrix.cells[static_cast<std::size_t>(at)];
    cell = std::max(cell, value);
  };
  for (const GraphPair& pair : graph.rejected) set(pair, 1);
  if (graph.edges.empty()) return matrix;
  const auto inliers = [&](int e) {
    return static_cast<double>(graph.edges[static_cast<std::size_t>(e)].inliers);
  };
  const double top = std::log1p(inliers(graph.strongest.front()));
  for (const GraphPair& pair : graph.edges)
    set(pair, static_cast<std::uint8_t>(
                  2 + std::lround(253 * std::log1p(static_cast<double>(pair.inliers)) / top)));
  return matrix;
}

}  // namespace bifocal::jobs
