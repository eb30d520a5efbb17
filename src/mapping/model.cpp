// SPDX-License-Identifier: BSD-3-Clause
// COLMAP models of a scene.
#include <bifocal/colmap/bundle_adjust.hpp>
#include <bifocal/colmap/model.hpp>

#include <fmt/format.h>
#include <bifocal/error.hpp>

#include <cmath>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "collection/colmap/model/reprojection.hpp"
#include "mapping/scene.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::mapping {
namespace {

constexpr std::size_t kPointsOfThread = 1024;

colmap::ModelCamera camera_of(const colmap::ModelCamera& given, const LensCamera& camera) {
  colmap::ModelCamera out = given;
  out.params.assign(camera.params().begin(), camera.params().end());
  return out;
}

// Registered views as images without observations, and their cameras.
colmap::Model posed_images(const Scene& scene) {
  colmap::Model model;
  std::set<int> cameras;
  for (std::size_t i = 0; i < scene.views.size(); ++i) {
    const View& view = scene.views[i];
    if (!view.is_registered) continue;
    cameras.insert(view.camera);
    const MapImage& image = scene.graph->images[i];
    model.images.push_back(
        {image.id, image.name, image.camera_id, colmap::model_pose(view.cam_from_world), {}});
  }
  for (const int i : cameras)
    model.cameras.push_back(camera_of(scene.graph->cameras[static_cast<std::size_t>(i)],
                                      *scene.cameras[static_cast<std::size_t>(i)]));
  return model;
}

// Adds the points of the tracks to a model whose images have all features.
class PointAdder {
 public:
  // places: images of the views in the model. problem: of its cameras and images.
  PointAdder(const Scene& scene, const std::vector<int>& places, const AdjustProblem& problem,
             colmap::Model& model)
      : scene_(scene), places_(places), reprojection_(problem), model_(model) {}

  void add_points() const {
    const Tracks& tracks = scene_.tracks;
    std::vector<std::size_t> numbers;
    for (std::size_t k = 0; k < tracks.size(); ++k)
      if (tracks.is_point[k] != 0) numbers.push_back(k);
    model_.points.resize(numbers.size());
    runtime::parallel_each(
        numbers.size(),
        [&](std::size_t i) {
          model_.points[i].id = i + 1;
          fill(numbers[i], model_.points[i]);
        },
        kPointsOfThread);
  }

 private:
  void fill(std::size_t track, colmap::ModelPoint& point) const {
    const Tracks& tracks = scene_.tracks;
    const std::size_t first = tracks.first[track], end = tracks.first[track + 1];
    point.xyz = tracks.points[track];
    point.track.reserve(end - first);
    double total = 0;
    int count = 0;  // of finite errors
    for (std::size_t i = first; i < end; ++i) {
      if (tracks.is_used[i] == 0) continue;
      const int place = places_[static_cast<std::size_t>(tracks.views[i])];
      colmap::ModelImage& image = model_.images[static_cast<std::size_t>(place)];
      colmap::ModelObservation& o = image.observations[tracks.features[i]];
      o.point_id = point.id;
      point.track.push_back({image.id, tracks.features[i]});
      const double error = reprojection_.error({place, 0, o.x, o.y}, point.xyz);
      if (std::isfinite(error)) total += error, ++count;
    }
    if (count > 0) point.error = total / count;
  }

  const Scene& scene_;
  const std::vector<int>& places_;
  colmap::model::Reprojection reprojection_;
  colmap::Model& model_;
};

// A focal length with a prior is held if it is the prior; a principal point that has moved is
// adjusted.
void set_flags(Scene& scene, std::size_t camera) {
  const colmap::ModelCamera& given = scene.graph->cameras[camera];
  const LensCamera& lens = *scene.cameras[camera];
  const auto cx = static_cast<std::size_t>(LensCamera::focal_lengths(lens.model()));
  if (given.params.size() != lens.params().size()) return;
  scene.has_held_focal[camera] =
      given.has_prior_focal_length && given.params[0] == lens.params()[0];
  scene.has_free_principal[camera] = given.params[cx] != lens.params()[cx];
}

}  // namespace

colmap::Model model_of(const Scene& scene) {
  colmap::Model model = posed_images(scene);
  const AdjustProblem problem = colmap::adjust_problem(model, {.refine_poses = false});
  std::vector<int> places(scene.views.size(), -1);
  int count = 0;
  for (std::size_t i = 0; i < scene.views.size(); ++i)
    if (scene.views[i].is_registered) places[i] = count++;
  runtime::parallel_each(scene.views.size(), [&](std::size_t i) {
    if (places[i] < 0) return;
    std::vector<colmap::ModelObservation>& observations =
        model.images[static_cast<std::size_t>(places[i])].observations;
    const std::vector<Vec2>& features = scene.graph->images[i].features;
    observations.reserve(features.size());
    for (const Vec2& px : features) observations.push_back({px[0], px[1]});
  });
  PointAdder(scene, places, problem, model).add_points();
  return model;
}

Scene scene_of(ViewGraph& graph, const colmap::Model& model) {
  Scene scene = make_scene(graph);
  std::unordered_map<colmap::Id, int> views;
  for (std::size_t i = 0; i < graph.images.size(); ++i)
    views.emplace(graph.images[i].id, static_cast<int>(i));
  std::unordered_map<colmap::Id, const colmap::ModelCamera*> cameras;
  for (const colmap::ModelCamera& camera : model.cameras) cameras.emplace(camera.id, &camera);
  for (const colmap::ModelImage& image : model.images) {
    const auto found = views.find(image.id);
    if (found == views.end() || image.observations.size() != scene.features(found->second).size())
      throw Error(ErrorCode::usage,
                  fmt::format("model: image {} ({}) is not an image of the view graph with its "
                              "features",
                              image.id, image.name));
    std::vector<Vec2>& features = graph.images[static_cast<std::size_t>(found->second)].features;
    for (std::size_t k = 0; k < features.size(); ++k)
      features[k] = {image.observations[k].x, image.observations[k].y};
    View& view = scene.view(found->second);
    std::optional<LensCamera>& camera = scene.cameras[static_cast<std::size_t>(view.camera)];
    camera = supported_camera(*cameras.at(image.camera_id));
    view.is_valid = view.is_registered = camera.has_value();
    view.cam_from_world = colmap::pose_of(image.cam_from_world);
    if (view.is_registered) set_flags(scene, static_cast<std::size_t>(view.camera));
  }
  Tracks& tracks = scene.tracks;
  for (const colmap::ModelPoint& point : model.points) {
    for (const colmap::TrackElement& element : point.track) {
      const int view = views.at(element.image_id);
      if (!scene.view(view).is_registered) continue;
      tracks.views.push_back(view), tracks.features.push_back(element.observation);
    }
    tracks.first.push_back(tracks.views.size());
    tracks.points.push_back(point.xyz);
  }
  tracks.is_used.assign(tracks.views.size(), 1), tracks.is_point.assign(tracks.points.size(), 1);
  set_rays(scene);
  return scene;
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
