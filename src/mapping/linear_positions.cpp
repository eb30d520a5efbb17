// SPDX-License-Identifier: BSD-3-Clause
// Centres of cameras by linear equations, from rotations, directions between views and scales.
//
// The distances of the features of a view from its centre relate the lengths of its baselines to
// each other. Every view has one unknown scale; a pair relates the scales of its views by its
// baseline, which both know. Then the baselines determine the centres. Both graphs are solved in
// the L1 norm by iteratively reweighted least squares.
//   Z. Cui, P. Tan, Global structure-from-motion by similarity averaging, ICCV 2015;
//   N. Jiang, Z. Cui, P. Tan, A global linear method for camera pose registration, ICCV 2013.
#include <algorithm>
#include <limits>

#include "mapping/laplacian.hpp"
#include "mapping/scene.hpp"
#include "math/median.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::mapping {
namespace {

constexpr double kLeastSine = 0.02;       // of the angle between rays that have a distance
constexpr std::size_t kFewestShared = 8;  // features that relate two baselines
constexpr int kDirectionRounds = 3, kStarRounds = 4, kL1Rounds = 8;
constexpr double kDirectionFloor = 1e-3;  // residuals below these have the same weight
constexpr double kScaleFloor = 0.01, kLengthFloor = 0.01;
constexpr double kWeakWeight = 0.01;  // of a baseline without a known length

// A used edge with a translation.
struct Baseline {
  const Edge* edge = nullptr;
  std::size_t a = 0, b = 0;       // places of its views
  Vec3 direction{};               // from the first centre to the second one
  double logs[2] = {kNaN, kNaN};  // of its length in the scales of both views
};

// Distance of a feature from the centre of a view, for a baseline of length 1.
struct Distance {
  std::uint32_t feature = 0;
  double log = 0;
};

class LinearPositions {
 public:
  LinearPositions(const Scene& scene, const std::vector<int>& views)
      : scene_(scene), views_(views), baselines_of_(views.size()) {
    std::vector<int> place(scene.views.size(), -1);
    for (std::size_t i = 0; i < views.size(); ++i)
      place[static_cast<std::size_t>(views[i])] = static_cast<int>(i);
    for (const Edge& edge : scene.edges) {
      const int a = place[static_cast<std::size_t>(edge.view1)],
                b = place[static_cast<std::size_t>(edge.view2)];
      if (!edge.is_used || a < 0 || b < 0 || norm(edge.cam2_from_cam1.t) == 0) continue;
      baselines_of_[static_cast<std::size_t>(a)].push_back(baselines_.size());
      baselines_of_[static_cast<std::size_t>(b)].push_back(baselines_.size());
      baselines_.push_back({&edge, static_cast<std::size_t>(a), static_cast<std::size_t>(b), {}});
    }
    runtime::parallel_each(baselines_.size(), [&](std::size_t k) { set_direction(baselines_[k]); });
    runtime::parallel_each(views.size(), [&](std::size_t i) { relate_baselines(i); });
  }

  [[nodiscard]] std::vector<Vec3> centres() const {
    const std::vector<double> lengths = lengths_of_baselines();
    std::vector<GraphLink> links;
    std::vector<Vec3> differences;
    std::vector<double> weights;
    for (std::size_t k = 0; k < baselines_.size(); ++k) {
      const Baseline& baseline = baselines_[k];
      const bool is_known = std::isfinite(lengths[k]);
      const double length = is_known ? lengths[k] : 1;
      links.push_back({baseline.a, baseline.b});
      differences.push_back(scaled(baseline.direction, length));
      weights.push_back((is_known ? 1 : kWeakWeight) / (length * length));
    }
    return averaged(links, differences, weights, [&](std::size_t k, double r) {
      const double floor = kLengthFloor * norm(differences[k]);
      return floor / std::max(floor, r);
    });
  }

 private:
  // Rays of a match in the world's frame.
  template <class Body>
  void each_ray_pair(const Edge& edge, const Body& body) const {
    const MapPair& pair = scene_.graph->pairs[static_cast<std::size_t>(edge.pair)];
    const View &view1 = scene_.view(edge.view1), &view2 = scene_.view(edge.view2);
    for (const std::int32_t k : edge.inliers) {
      const colmap::IndexPair& match = pair.inliers[static_cast<std::size_t>(k)];
      const Vec3 a = transposed_times(view1.cam_from_world.R, view1.rays[match.index1]),
                 b = transposed_times(view2.cam_from_world.R, view2.rays[match.index2]);
      if (std::isfinite(a[0] + b[0])) body(match, a, b);
    }
  }

  // The direction nearest to the planes of all matches, for the rotations of the views.
  void set_direction(Baseline& baseline) const {
    const Edge& edge = *baseline.edge;
    const Vec3 start = unit(scaled(
        transposed_times(scene_.view(edge.view2).cam_from_world.R, edge.cam2_from_cam1.t), -1));
    baseline.direction = start;
    for (int round = 0; round < kDirectionRounds; ++round) {
      Symmetric3 M{};
      each_ray_pair(edge, [&](const colmap::IndexPair&, const Vec3& a, const Vec3& b) {
        const Vec3 normal = cross(a, b);
        const double residual = std::abs(dot(normal, baseline.direction));
        add_to(M, isotropic_plus_outer(0, kDirectionFloor / std::max(kDirectionFloor, residual),
                                       normal));
      });
      const double damping = 1e-9 * (M[0] + M[3] + M[5]);
      for (const std::size_t i : {0U, 3U, 5U}) M[i] += damping;
      const Symmetric3 inverted = inverse(M);
      Vec3 next = baseline.direction;
      for (int step = 0; step < 4; ++step) next = unit(times(inverted, next));
      if (!std::isfinite(next[0] + next[1] + next[2])) return;
      baseline.direction = dot(next, start) < 0 ? scaled(next, -1) : next;
    }
  }

