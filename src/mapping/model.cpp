// SPDX-License-Identifier: BSD-3-Clause
// COLMAP models of a scene.
#include <bifocal/colmap/bundle_adjust.hpp>
#include <bifocal/colmap/model.hpp>

#include <set>
#include <string>

#include "mapping/scene.hpp"

namespace bifocal::mapping {
namespace {

colmap::Camera camera_of(const colmap::Camera& given, const SceneCamera& camera) {
  colmap::Camera out = given;
  out.params = camera.adjust.params;
  return out;
}

}  // namespace

colmap::Model model_of(const Scene& scene) {
  colmap::Model model;
  std::set<int> cameras;
  std::vector<std::size_t> places(scene.views.size());
  for (std::size_t i = 0; i < scene.views.size(); ++i) {
    const View& view = scene.views[i];
    if (!view.is_registered) continue;
    cameras.insert(view.camera);
    const MapImage& image = scene.graph->images[i];
    places[i] = model.images.size();
    colmap::ModelImage& out = model.images.emplace_back();
    out.id = image.id, out.name = image.name, out.camera_id = image.camera_id;
    out.cam_from_world = colmap::model_pose(view.cam_from_world);
    for (const Vec2& px : image.features) out.observations.push_back({px[0], px[1]});
  }
  for (const int i : cameras)
    model.cameras.push_back(camera_of(scene.graph->cameras[static_cast<std::size_t>(i)],
                                      scene.cameras[static_cast<std::size_t>(i)]));
  const Tracks& tracks = scene.tracks;
  for (std::size_t k = 0; k < tracks.size(); ++k) {
    if (tracks.is_point[k] == 0) continue;
    colmap::ModelPoint& point = model.points.emplace_back();
    point.id = model.points.size();
    point.xyz = tracks.points[k];
    for (std::size_t i = tracks.first[k]; i < tracks.first[k + 1]; ++i) {
      if (tracks.is_used[i] == 0) continue;
      colmap::ModelImage& image = model.images[places[static_cast<std::size_t>(tracks.views[i])]];
      image.observations[tracks.features[i]].point_id = point.id;
      point.track.push_back({image.id, tracks.features[i]});
    }
  }
  colmap::set_point_errors(model);
  return model;
}

MapFigures figures_of(const colmap::Model& model) {
  MapFigures figures;
  figures.images = static_cast<std::int64_t>(model.images.size());
  figures.points = static_cast<std::int64_t>(model.points.size());
  double total = 0;
  for (const colmap::ModelPoint& point : model.points) {
    figures.observations += static_cast<std::int64_t>(point.track.size());
    total += point.error * static_cast<double>(point.track.size());
  }
  if (figures.observations > 0)
    figures.mean_error = total / static_cast<double>(figures.observations);
  return figures;
}

}  // namespace bifocal::mapping
