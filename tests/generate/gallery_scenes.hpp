// SPDX-License-Identifier: BSD-3-Clause
// Random scenes with their truth, and the data of each emitted solver made of them.
#pragma once

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/QR>
#include <random>
#include <vector>

namespace bifocal::test {

// What one call takes, and the unknowns of its true solution.
struct GallerySample {
  std::vector<double> data, truth;
};

// Two cameras and points that both see: camera 2 is turned by at most 30 degrees and 0.5 to 1.5
// units away, points are 4 to 12 units deep and within 27 degrees of the axis of camera 1.
struct GalleryScene {
  explicit GalleryScene(std::mt19937_64& random, bool upright = false);
  Eigen::Vector3d point();
  double uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(*random);
  }
  // The image point of a camera of focal length f and distortion k in the division model:
  // (u, v, 1 + k (u^2 + v^2)) ~ (f X, f Y, Z).
  static Eigen::Vector2d seen(const Eigen::Vector3d& X, double f, double k);
  [[nodiscard]] Eigen::Vector3d in_camera2(const Eigen::Vector3d& X) const { return R * X + t; }
  [[nodiscard]] Eigen::Matrix3d essential() const;

  std::mt19937_64* random;
  double angle;
  Eigen::Vector3d axis;
  Eigen::Matrix3d R;
  Eigen::Vector3d t;
};

GallerySample five_point_sample(std::mt19937_64& random);
GallerySample six_point_one_sided_focal_sample(std::mt19937_64& random);
GallerySample six_point_shared_focal_sample(std::mt19937_64& random);
GallerySample six_point_one_sided_radial_sample(std::mt19937_64& random);
GallerySample eight_point_one_sided_radial_sample(std::mt19937_64& random);
GallerySample nine_point_shared_radial_sample(std::mt19937_64& random);
GallerySample three_point_upright_sample(std::mt19937_64& random);
GallerySample four_point_known_angle_sample(std::mt19937_64& random);
GallerySample four_point_focal_p35_sample(std::mt19937_64& random);
GallerySample four_point_focal_radial_sample(std::mt19937_64& random);
GallerySample homography_shared_radial_sample(std::mt19937_64& random);
GallerySample three_point_monodepth_sample(std::mt19937_64& random);

}  // namespace bifocal::test
