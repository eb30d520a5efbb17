// SPDX-License-Identifier: BSD-3-Clause
// Action matrices of random five-point problems, the main application of real_eigenpairs.
#pragma once

#include <array>
#include <vector>

#include "lane/scalar.hpp"
#include "solvers/scenes.hpp"

namespace bifocal::test {

using Matrix10 = Eigen::Matrix<double, 10, 10, Eigen::RowMajor>;

template <class Real>
struct action_lanes {
#include "lane/cpp_begin.h"

#include "math/math.lanes"

#include "linalg/linalg.lanes"

#include "solvers/shared.lanes"

#include "solvers/essential_5pt_action.lane.h"

#include "lane/cpp_end.h"
};

struct ActionMatrix {
  Matrix10 A;
  std::array<double, 36> N;  // [4][9], null space; eigenvectors of A combine it into E
  Matrix3 truth;             // E, a solution given by an eigenvector of A
};

// Makes noise-free samples of five points; the same seed gives the same matrices.
inline std::vector<ActionMatrix> action_matrices(int n, std::uint64_t seed = 1) {
  using L = action_lanes<double>;
  std::vector<ActionMatrix> all(static_cast<std::size_t>(n));
  std::mt19937_64 random(seed);
  for (ActionMatrix& one : all) {
    EigenScene scene(random);
    std::array<double, 45> equations{};
    for (int i = 0; i < 5; ++i) {
      const PointPair p = scene.seen(scene.point());
      L::epipolar_equation(p.x1, p.y1, p.x2, p.y2, &equations[9 * static_cast<std::size_t>(i)]);
    }
    (void)L::null_space(equations.data(), 5, 9, one.N.data());
    L::essential_action_matrix(one.N.data(), one.A.data());
    one.truth = scene.essential();
  }
  return all;
}

}  // namespace bifocal::test
