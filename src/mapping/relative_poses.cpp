// SPDX-License-Identifier: BSD-3-Clause
// Relative poses of all pairs from their inliers and the cameras.
#include <bifocal/two_view.hpp>

#include <algorithm>
#include <limits>

#include "mapping/scene.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::mapping {
namespace {

constexpr std::size_t kBatchPoints = std::size_t{1} << 22;  // 128 MB of correspondences

// Pairs of one call, with the px of their inliers in ideal pinholes.
struct Batch {
  std::vector<int> pairs;
  std::vector<PointPair> points;
  std::vector<std::int64_t> offsets{0};
  std::vector<Intrinsics> cameras1, cameras2;
};

Vec2 pinhole_px(const Intrinsics& K, const Vec3& ray) {
  return {K.fx * ray[0] / ray[2] + K.cx, K.fy * ray[1] / ray[2] + K.cy};
}

void add_pair(const Scene& scene, int number, Batch& batch) {
  const MapPair& pair = scene.graph->pairs[static_cast<std::size_t>(number)];
  batch.pairs.push_back(number);
  batch.offsets.push_back(batch.offsets.back() + static_cast<std::int64_t>(pair.inliers.size()));
  batch.cameras1.push_back(scene.lens(scene.view(pair.image1)).pinhole());
  batch.cameras2.push_back(scene.lens(scene.view(pair.image2)).pinhole());
}

void set_points(const Scene& scene, Batch& batch) {
  batch.points.resize(static_cast<std::size_t>(batch.offsets.back()));
  runtime::parallel_each(batch.pairs.size(), [&](std::size_t k) {
    const MapPair& pair = scene.graph->pairs[static_cast<std::size_t>(batch.pairs[k])];
    const View &view1 = scene.view(pair.image1), &view2 = scene.view(pair.image2);
    auto point = batch.points.begin() + batch.offsets[k];
    for (const colmap::IndexPair& match : pair.inliers) {
      const Vec2 x1 = pinhole_px(batch.cameras1[k], view1.rays[match.index1]),
                 x2 = pinhole_px(batch.cameras2[k], view2.rays[match.index2]);
      *point++ = {x1[0], x1[1], x2[0], x2[1]};
    }
  });
}

EstimateResult estimate_of(const BatchEstimate& found, const Batch& batch, std::size_t k) {
  EstimateResult one;
  static_cast<Estimate&>(one) = found.pairs[k];
  one.inliers.assign(found.inliers.begin() + batch.offsets[k],
                     found.inliers.begin() + batch.offsets[k + 1]);
  return one;
}

// Inliers of a pose with a translation lie in front of both cameras. A rotation gives no depth.
Edge edge_of(const Scene& scene, const BatchEstimate& found, const Batch& batch, std::size_t k,
             const MapOptions& options) {
  Edge edge;
  edge.is_used = false;
  edge.pair = batch.pairs[k];
  const MapPair& pair = scene.graph->pairs[static_cast<std::size_t>(edge.pair)];
  edge.view1 = pair.image1, edge.view2 = pair.image2;
  const std::span<const PointPair> points =
      std::span(batch.points)
          .subspan(static_cast<std::size_t>(batch.offsets[k]),
                   static_cast<std::size_t>(batch.offsets[k + 1] - batch.offsets[k]));
  const Intrinsics cameras[] = {batch.cameras1[k], batch.cameras2[k]};
  const RelativePoseResult pose = with_scene_points(
      ModelKind::essential, estimate_of(found, batch, k), points, cameras, options.threshold);
  if (pose.outcome != Outcome::ok && pose.outcome != Outcome::rotation_only) return edge;
  edge.cam2_from_cam1 = pose.pose;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool is_behind = pose.outcome == Outcome::ok && !std::isfinite(pose.triangulated[i][0]);
    if (pose.inliers[i] != 0 && !is_behind) edge.inliers.push_back(static_cast<std::int32_t>(i));
  }
  edge.is_used = static_cast<int>(edge.inliers.size()) >= options.min_inliers;
  return edge;
}

void estimate_batch_of(Queue& queue, Scene& scene, Batch& batch, const MapOptions& options) {
  if (batch.pairs.empty()) return;
  set_points(scene, batch);
  BatchInput input;
  input.offsets = batch.offsets;
  input.cameras1 = batch.cameras1, input.cameras2 = batch.cameras2;
  input.options.threshold = options.threshold;
  input.options.seed = options.seed;
  const BatchEstimate found =
      bifocal::estimate_batch(queue, ModelKind::essential, batch.points.data(), input);
  std::vector<Edge> edges(batch.pairs.size());
  runtime::parallel_each(
      edges.size(), [&](std::size_t k) { edges[k] = edge_of(scene, found, batch, k, options); });
  for (Edge& edge : edges)
    if (edge.is_used) scene.edges.push_back(std::move(edge));
}

}  // namespace

void estimate_relative_poses(Queue& queue, Scene& scene, const MapOptions& options) {
  Batch batch;
  const std::vector<MapPair>& pairs = scene.graph->pairs;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const MapPair& pair = pairs[k];
    if (static_cast<int>(pair.inliers.size()) < options.min_inliers) continue;
    if (!colmap::is_geometry(pair.configuration)) continue;
    if (!scene.view(pair.image1).is_valid || !scene.view(pair.image2).is_valid) continue;
    if (static_cast<std::size_t>(batch.offsets.back()) + pair.inliers.size() > kBatchPoints) {
      estimate_batch_of(queue, scene, batch, options);
      batch = {};
    }
    add_pair(scene, static_cast<int>(k), batch);
  }
  estimate_batch_of(queue, scene, batch, options);
}

}  // namespace bifocal::mapping
