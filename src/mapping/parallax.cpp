// SPDX-License-Identifier: BSD-3-Clause
// The doubt that no pair of a model has parallax.
#include <bifocal/robust.hpp>

#include <algorithm>
#include <cmath>

#include "mapping/doubts.hpp"

namespace bifocal::mapping {
namespace {

constexpr double kAllExplained = 0.95;  // of the pairs
constexpr double kExplained = 0.9;      // of the points of a pair
constexpr double kErrorFactor = 4;      // px of a residual for each px of the model's mean error
constexpr std::size_t kFewestPoints = 20, kMostPoints = 200;  // of a pair
constexpr std::size_t kFirstPairs = 8, kMostPairs = 64;

// Points of pairs, as undistorted px that the model's cameras see.
class PointPairs {
 public:
  explicit PointPairs(const Scene& scene) : scene_(scene), track_(scene.views.size()) {
    const Tracks& tracks = scene.tracks;
    for (std::size_t i = 0; i < scene.views.size(); ++i)
      if (scene.views[i].is_registered)
        track_[i].assign(scene.graph->images[i].features.size(), -1);
    for (std::size_t k = 0; k < tracks.size(); ++k)
      for (std::size_t i = tracks.first[k]; tracks.is_point[k] != 0 && i < tracks.first[k + 1]; ++i)
        if (tracks.is_used[i] != 0)
          track_[static_cast<std::size_t>(tracks.views[i])][tracks.features[i]] =
              static_cast<std::int64_t>(k);
  }

  [[nodiscard]] std::vector<PointPair> of(const MapPair& pair) const {
    const auto &one = track_[static_cast<std::size_t>(pair.image1)],
               &two = track_[static_cast<std::size_t>(pair.image2)];
    if (one.empty() || two.empty() || !colmap::is_geometry(pair.configuration)) return {};
    std::vector<PointPair> points;
    for (const colmap::IndexPair& match : pair.inliers)
      if (one[match.index1] >= 0 && one[match.index1] == two[match.index2]) {
        const Vec2 x1 = px(pair.image1, match.index1), x2 = px(pair.image2, match.index2);
        points.push_back({x1[0], x1[1], x2[0], x2[1]});
      }
    if (points.size() <= kMostPoints) return points;
    std::vector<PointPair> some;
    for (std::size_t i = 0; i < kMostPoints; ++i)
      some.push_back(points[i * points.size() / kMostPoints]);
    return some;
  }

 private:
  [[nodiscard]] Vec2 px(int image, std::uint32_t feature) const {
    const View& view = scene_.view(image);
    const Vec3& ray = view.rays[feature];
    const double f = scene_.focal_length(view);
    return {f * ray[0] / ray[2], f * ray[1] / ray[2]};
  }

  const Scene& scene_;
  std::vector<std::vector<std::int64_t>> track_;  // of the features of registered views; -1: none
};

// Number of pairs whose points a homography explains.
std::size_t explained(Queue& queue, const std::vector<std::vector<PointPair>>& pairs,
                      double threshold) {
  std::vector<PointPair> points;
  std::vector<std::int64_t> offsets = {0};
  for (const std::vector<PointPair>& pair : pairs) {
    points.insert(points.end(), pair.begin(), pair.end());
    offsets.push_back(static_cast<std::int64_t>(points.size()));
  }
  BatchInput input;
  input.offsets = offsets;
  input.options.threshold = threshold;
  const BatchEstimate found = estimate_batch(queue, ModelKind::homography, points.data(), input);
  std::size_t count = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const double share = found.pairs[k].num_inliers / static_cast<double>(pairs[k].size());
    if (share >= kExplained) ++count;
  }
  return count;
}

}  // namespace

void doubt_parallax(const DoubtInput& in, std::vector<ModelDoubt>& doubts) {
  if (!problem_info(ModelKind::homography).is_built) return;
  const PointPairs points(in.scene);
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < in.scene.graph->pairs.size(); ++k) {
    const MapPair& pair = in.scene.graph->pairs[k];
    if (in.scene.view(pair.image1).is_registered && in.scene.view(pair.image2).is_registered)
      chosen.push_back(k);
  }
  const double threshold = std::max(1.0, kErrorFactor * figures_of(in.model).mean_error);
  Queue cpu;
  for (const std::size_t most : {kFirstPairs, kMostPairs}) {
    std::vector<std::vector<PointPair>> pairs;
    const std::size_t count = std::min(most, chosen.size());
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<PointPair> some =
          points.of(in.scene.graph->pairs[chosen[i * chosen.size() / count]]);
      if (some.size() >= kFewestPoints) pairs.push_back(std::move(some));
    }
    if (pairs.empty()) return;
    const double share =
        static_cast<double>(explained(cpu, pairs, threshold)) / static_cast<double>(pairs.size());
    if (share < kAllExplained) return;
    if (most == kFirstPairs) continue;
    doubts.push_back(
        {DoubtKind::no_parallax,
         share,
         kAllExplained,
         {},
         {},
         "homographies explain the points of nearly all pairs: the camera only rotated or zoomed, "
         "or the scene is flat"});
  }
}

}  // namespace bifocal::mapping
