// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/colmap/rotation_cycles.hpp>

#include <algorithm>
#include <numeric>

#include "mapping/scene.hpp"
#include "runtime/disjoint_sets.hpp"

namespace bifocal::mapping {

std::vector<std::vector<int>> components(const Scene& scene, const std::vector<bool>& is_chosen) {
  DisjointSets sets(scene.views.size());
  for (const Edge& edge : scene.edges) {
    const auto a = static_cast<std::size_t>(edge.view1), b = static_cast<std::size_t>(edge.view2);
    if (edge.is_used && is_chosen[a] && is_chosen[b]) sets.join(a, b);
  }
  std::vector<std::vector<int>> by_root(scene.views.size());
  for (std::size_t i = 0; i < by_root.size(); ++i)
    if (is_chosen[i]) by_root[sets.root(i)].push_back(static_cast<int>(i));
  std::erase_if(by_root, [](const std::vector<int>& part) { return part.empty(); });
  std::ranges::stable_sort(by_root, [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() > b.size() : a.front() < b.front();
  });
  return by_root;
}

void remove_contradictory_edges(Scene& scene, bool compares_starts) {
  find_match_cycles(scene);
  std::vector<colmap::PairRotation> rotations;
  rotations.reserve(scene.edges.size());
  for (const Edge& edge : scene.edges)
    rotations.push_back({static_cast<colmap::Id>(edge.view1 + 1),
                         static_cast<colmap::Id>(edge.view2 + 1), edge.cam2_from_cam1.R});
  const std::vector<double> probabilities = colmap::rotation_probabilities(rotations);
  DisjointSets confirmed(scene.views.size());
  for (std::size_t k = 0; k < scene.edges.size(); ++k) {
    Edge& edge = scene.edges[k];
    edge.probability = probabilities[k];
    if (edge.is_confirmed())
      confirmed.join(static_cast<std::size_t>(edge.view1), static_cast<std::size_t>(edge.view2));
  }
  // Images of one place see each other in many pairs, which form cycles. A lone pair of distant
  // images is more often a look-alike.
  std::vector<bool> is_kept;
  for (const Edge& edge : scene.edges)
    is_kept.push_back(
        edge.is_confirmed() ||
        (edge.probability >= 0.5 && confirmed.root(static_cast<std::size_t>(edge.view1)) !=
                                        confirmed.root(static_cast<std::size_t>(edge.view2))));
  if (compares_starts) compare_starts(scene, is_kept);
  for (std::size_t k = 0; k < scene.edges.size(); ++k) scene.edges[k].is_used = is_kept[k];
}

}  // namespace bifocal::mapping
