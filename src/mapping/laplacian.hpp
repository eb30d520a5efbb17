// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "mapping/conjugate_gradients.hpp"

namespace bifocal::mapping {

// A measured difference of the values of two nodes of a graph.
struct GraphLink {
  std::size_t a = 0, b = 0;
};

// Returns values x of the nodes with the least sum of weight |x_b - x_a - difference|^2 over the
// links, the smallest such x if several exist.
[[nodiscard]] inline std::vector<Vec3> solve_laplacian(std::size_t nodes,
                                                       const std::vector<GraphLink>& links,
                                                       const std::vector<Vec3>& differences,
                                                       const std::vector<double>& weights,
                                                       double tolerance) {
  std::vector<Vec3> right(nodes);
  std::vector<double> diagonal(nodes, 1e-9);
  const auto spread = [&](std::vector<Vec3>& y, std::size_t k, const Vec3& flow) {
    y[links[k].b] = sum(y[links[k].b], flow);
    y[links[k].a] = difference(y[links[k].a], flow);
  };
  for (std::size_t k = 0; k < links.size(); ++k) {
    spread(right, k, scaled(differences[k], weights[k]));
    diagonal[links[k].a] += weights[k], diagonal[links[k].b] += weights[k];
  }
  const auto multiply = [&](const std::vector<Vec3>& x) {
    std::vector<Vec3> y(nodes);
    for (std::size_t k = 0; k < links.size(); ++k)
      spread(y, k, scaled(difference(x[links[k].b], x[links[k].a]), weights[k]));
    return y;
  };
  const auto precondition = [&](const std::vector<Vec3>& x) {
    std::vector<Vec3> y(nodes);
    for (std::size_t i = 0; i < nodes; ++i) y[i] = scaled(x[i], 1 / diagonal[i]);
    return y;
  };
  return conjugate_gradients(multiply, precondition, right, 2 * static_cast<int>(nodes) + 20,
                             tolerance);
}

}  // namespace bifocal::mapping
