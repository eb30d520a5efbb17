// SPDX-License-Identifier: BSD-3-Clause
// View graphs of COLMAP databases.
#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/mapping.hpp>

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "collection/colmap/state.hpp"
#include "mapping/place/read_positions.hpp"

namespace bifocal {
namespace {

// Reads the tables of a database; damaged rows are recorded in the graph.
class Reader {
 public:
  Reader(const colmap::Database& database, const MapOptions& options)
      : database_(database), options_(options), faults_(database, &graph.damaged_rows) {
    read_cameras();
    read_images();
    for (const colmap::PairRows& row : database_.geometry_rows(&graph.damaged_rows)) read_pair(row);
  }

  ViewGraph graph;

 private:
  void read_cameras() {
    graph.cameras = database_.cameras(&graph.damaged_rows);
    for (const colmap::ModelCamera& camera : graph.cameras) cameras_.insert(camera.id);
  }

  void read_images() {
    for (colmap::Image& image : database_.images(&graph.damaged_rows)) {
      check_cancelled();
      if (!cameras_.contains(image.camera_id)) {
        if (image.camera_id != colmap::kNoCamera)
          faults_.add(colmap::row_name("images", "image_id", image.id),
                      fmt::format("camera {} is missing", image.camera_id));
        continue;
      }
      places_.emplace(image.id, static_cast<int>(graph.images.size()));
      graph.images.push_back(
          {image.id, std::move(image.name), image.camera_id, features_of(image.id)});
    }
  }

  std::vector<Vec2> features_of(colmap::Id image) {
    colmap::Keypoints keypoints;
    faults_.guard([&] { keypoints = database_.keypoints(image); });
    std::vector<Vec2> features(keypoints.size());
    const auto columns = static_cast<std::size_t>(keypoints.columns);
    for (std::size_t k = 0; k < features.size(); ++k)
      features[k] = {keypoints.data[k * columns], keypoints.data[k * columns + 1]};
    return features;
  }

  void read_pair(const colmap::PairRows& row) {
    check_cancelled();
    const auto a = places_.find(row.image1), b = places_.find(row.image2);
    if (row.rows < options_.min_inliers || a == places_.end() || b == places_.end()) return;
    if (row.configuration == colmap::Configuration::watermark)
      graph.static_pairs.emplace_back(a->second, b->second);
    if (!colmap::is_geometry(row.configuration)) return;
    const std::size_t size1 = graph.images[static_cast<std::size_t>(a->second)].features.size(),
                      size2 = graph.images[static_cast<std::size_t>(b->second)].features.size();
    if (size1 == 0 || size2 == 0) return;
    std::optional<colmap::TwoViewGeometry> geometry;
    faults_.guard([&] { geometry = database_.geometry(row.image1, row.image2); });
    if (!geometry) return;
    for (const colmap::IndexPair& match : geometry->inliers)
      if (match.index1 >= size1 || match.index2 >= size2)
        return faults_.add(colmap::pair_row("two_view_geometries", row.image1, row.image2),
                           fmt::format("match {} {} of images with {} and {} keypoints",
                                       match.index1, match.index2, size1, size2));
    graph.pairs.push_back(
        {a->second, b->second, geometry->configuration, std::move(geometry->inliers), geometry->F});
  }

  const colmap::Database& database_;
  const MapOptions& options_;
  colmap::Faults faults_;
  std::unordered_set<colmap::Id> cameras_;
  std::unordered_map<colmap::Id, int> places_;
};

}  // namespace

ViewGraph read_view_graph(const colmap::Database& database, const MapOptions& options) {
  ViewGraph graph = std::move(Reader(database, options).graph);
  if (options.positions != MapPositions::ignore) mapping::read_positions(database, graph);
  return graph;
}

}  // namespace bifocal
