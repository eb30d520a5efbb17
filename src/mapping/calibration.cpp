// SPDX-License-Identifier: BSD-3-Clause
// Focal lengths of cameras without a prior, from the fundamental matrices of all pairs.
//
// The unknown factors of the given focal lengths are near one factor that all have in common.
#include <algorithm>
#include <cmath>
#include <vector>

#include "collection/colmap/focal_factors.hpp"
#include "mapping/scene.hpp"

namespace bifocal::mapping {
namespace {

using colmap::FocalPair;

constexpr double kPriorSpread = 0.3;  // of log factors about their common value
constexpr int kSweeps = 30;

template <class Index>
bool has_prior(const Scene& scene, Index camera) {
  return scene.graph->cameras[static_cast<std::size_t>(camera)].has_prior_focal_length;
}

std::vector<FocalPair> pairs_of(const Scene& scene) {
  std::vector<FocalPair> out;
  for (const MapPair& pair : scene.graph->pairs) {
    const View &view1 = scene.view(pair.image1), &view2 = scene.view(pair.image2);
    if (!pair.F || !colmap::has_depth(pair.configuration) || !view1.is_valid || !view2.is_valid)
      continue;
    if (has_prior(scene, view1.camera) && has_prior(scene, view2.camera)) continue;
    out.push_back(colmap::focal_pair(
        static_cast<std::size_t>(view1.camera), static_cast<std::size_t>(view2.camera), *pair.F,
        scene.lens(view1).intrinsics(), scene.lens(view2).intrinsics(), pair.inliers.size()));
  }
  return out;
}

// Returns the logarithm of one factor for all unknown focal lengths.
double common_log(const Scene& scene, const std::vector<FocalPair>& pairs) {
  return colmap::best_focal_log([&](double log) {
    std::vector<double> logs(scene.cameras.size());
    for (std::size_t i = 0; i < logs.size(); ++i)
      if (!has_prior(scene, i)) logs[i] = log;
    double cost = 0;
    for (const FocalPair& pair : pairs) cost += colmap::focal_cost(pair, logs);
    return cost;
  });
}

// Minimises the cost over one camera's factor by a search on ever finer grids.
void improve(std::size_t camera, const std::vector<const FocalPair*>& own, double common,
             double width, std::vector<double>& logs) {
  const auto cost_at = [&](double log) {
    logs[camera] = log;
    const double offset = (log - common) / kPriorSpread;
    double cost = 0.5 * offset * offset;
    for (const FocalPair* pair : own) cost += colmap::focal_cost(*pair, logs);
    return cost;
  };
  double best = logs[camera], best_cost = cost_at(best);
  for (; width > 1e-3; width *= 0.4) {
    const double centre = best;
    for (const double step : {-1.0, -0.5, 0.5, 1.0}) {
      const double log = centre + step * width;
      if (log < colmap::kLeastFocalLog || log > colmap::kMostFocalLog) continue;
      const double cost = cost_at(log);
      if (cost < best_cost) best_cost = cost, best = log;
    }
  }
  logs[camera] = best;
}

}  // namespace

std::vector<std::size_t> views_of_other_focal_lengths(const Scene& scene) {
  std::vector<std::vector<std::size_t>> views(scene.cameras.size());  // registered, by camera
  std::vector<std::size_t> places(scene.views.size());  // in the list of the view's camera
  for (std::size_t i = 0; i < scene.views.size(); ++i) {
    if (!scene.views[i].is_registered) continue;
    std::vector<std::size_t>& own = views[static_cast<std::size_t>(scene.views[i].camera)];
    places[i] = own.size();
    own.push_back(i);
  }
  std::vector<std::vector<FocalPair>> pairs(scene.cameras.size());
  for (const MapPair& pair : scene.graph->pairs) {
    const View &view1 = scene.view(pair.image1), &view2 = scene.view(pair.image2);
    if (!pair.F || !colmap::has_depth(pair.configuration) || view1.camera != view2.camera ||
        !view1.is_registered || !view2.is_registered)
      continue;
    const Intrinsics& K = scene.lens(view1).intrinsics();
    pairs[static_cast<std::size_t>(view1.camera)].push_back(colmap::focal_pair(
        places[static_cast<std::size_t>(pair.image1)],
        places[static_cast<std::size_t>(pair.image2)], *pair.F, K, K, pair.inliers.size()));
  }
  std::vector<std::size_t> others;
  for (std::size_t camera = 0; camera < views.size(); ++camera) {
    if (pairs[camera].empty()) continue;
    const colmap::FocalGroups found = colmap::focal_groups(views[camera].size(), pairs[camera]);
    for (std::size_t k = 0; k < views[camera].size(); ++k)
      if (found.groups[k] > 0) others.push_back(views[camera][k]);
  }
  std::ranges::sort(others);
  return others;
}

void calibrate(Scene& scene) {
  const std::vector<FocalPair> pairs = pairs_of(scene);
  if (pairs.empty()) return;
  std::vector<std::vector<const FocalPair*>> own(scene.cameras.size());
  for (const FocalPair& pair : pairs) {
    own[pair.focal1].push_back(&pair);
    if (pair.focal2 != pair.focal1) own[pair.focal2].push_back(&pair);
  }
  const double common = common_log(scene, pairs);
  std::vector<double> logs(scene.cameras.size());
  for (std::size_t i = 0; i < logs.size(); ++i)
    if (!has_prior(scene, i)) logs[i] = common;
  double width = 0.3;
  for (int sweep = 0; sweep < kSweeps; ++sweep, width = std::max(0.02, 0.8 * width))
    for (std::size_t i = 0; i < logs.size(); ++i)
      if (!has_prior(scene, i) && !own[i].empty()) improve(i, own[i], common, width, logs);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    std::optional<LensCamera>& camera = scene.cameras[i];
    if (has_prior(scene, i) || !camera) continue;
    std::vector<double> params(camera->params().begin(), camera->params().end());
    const int focal = LensCamera::focal_lengths(camera->model());
    for (int k = 0; k < focal; ++k) params[static_cast<std::size_t>(k)] *= std::exp(logs[i]);
    set_parameters(*camera, params);
  }
}

}  // namespace bifocal::mapping
