// SPDX-License-Identifier: BSD-3-Clause
// Absolute poses of views that are not registered, from matches of their features with points.
#include <bifocal/robust.hpp>

#include <algorithm>
#include <unordered_map>

#include "mapping/scene.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::mapping {
namespace {

// Finds the point of a feature of a registered view.
class PointsOfFeatures {
 public:
  explicit PointsOfFeatures(const Scene& scene) : tracks_(scene.views.size()) {
    const Tracks& tracks = scene.tracks;
    for (std::size_t k = 0; k < tracks.size(); ++k)
      for (std::size_t i = tracks.first[k]; tracks.is_point[k] != 0 && i < tracks.first[k + 1]; ++i)
        if (tracks.is_used[i] != 0)
          tracks_[static_cast<std::size_t>(tracks.views[i])].emplace(tracks.features[i],
                                                                     static_cast<int>(k));
  }
  // -1: none.
  [[nodiscard]] int track(int view, std::uint32_t feature) const {
    const auto& own = tracks_[static_cast<std::size_t>(view)];
    const auto found = own.find(feature);
    return found == own.end() ? -1 : found->second;
  }

 private:
  std::vector<std::unordered_map<std::uint32_t, int>> tracks_;
};

std::vector<ScenePoint> scene_points(const Scene& scene, const PointsOfFeatures& points, int number,
                                     const std::vector<std::size_t>& pairs) {
  const View& view = scene.view(number);
  const Intrinsics& K = scene.lens(view).pinhole();
  std::vector<std::pair<std::uint32_t, int>> matches;  // feature, track
  for (const std::size_t k : pairs) {
    const MapPair& pair = scene.graph->pairs[k];
    const bool is_first = pair.image1 == number;
    const int other = is_first ? pair.image2 : pair.image1;
    if (!scene.view(other).is_registered) continue;
    for (const colmap::IndexPair& match : pair.inliers) {
      const int track = points.track(other, is_first ? match.index2 : match.index1);
      if (track >= 0) matches.emplace_back(is_first ? match.index1 : match.index2, track);
    }
  }
  std::ranges::sort(matches);
  matches.erase(std::unique(matches.begin(), matches.end()), matches.end());
  std::vector<ScenePoint> out;
  for (const auto& [feature, track] : matches) {
    const Vec3 &ray = view.rays[feature], &X = scene.tracks.points[static_cast<std::size_t>(track)];
    if (std::isfinite(ray[0]))
      out.push_back(
          {K.fx * ray[0] / ray[2] + K.cx, K.fy * ray[1] / ray[2] + K.cy, X[0], X[1], X[2]});
  }
  return out;
}

}  // namespace

int resect(Queue& queue, Scene& scene, const std::vector<int>& views, const MapOptions& options) {
  const PointsOfFeatures points(scene);
  std::vector<std::vector<std::size_t>> pairs(scene.views.size());
  for (std::size_t k = 0; k < scene.graph->pairs.size(); ++k) {
    const MapPair& pair = scene.graph->pairs[k];
    if (!colmap::is_geometry(pair.configuration)) continue;
    pairs[static_cast<std::size_t>(pair.image1)].push_back(k);
    pairs[static_cast<std::size_t>(pair.image2)].push_back(k);
  }
  std::vector<int> numbers;
  std::vector<ScenePoint> matches;  // of all views in `numbers`
  std::vector<std::int64_t> offsets = {0};
  std::vector<Intrinsics> cameras;
  for (const int number : views) {
    const View& view = scene.view(number);
    if (view.is_registered || !view.is_valid) continue;
    const std::vector<ScenePoint> own =
        scene_points(scene, points, number, pairs[static_cast<std::size_t>(number)]);
    if (static_cast<int>(own.size()) < options.min_resection_inliers) continue;
    numbers.push_back(number);
    matches.insert(matches.end(), own.begin(), own.end());
    offsets.push_back(static_cast<std::int64_t>(matches.size()));
    cameras.push_back(scene.lens(view).pinhole());
  }
  if (numbers.empty()) return 0;
  BatchInput input{.offsets = offsets, .cameras1 = cameras};
  input.options.threshold = options.threshold;
  input.options.seed = options.seed;
  const std::vector<Estimate> poses =
      estimate_batch(queue, ModelKind::absolute_pose, matches.data(), input).pairs;
  int found = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!poses[i].ok() || poses[i].num_inliers < options.min_resection_inliers) continue;
    View& view = scene.view(numbers[i]);
    view.cam_from_world = poses[i].pose;
    view.is_registered = true;
    ++found;
  }
  return found;
}

}  // namespace bifocal::mapping
