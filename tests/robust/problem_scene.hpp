// SPDX-License-Identifier: BSD-3-Clause
// Scenes of every problem, and comparison of matrices.
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>

#include "synthetic/problem_scenes.hpp"

namespace bifocal::robust {

using synthetic::estimate_scene;
using synthetic::make_problem_scene;
using synthetic::ProblemScene;
using synthetic::with_points;

using RowMajor3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
inline RowMajor3 matrix_of(const Mat3& m) { return Eigen::Map<const RowMajor3>(m.data()); }

// Largest difference of an element, up to sign, because a two-view matrix has no sign.
inline double matrix_distance(const Mat3& a, const Mat3& b) {
  return std::min((matrix_of(a) - matrix_of(b)).cwiseAbs().maxCoeff(),
                  (matrix_of(a) + matrix_of(b)).cwiseAbs().maxCoeff());
}

}  // namespace bifocal::robust
