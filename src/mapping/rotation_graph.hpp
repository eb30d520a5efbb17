// SPDX-License-Identifier: BSD-3-Clause
// Rotations of views by the relative rotations of pairs: a start along a spanning tree, then
// weighted least squares. Every step solves a weighted graph Laplacian.
//   A. Chatterjee, V. M. Govindu, Efficient and robust large-scale rotation averaging, ICCV 2013.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "adjust/rotation.hpp"
#include "mapping/algebra.hpp"
#include "mapping/laplacian.hpp"
#include "runtime/cancel.hpp"
#include "runtime/disjoint_sets.hpp"

namespace bifocal::mapping {

struct RotationLink {
  std::size_t a = 0, b = 0;
  Mat3 R{};             // of view b from view a
  double weight = 1;    // of its residual
  double strength = 0;  // order in the spanning tree
};

// Rotation vector of R2' R21 R1, in the world's frame.
[[nodiscard]] inline Vec3 rotation_residual(const Mat3& R1, const Mat3& R21, const Mat3& R2) {
  return rotation_vector(times(transposed(R2), times(R21, R1)));
}

class RotationGraph {
 public:
  RotationGraph(std::size_t views, std::vector<RotationLink> links)
      : links_(std::move(links)), rotations_(views, Mat3{1, 0, 0, 0, 1, 0, 0, 0, 1}) {
    for (const RotationLink& link : links_) ends_.push_back({link.a, link.b});
  }

  [[nodiscard]] const std::vector<Mat3>& rotations() const { return rotations_; }

  // Sets rotations along the spanning tree of the strongest links.
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
        const RotationLink& link = links_[k];
        const std::size_t j = link.a == i ? link.b : link.a;
        if (is_set[j]) continue;
        rotations_[j] = times(link.a == i ? link.R : transposed(link.R), rotations_[i]);
        is_set[j] = true;
        stack.push_back(j);
      }
    }
  }

  // Makes one step of least squares; `weight` is a function of the angle of a residual. Returns the
  // mean change of a rotation, rad.
  template <class Weight>
  double step(const Weight& weight) {
    check_cancelled();
    std::vector<double> weights(links_.size());
    std::vector<Vec3> residuals(links_.size());
    for (std::size_t k = 0; k < links_.size(); ++k) {
      const RotationLink& link = links_[k];
      residuals[k] = rotation_residual(rotations_[link.a], link.R, rotations_[link.b]);
      weights[k] = link.weight * weight(norm(residuals[k]));
    }
    const std::vector<Vec3> update =
        solve_laplacian(rotations_.size(), ends_, residuals, weights, 1e-4);
    double total = 0;
    for (std::size_t i = 0; i < update.size(); ++i) {
      rotations_[i] =
          adjustment::orthonormal(times(rotations_[i], adjustment::rotation_of(update[i])));
      total += norm(update[i]);
    }
    return total / static_cast<double>(update.size());
  }

 private:
  std::vector<RotationLink> links_;
  std::vector<GraphLink> ends_;
  std::vector<Mat3> rotations_;
};

// Weight of a residual under the loss of Geman and McClure.
[[nodiscard]] inline double geman_mcclure(double angle, double sigma) {
  const double share = sigma * sigma / (sigma * sigma + angle * angle);
  return share * share;
}

// rotation_averaging.cpp: averages from the start that the graph has, robustly.
void average(RotationGraph& graph);

}  // namespace bifocal::mapping
