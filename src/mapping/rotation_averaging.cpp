// SPDX-License-Identifier: BSD-3-Clause
// Rotations of views from the relative rotations of pairs: L1 by iteratively reweighted least
// squares, then a Geman-McClure loss.
#include <algorithm>

#include "mapping/rotation_graph.hpp"
#include "mapping/scene.hpp"

namespace bifocal::mapping {
namespace {

constexpr double kL1Floor = 0.1 * kRadPerDeg;  // smaller residuals have the same L1 weight
constexpr double kSigma = 5 * kRadPerDeg;      // of the Geman-McClure loss
constexpr int kL1Steps = 20, kRobustSteps = 100;
constexpr double kConverged = 1e-5;                           // rad, mean step
constexpr double kLeastLimit = 2 * kRadPerDeg, kMedians = 8;  // of errors of edges
constexpr int kRounds = 3;                                    // averages after edges were removed
// Rotations that no cycle confirms count less.
constexpr double kUnconfirmedWeight = 0.1, kUnconfirmedStrength = 1e-3;

// Used edges between the views, with local numbers of views. Confirmed edges come first in the
// tree.
RotationGraph graph_of(const Scene& scene, const std::vector<int>& views) {
  std::vector<int> place(scene.views.size(), -1);
  for (std::size_t i = 0; i < views.size(); ++i)
    place[static_cast<std::size_t>(views[i])] = static_cast<int>(i);
  std::vector<RotationLink> links;
  for (const Edge& edge : scene.edges) {
    const int a = place[static_cast<std::size_t>(edge.view1)],
              b = place[static_cast<std::size_t>(edge.view2)];
    if (!edge.is_used || a < 0 || b < 0) continue;
    links.push_back({static_cast<std::size_t>(a), static_cast<std::size_t>(b),
                     edge.cam2_from_cam1.R, weight_by_cycles(edge), strength_by_inliers(edge)});
  }
  return {views.size(), std::move(links)};
}

// Marks edges between the chosen views as unused if they contradict the rotations by more than
// several median errors. Returns their number.
std::int64_t remove_edges(Scene& scene, const std::vector<bool>& is_chosen, double threshold) {
  std::vector<std::pair<Edge*, double>> errors;
  for (Edge& edge : scene.edges) {
    if (!edge.is_used || !is_chosen[static_cast<std::size_t>(edge.view1)] ||
        !is_chosen[static_cast<std::size_t>(edge.view2)])
      continue;
    const Mat3 &R1 = scene.view(edge.view1).cam_from_world.R,
               &R2 = scene.view(edge.view2).cam_from_world.R;
    errors.emplace_back(&edge, norm(rotation_residual(R1, edge.cam2_from_cam1.R, R2)));
  }
  if (errors.empty()) return 0;
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::ranges::nth_element(errors, middle, {}, &std::pair<Edge*, double>::second);
  const double limit = std::min(threshold, std::max(kLeastLimit, kMedians * middle->second));
  std::int64_t removed = 0;
  for (const auto& [edge, error] : errors)
    if (error > limit) edge->is_used = false, ++removed;
  return removed;
}

}  // namespace

double strength_by_inliers(const Edge& edge) {
  return (edge.is_confirmed() ? 1 : kUnconfirmedStrength) * edge.probability *
         static_cast<double>(edge.inliers.size());
}

double weight_by_cycles(const Edge& edge) { return edge.is_confirmed() ? 1 : kUnconfirmedWeight; }

void average(RotationGraph& graph) {
  const auto l1 = [](double angle) { return kL1Floor / std::max(angle, kL1Floor); };
  const auto robust = [](double angle) { return geman_mcclure(angle, kSigma); };
  for (int step = 0; step < kL1Steps && graph.step(l1) >= kConverged; ++step) {
  }
  for (int step = 0; step < kRobustSteps && graph.step(robust) >= kConverged; ++step) {
  }
}

std::vector<int> average_rotations(Scene& scene, std::vector<int> views,
                                   const MapOptions& options) {
  for (int round = 0; round < kRounds; ++round) {
    RotationGraph graph = graph_of(scene, views);
    graph.start_from_tree();
    average(graph);
    std::vector<bool> is_chosen(scene.views.size());
    for (std::size_t i = 0; i < views.size(); ++i) {
      scene.view(views[i]).cam_from_world.R = graph.rotations()[i];
      is_chosen[static_cast<std::size_t>(views[i])] = true;
    }
    if (remove_edges(scene, is_chosen, options.max_rotation_error_deg * kRadPerDeg) == 0) break;
    views = components(scene, is_chosen).front();
  }
  return views;
}

}  // namespace bifocal::mapping
