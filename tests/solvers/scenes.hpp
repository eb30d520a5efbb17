// SPDX-License-Identifier: BSD-3-Clause
// Synthetic scenes (synthetic/samples.hpp) in Eigen's types.
#pragma once

#include <Eigen/Dense>

#include "synthetic/samples.hpp"

namespace bifocal::test {

using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using synthetic::SceneKind;

inline Matrix3 matrix_of(const Mat3& M) { return Eigen::Map<const Matrix3>(M.data()); }
inline Eigen::Vector3d vector_of(const Vec3& v) {
  return Eigen::Map<const Eigen::Vector3d>(v.data());
}

class EigenScene {
 public:
  explicit EigenScene(std::mt19937_64& random, SceneKind kind = SceneKind::general)
      : scene_(kind, random),
        R(matrix_of(scene_.cam2_from_cam1().R)),
        t(vector_of(scene_.cam2_from_cam1().t)) {}
  Eigen::Vector3d point() { return vector_of(scene_.point()); }
  [[nodiscard]] PointPair seen(const Eigen::Vector3d& X) const {
    return scene_.seen({X.x(), X.y(), X.z()});
  }
  [[nodiscard]] Matrix3 essential() const { return matrix_of(scene_.essential()); }
  [[nodiscard]] Matrix3 homography() const { return matrix_of(scene_.homography()); }

 private:
  synthetic::Scene scene_;

 public:
  const Matrix3 R;
  const Eigen::Vector3d t;
};

// Distance of two matrices regardless of scale and sign: Frobenius norm of the difference of the
// unit matrices.
inline double projective_distance(const Matrix3& A, const Matrix3& B) {
  const Matrix3 a = A.normalized(), b = B.normalized();
  return std::min((a - b).norm(), (a + b).norm());
}

}  // namespace bifocal::test