  [[nodiscard]] std::vector<Distance> distances(const Baseline& baseline, bool is_first) const {
    std::vector<Distance> out;
    each_ray_pair(
        *baseline.edge, [&](const colmap::IndexPair& match, const Vec3& a, const Vec3& b) {
          const Vec3 normal = cross(a, b);
          const double sine2 = dot(normal, normal);
          if (sine2 < kLeastSine * kLeastSine) return;
          const double first = dot(cross(baseline.direction, b), normal) / sine2,
                       second = dot(cross(baseline.direction, a), normal) / sine2;
          if (first > 0 && second > 0)
            out.push_back(
                {is_first ? match.index1 : match.index2, std::log(is_first ? first : second)});
        });
    return out;
  }

  // Sets the logarithms of the lengths of a view's baselines, relative to each other.
  void relate_baselines(std::size_t view) {
    const std::vector<std::size_t>& own = baselines_of_[view];
    std::vector<std::vector<Distance>> lists;
    for (const std::size_t k : own)
      lists.push_back(distances(baselines_[k], baselines_[k].a == view));
    std::vector<std::size_t> order(own.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(
        order, [&](std::size_t x, std::size_t y) { return lists[x].size() > lists[y].size(); });
    std::vector<double> depths(scene_.features(views_[view]).size(), kNaN), logs(own.size(), kNaN);
    if (!order.empty() && lists[order[0]].size() >= kFewestShared) logs[order[0]] = 0;
    for (int round = 0; round < kStarRounds; ++round) {
      for (const std::size_t i : order) {
        if (round > 0 || i != order[0]) logs[i] = length_of(lists[i], depths);
        if (round == 0 && std::isfinite(logs[i]))
          for (const Distance& d : lists[i])
            if (double& depth = depths[d.feature]; !std::isfinite(depth)) depth = logs[i] + d.log;
      }
      set_depths(lists, logs, depths);
    }
    for (std::size_t i = 0; i < own.size(); ++i)
      baselines_[own[i]].logs[baselines_[own[i]].a == view ? 0 : 1] = logs[i];
  }

  static double length_of(const std::vector<Distance>& list, const std::vector<double>& depths) {
    std::vector<double> ratios;
    for (const Distance& d : list)
      if (std::isfinite(depths[d.feature])) ratios.push_back(depths[d.feature] - d.log);
    return ratios.size() < kFewestShared ? kNaN : upper_median(ratios);
  }

  // Sets the depths of features to their means over the baselines.
  static void set_depths(const std::vector<std::vector<Distance>>& lists,
                         const std::vector<double>& logs, std::vector<double>& depths) {
    std::vector<double> sums(depths.size()), counts(depths.size());
    for (std::size_t i = 0; i < lists.size(); ++i) {
      if (!std::isfinite(logs[i])) continue;
      for (const Distance& d : lists[i]) sums[d.feature] += logs[i] + d.log, ++counts[d.feature];
    }
    for (std::size_t f = 0; f < depths.size(); ++f)
      depths[f] = counts[f] > 0 ? sums[f] / counts[f] : kNaN;
  }

  // NaN: unknown.
  [[nodiscard]] std::vector<double> lengths_of_baselines() const {
    std::vector<GraphLink> links;
    std::vector<Vec3> differences;
    for (const Baseline& baseline : baselines_) {
      const double d = baseline.logs[0] - baseline.logs[1];
      if (!std::isfinite(d)) continue;
      links.push_back({baseline.a, baseline.b});
      differences.push_back({d, 0, 0});
    }
    const std::vector<Vec3> scales =
        averaged(links, differences, std::vector<double>(links.size(), 1),
                 [](std::size_t, double r) { return kScaleFloor / std::max(kScaleFloor, r); });
    std::vector<double> lengths;
    for (const Baseline& baseline : baselines_)
      lengths.push_back(std::exp(0.5 * (scales[baseline.a][0] + baseline.logs[0] +
                                        scales[baseline.b][0] + baseline.logs[1])));
    return lengths;
  }

  // Values of the nodes by reweighted least squares; factor(link, residual) of its weight.
  template <class Factor>
  [[nodiscard]] std::vector<Vec3> averaged(const std::vector<GraphLink>& links,
                                           const std::vector<Vec3>& differences,
                                           const std::vector<double>& weights,
                                           const Factor& factor) const {
    std::vector<Vec3> x(views_.size()), residuals = differences;
    std::vector<double> robust = weights;
    for (int round = 0; round < kL1Rounds; ++round) {
      check_cancelled();
      const std::vector<Vec3> step =
          solve_laplacian(x.size(), links, residuals, robust, round == 0 ? 1e-6 : 1e-3);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = sum(x[i], step[i]);
      for (std::size_t k = 0; k < links.size(); ++k) {
        residuals[k] = difference(differences[k], difference(x[links[k].b], x[links[k].a]));
        robust[k] = weights[k] * factor(k, norm(residuals[k]));
      }
    }
    return x;
  }

  const Scene& scene_;
  const std::vector<int>& views_;
  std::vector<Baseline> baselines_;
  std::vector<std::vector<std::size_t>> baselines_of_;  // of each view
};

}  // namespace

std::vector<Vec3> linear_centres(const Scene& scene, const std::vector<int>& views) {
  return LinearPositions(scene, views).centres();
}

}  // namespace bifocal::mapping
