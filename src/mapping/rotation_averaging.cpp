// SPDX-License-Identifier: BSD-3-Clause
// Rotations of views from the relative rotations of pairs: L1 by iteratively reweighted least
// squares, then a Geman-McClure loss. Every step solves a weighted graph Laplacian.
//   A. Chatterjee, V. M. Govindu, Efficient and robust large-scale rotation averaging, ICCV 2013.
#include <algorithm>
#include <numeric>

#include "adjust/rotation.hpp"
#include "mapping/laplacian.hpp"
#include "mapping/scene.hpp"
#include "runtime/disjoint_sets.hpp"

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

// Edges between the views of a component, with local numbers of views.
class Averaging {
 public:
  Averaging(const Scene& scene, const std::vector<int>& views) {
    std::vector<int> place(scene.views.size(), -1);
    for (std::size_t i = 0; i < views.size(); ++i)
      place[static_cast<std::size_t>(views[i])] = static_cast<int>(i);
    for (const Edge& edge : scene.edges) {
      const int a = place[static_cast<std::size_t>(edge.view1)],
                b = place[static_cast<std::size_t>(edge.view2)];
      if (!edge.is_used || a < 0 || b < 0) continue;
      const bool is_confirmed = edge.is_confirmed();
      links_.push_back({static_cast<std::size_t>(a), static_cast<std::size_t>(b),
                        edge.cam2_from_cam1.R, is_confirmed ? 1 : kUnconfirmedWeight,
                        (is_confirmed ? 1 : kUnconfirmedStrength) * edge.probability *
                            static_cast<double>(edge.inliers.size())});
    }
    rotations_.assign(views.size(), Mat3{1, 0, 0, 0, 1, 0, 0, 0, 1});
  }

  [[nodiscard]] const std::vector<Mat3>& rotations() const { return rotations_; }

  // Sets rotations along the spanning tree of the most inliers.
  void start_from_tree() {
    std::vector<std::size_t> order(links_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return links_[a].strength > links_[b].strength;
    });
    DisjointSets sets(rotations_.size());
    std::vector<std::vector<std::size_t>> tree(rotations_.size());
    for (const std::size_t k : order)
      if (sets.join(links_[k].a, links_[k].b))
        tree[links_[k].a].push_back(k), tree[links_[k].b].push_back(k);
    std::vector<bool> is_set(rotations_.size());
    std::vector<std::size_t> stack = {0};
    is_set[0] = true;
    while (!stack.empty()) {
      const std::size_t i = stack.back();
      stack.pop_back();
      for (const std::size_t k : tree[i]) {
        const Link& link = links_[k];
        const std::size_t j = link.a == i ? link.b : link.a;
        if (is_set[j]) continue;
        rotations_[j] = times(link.a == i ? link.R : transposed(link.R), rotations_[i]);
        is_set[j] = true;
        stack.push_back(j);
      }
    }
  }

  void average() {
    iterate(kL1Steps, [](double angle) { return kL1Floor / std::max(angle, kL1Floor); });
    iterate(kRobustSteps, [](double angle) {
      const double share = kSigma * kSigma / (kSigma * kSigma + angle * angle);
      return share * share;
    });
  }

 private:
  struct Link {
    std::size_t a, b;
    Mat3 R;           // of view b from view a
    double weight;    // of its residual
    double strength;  // order in the spanning tree
  };

  // Rotation vector of R_b' R_ab R_a, in the world's frame.
  [[nodiscard]] Vec3 residual(const Link& link) const {
    return rotation_vector(
        times(transposed(rotations_[link.b]), times(link.R, rotations_[link.a])));
  }

  template <class Weight>
  void iterate(int steps, const Weight& weight) {
    std::vector<double> weights(links_.size());
    std::vector<Vec3> residuals(links_.size());
    std::vector<GraphLink> ends;
    for (const Link& link : links_) ends.push_back({link.a, link.b});
    for (int step = 0; step < steps; ++step) {
      check_cancelled();
      for (std::size_t k = 0; k < links_.size(); ++k) {
        residuals[k] = residual(links_[k]);
        weights[k] = links_[k].weight * weight(norm(residuals[k]));
      }
      const std::vector<Vec3> update =
          solve_laplacian(rotations_.size(), ends, residuals, weights, 1e-4);
      double total = 0;
      for (std::size_t i = 0; i < update.size(); ++i) {
        rotations_[i] =
            adjustment::orthonormal(times(rotations_[i], adjustment::rotation_of(update[i])));
        total += norm(update[i]);
      }
      if (total < kConverged * static_cast<double>(update.size())) break;
    }
  }

  std::vector<Link> links_;
  std::vector<Mat3> rotations_;
};

// Marks edges between the chosen views as unused if they contradict the rotations by more than
// several median errors. Returns their number.
std::int64_t remove_edges(Scene& scene, const std::vector<bool>& is_chosen, double max_error) {
  std::vector<std::pair<Edge*, double>> errors;
  for (Edge& edge : scene.edges) {
    if (!edge.is_used || !is_chosen[static_cast<std::size_t>(edge.view1)] ||
        !is_chosen[static_cast<std::size_t>(edge.view2)])
      continue;
    const Mat3 &R1 = scene.view(edge.view1).cam_from_world.R,
               &R2 = scene.view(edge.view2).cam_from_world.R;
    errors.emplace_back(
        &edge, norm(rotation_vector(times(transposed(R2), times(edge.cam2_from_cam1.R, R1)))));
  }
  if (errors.empty()) return 0;
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::ranges::nth_element(errors, middle, {}, &std::pair<Edge*, double>::second);
  const double limit = std::min(max_error, std::max(kLeastLimit, kMedians * middle->second));
  std::int64_t removed = 0;
  for (const auto& [edge, error] : errors)
    if (error > limit) edge->is_used = false, ++removed;
  return removed;
}

}  // namespace

std::vector<int> average_rotations(Scene& scene, std::vector<int> views,
                                   const MapOptions& options) {
  for (int round = 0; round < kRounds; ++round) {
    Averaging averaging(scene, views);
    averaging.start_from_tree();
    averaging.average();
    std::vector<bool> is_chosen(scene.views.size());
    for (std::size_t i = 0; i < views.size(); ++i) {
      scene.view(views[i]).cam_from_world.R = averaging.rotations()[i];
      is_chosen[static_cast<std::size_t>(views[i])] = true;
    }
    if (remove_edges(scene, is_chosen, options.max_rotation_error_deg * kRadPerDeg) == 0) break;
    views = components(scene, is_chosen).front();
  }
  return views;
}

}  // namespace bifocal::mapping
