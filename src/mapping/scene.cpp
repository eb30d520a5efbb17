// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/scene.hpp"

#include <fmt/format.h>
#include <bifocal/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "runtime/parallel.hpp"

namespace bifocal::mapping {
namespace {

template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> what, Args&&... args) {
  throw Error(ErrorCode::usage, "view graph: " + fmt::format(what, std::forward<Args>(args)...));
}

void check_pairs(const ViewGraph& graph) {
  std::set<std::pair<int, int>> known;
  const auto count = static_cast<int>(graph.images.size());
  for (std::size_t k = 0; k < graph.pairs.size(); ++k) {
    const MapPair& pair = graph.pairs[k];
    for (const int image : {pair.image1, pair.image2})
      if (image < 0 || image >= count) refuse("pair {}: there is no image {}", k, image);
    if (pair.image1 == pair.image2) refuse("pair {}: of image {} with itself", k, pair.image1);
    if (!known.insert(std::minmax(pair.image1, pair.image2)).second)
      refuse("pair {}: images {} and {} are a pair already", k, pair.image1, pair.image2);
    const std::size_t size1 = graph.images[static_cast<std::size_t>(pair.image1)].features.size(),
                      size2 = graph.images[static_cast<std::size_t>(pair.image2)].features.size();
    for (const colmap::IndexPair& match : pair.inliers)
      if (match.index1 >= size1 || match.index2 >= size2)
        refuse("pair {}: match ({}, {}) of {} and {} features", k, match.index1, match.index2,
               size1, size2);
  }
}

void check_positions(const ViewGraph& graph) {
  std::set<int> known;
  for (std::size_t k = 0; k < graph.positions.size(); ++k) {
    const MapPosition& p = graph.positions[k];
    if (p.image < 0 || p.image >= static_cast<int>(graph.images.size()))
      refuse("position {}: there is no image {}", k, p.image);
    if (!known.insert(p.image).second)
      refuse("position {}: image {} has a position already", k, p.image);
    for (std::size_t i = 0; i < 3; ++i) {
      if (p.centre && !std::isfinite((*p.centre)[i]))
        refuse("position {} of image {}: {} is not finite", k, p.image, (*p.centre)[i]);
      if (!(p.deviations[i] >= 0) || !std::isfinite(p.deviations[i]))
        refuse("position {} of image {}: a deviation of {}", k, p.image, p.deviations[i]);
    }
    if (p.altitude && !std::isfinite(*p.altitude))
      refuse("position {} of image {}: an altitude of {}", k, p.image, *p.altitude);
    if (p.gravity && !(std::abs(norm(*p.gravity) - 1) <= 1e-3))
      refuse("position {} of image {}: a gravity of length {}", k, p.image, norm(*p.gravity));
  }
}

}  // namespace

std::optional<LensCamera> supported_camera(const colmap::ModelCamera& camera) {
  try {
    return colmap::lens_camera_of(camera);
  } catch (const Error&) {
    return {};
  }
}

void set_parameters(LensCamera& camera, std::span<const double> params) {
  try {
    camera = LensCamera(camera.model(), params, camera.width(), camera.height());
  } catch (const Error&) {  // as of a focal length that is not positive
  }
}

SceneState state_of(const Scene& scene) {
  return {scene.cameras, scene.has_held_focal, scene.has_free_principal, scene.views, scene.tracks};
}

void restore(SceneState state, Scene& scene) {
  scene.cameras = std::move(state.cameras);
  scene.has_held_focal = std::move(state.has_held_focal);
  scene.has_free_principal = std::move(state.has_free_principal);
  scene.views = std::move(state.views);
  scene.tracks = std::move(state.tracks);
}

std::ptrdiff_t registered_count(const Scene& scene) {
  return std::ranges::count(scene.views, true, &View::is_registered);
}

Scene make_scene(const ViewGraph& graph) {
  Scene scene;
  scene.graph = &graph;
  std::unordered_map<colmap::Id, int> cameras;
  for (const colmap::ModelCamera& camera : graph.cameras) {
    if (!cameras.emplace(camera.id, static_cast<int>(scene.cameras.size())).second)
      refuse("camera {} is there twice", camera.id);
    scene.cameras.push_back(supported_camera(camera));
  }
  scene.has_held_focal.resize(scene.cameras.size());
  scene.has_free_principal.resize(scene.cameras.size());
  std::set<colmap::Id> ids;
  for (const MapImage& image : graph.images) {
    if (!ids.insert(image.id).second) refuse("image {} is there twice", image.id);
    const auto found = cameras.find(image.camera_id);
    if (found == cameras.end())
      refuse("image {}: there is no camera {}", image.id, image.camera_id);
    View& view = scene.views.emplace_back();
    view.camera = found->second;
    view.is_valid = scene.cameras[static_cast<std::size_t>(view.camera)].has_value();
  }
  check_pairs(graph);
  check_positions(graph);
  return scene;
}

void set_rays(Scene& scene) {
  runtime::parallel_each(scene.views.size(), [&](std::size_t i) {
    View& view = scene.views[i];
    if (!view.is_valid) return;
    const LensCamera& lens = scene.lens(view);
    const Intrinsics& K = lens.pinhole();
    const std::vector<Vec2>& features = scene.graph->images[i].features;
    view.rays.resize(features.size());
    for (std::size_t k = 0; k < features.size(); ++k) {
      const Vec2 px = lens.undistort(features[k]);
      const Vec3 ray = {(px[0] - K.cx) / K.fx, (px[1] - K.cy) / K.fy, 1};
      view.rays[k] =
          std::isfinite(ray[0]) && std::isfinite(ray[1]) ? unit(ray) : Vec3{kNaN, kNaN, kNaN};
    }
  });
}

}  // namespace bifocal::mapping
