// SPDX-License-Identifier: BSD-3-Clause
// View graphs of COLMAP databases.
#include <bifocal/error.hpp>
#include <bifocal/mapping.hpp>

#include <unordered_map>
#include <utility>

namespace bifocal {
namespace {

std::vector<Vec2> features_of(const colmap::Database& database, colmap::Id image) {
  colmap::Keypoints keypoints;
  try {
    keypoints = database.keypoints(image);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::input) throw;
  }
  std::vector<Vec2> features(keypoints.size());
  const auto columns = static_cast<std::size_t>(keypoints.columns);
  for (std::size_t k = 0; k < features.size(); ++k)
    features[k] = {keypoints.data[k * columns], keypoints.data[k * columns + 1]};
  return features;
}

std::optional<MapPair> pair_of(const colmap::Database& database, const colmap::PairRows& row) {
  try {
    auto geometry = database.geometry(row.image1, row.image2);
    if (geometry)
      return MapPair{0, 0, geometry->configuration, std::move(geometry->inliers), geometry->F};
  } catch (const Error& e) {
    if (e.code() != ErrorCode::input) throw;
  }
  return std::nullopt;
}

bool fits(const MapPair& pair, const ViewGraph& graph) {
  const std::size_t size1 = graph.images[static_cast<std::size_t>(pair.image1)].features.size(),
                    size2 = graph.images[static_cast<std::size_t>(pair.image2)].features.size();
  for (const colmap::IndexPair& match : pair.inliers)
    if (match.index1 >= size1 || match.index2 >= size2) return false;
  return true;
}

}  // namespace

ViewGraph read_view_graph(const colmap::Database& database, const MapOptions& options) {
  ViewGraph graph;
  std::vector<colmap::RowFault> faults;
  std::unordered_map<colmap::Id, bool> cameras;
  for (colmap::Camera& camera : database.cameras(&faults)) {
    cameras.emplace(camera.id, true);
    graph.cameras.push_back(std::move(camera));
  }
  std::unordered_map<colmap::Id, int> places;
  for (colmap::Image& image : database.images(&faults)) {
    if (!cameras.contains(image.camera_id)) continue;
    check_cancelled();
    places.emplace(image.id, static_cast<int>(graph.images.size()));
    graph.images.push_back(
        {image.id, std::move(image.name), image.camera_id, features_of(database, image.id)});
  }
  for (const colmap::PairRows& row : database.geometry_rows(&faults)) {
    const auto a = places.find(row.image1), b = places.find(row.image2);
    if (row.rows < options.min_inliers || !colmap::is_geometry(row.configuration) ||
        a == places.end() || b == places.end())
      continue;
    check_cancelled();
    std::optional<MapPair> pair = pair_of(database, row);
    if (!pair) continue;
    pair->image1 = a->second, pair->image2 = b->second;
    if (fits(*pair, graph)) graph.pairs.push_back(std::move(*pair));
  }
  return graph;
}

}  // namespace bifocal
