// SPDX-License-Identifier: BSD-3-Clause
// eigen: the relative pose of two cameras from matches in an Eigen matrix.
#include <bifocal/robust.hpp>
#include <Eigen/Dense>

#include <array>
#include <cmath>
#include <cstdio>
#include <span>

using Rows = Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor>;  // x1 y1 x2 y2, px
using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

bool relative_pose(const Rows& matches, const bifocal::Intrinsics& K, Eigen::Matrix3d& R,
                   Eigen::Vector3d& t) {
  static_assert(sizeof(bifocal::PointPair) == 4 * sizeof(double));
  const std::span points(reinterpret_cast<const bifocal::PointPair*>(matches.data()),
                         std::size_t(matches.rows()));
  const std::array cameras = {K, K};
  const bifocal::RelativePoseResult found = bifocal::estimate_relative_pose(
      bifocal::ModelKind::essential, points, {.cameras = cameras, .options = {.threshold = 2.5}});
  if (!found.ok()) return false;
  R = Eigen::Map<const Matrix3>(found.pose.R.data());
  t = Eigen::Map<const Eigen::Vector3d>(found.pose.t.data());
  return true;  // X2 = R X1 + t, |t| = 1
}

int main() {
  // Points in front of both cameras; camera 2 is rotated by 0.1 about y and moved along x.
  const Eigen::Matrix3d K = (Eigen::Matrix3d() << 800, 0, 320, 0, 800, 240, 0, 0, 1).finished();
  const Eigen::Matrix3d truth = Eigen::AngleAxisd(0.1, Eigen::Vector3d::UnitY()).toRotationMatrix();
  const Eigen::Vector3d moved(-1, 0, 0);
  Rows matches(100, 4);
  for (int i = 0; i < matches.rows(); ++i) {
    const Eigen::Vector3d X(std::cos(1.7 * i), std::sin(2.3 * i), 4 + std::cos(0.9 * i));
    matches.row(i) << (K * X).hnormalized().transpose(),
        (K * (truth * X + moved)).hnormalized().transpose();
  }
  Eigen::Matrix3d R;
  Eigen::Vector3d t;
  if (!relative_pose(matches, {800, 800, 320, 240}, R, t)) return 1;
  std::printf("error of the rotation %.1e, of the direction %.1e\n", (R - truth).norm(),
              (t - moved).norm());
  return (R - truth).norm() < 1e-6 && (t - moved).norm() < 1e-6 ? 0 : 1;
}
