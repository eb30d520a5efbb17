// SPDX-License-Identifier: BSD-3-Clause
// Random two-view scenes with their truth, for the tests of the solvers.
#pragma once

#include <Eigen/Dense>
#include <random>

namespace bifocal::test {

using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

// Camera 2 is rotated by at most 30 degrees and about one unit away; points are 4 to 12 units deep
// within 27 degrees of the axis of camera 1, and in front of camera 2. Coordinates are normalised:
// x = X / Z.
class TwoViewScene {
 public:
  explicit TwoViewScene(std::mt19937_64& random) : random_(random) {
    const double angle = uniform(0, 30 * EIGEN_PI / 180);
    R = Eigen::AngleAxisd(angle, direction()).toRotationMatrix();
    t = direction() * uniform(0.5, 1.5);
  }

  Eigen::Vector3d scene_point() {
    for (;;) {
      const double z = uniform(4, 12);
      const Eigen::Vector3d X(uniform(-0.5, 0.5) * z, uniform(-0.5, 0.5) * z, z);
      if ((R * X + t).z() > 1) return X;
    }
  }
  // The point of the plane n.X = 1 along the ray of a random pixel.
  Eigen::Vector3d plane_point(const Eigen::Vector3d& n) {
    for (;;) {
      const Eigen::Vector3d ray(uniform(-0.5, 0.5), uniform(-0.5, 0.5), 1);
      const Eigen::Vector3d X = ray / n.dot(ray);
      if (X.z() > 1 && (R * X + t).z() > 1) return X;
    }
  }
  Eigen::Vector3d plane() {  // through a point 4 to 12 units deep, seen at less than 60 degrees
    for (;;) {
      const Eigen::Vector3d n = direction();
      const double depth = uniform(4, 12);
      if (n.z() > 0.5) return n / (n.z() * depth);
    }
  }
  Eigen::Vector3d direction() {
    std::normal_distribution<double> normal;
    Eigen::Vector3d d(normal(random_), normal(random_), normal(random_));
    return d.normalized();
  }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  [[nodiscard]] Matrix3 essential() const {
    Matrix3 cross;
    cross << 0, -t.z(), t.y(), t.z(), 0, -t.x(), -t.y(), t.x(), 0;
    return (cross * R).normalized();
  }
  [[nodiscard]] Matrix3 homography(const Eigen::Vector3d& n) const {
    return (R + t * n.transpose()).normalized();
  }

  Matrix3 R;
  Eigen::Vector3d t;

 private:
  std::mt19937_64& random_;
};

// How far apart two matrices are, whatever their scale and sign: Frobenius norm of the difference
// of the unit matrices.
inline double projective_distance(const Matrix3& A, const Matrix3& B) {
  const Matrix3 a = A.normalized(), b = B.normalized();
  return std::min((a - b).norm(), (a + b).norm());
}

}  // namespace bifocal::test
