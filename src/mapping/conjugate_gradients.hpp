// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/geometry.hpp>

#include <vector>

#include "mapping/algebra.hpp"

namespace bifocal::mapping {

inline double dot(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) total += bifocal::dot(a[i], b[i]);
  return total;
}

// Solves A x = b by preconditioned conjugate gradients from x = 0, A symmetric and positive
// semidefinite. `multiply` and `precondition` map a vector to a vector. Ends when the
// preconditioned residual has fallen by `tolerance`. Sums run in a fixed order.
template <class Multiply, class Precondition>
std::vector<Vec3> conjugate_gradients(const Multiply& multiply, const Precondition& precondition,
                                      const std::vector<Vec3>& b, int max_iterations,
                                      double tolerance) {
  std::vector<Vec3> x(b.size()), r = b, z = precondition(r), p = z;
  double rz = dot(r, z);
  const double goal = tolerance * tolerance * rz;
  for (int i = 0; i < max_iterations && rz > goal && rz > 0; ++i) {
    const std::vector<Vec3> Ap = multiply(p);
    const double curvature = dot(p, Ap);
    if (!(curvature > 0)) break;
    const double alpha = rz / curvature;
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] = sum(x[k], scaled(p[k], alpha));
      r[k] = difference(r[k], scaled(Ap[k], alpha));
    }
    z = precondition(r);
    const double next = dot(r, z);
    for (std::size_t k = 0; k < p.size(); ++k) p[k] = sum(z[k], scaled(p[k], next / rz));
    rz = next;
  }
  return x;
}

}  // namespace bifocal::mapping
