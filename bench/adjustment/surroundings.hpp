// SPDX-License-Identifier: BSD-3-Clause
// Geometry of a synthetic scene: where cameras stand, and which surfaces they see.
#pragma once

#include <bifocal/adjust.hpp>

#include <array>
#include <cstddef>
#include <vector>

#include "adjustment/dice.hpp"
#include "adjustment/shapes.hpp"

namespace bifocal::bench {

// Images have kWidth x kHeight px; the principal point is (0, 0), the centre of the image.
inline constexpr double kWidth = 1600, kHeight = 1200;

struct SurfacePoint {
  Vec3 position = {}, normal = {};
  int ring = 0;    // of the cameras that may see it
  double key = 0;  // its place in the ring
};

// Cameras in the order of their place along a street (m) or around an object (rad).
struct Ring {
  double period = 0;  // places repeat
  double reach = 0;   // cameras further from a point do not see it
  // Of three rounds, so that a range of places is one range of indices.
  std::vector<double> keys = {};
  std::vector<int> cameras = {};

  struct Range {
    std::size_t first, count;
  };
  [[nodiscard]] Range around(double key) const;
};

class Surroundings {
 public:
  Surroundings(const AdjustShape& shape, Dice& dice);

  // Poses and intrinsics (COLMAP's RADIAL), one camera an image.
  [[nodiscard]] const std::vector<AdjustImage>& images() const { return images_; }
  [[nodiscard]] const std::vector<AdjustCamera>& cameras() const { return cameras_; }
  [[nodiscard]] const Ring& ring(int index) const {
    return rings_[static_cast<std::size_t>(index)];
  }
  // Standard deviation of an initial error of a position, world units.
  [[nodiscard]] double position_error() const { return is_street_ ? 0.05 : 0.1; }

  // A random point of a surface near a camera; the camera need not see it.
  [[nodiscard]] SurfacePoint point_near(int camera, Dice& dice) const;
  // Projects the point, px. False: not in the image, or the surface faces away.
  [[nodiscard]] bool sees(int camera, const SurfacePoint& point, double* xy) const;
  // Cosine of the angle between the rays to a point.
  [[nodiscard]] double cosine(int camera1, int camera2, const Vec3& point) const;

 private:
  struct Landmark {
    int ring = -1;
    double key = 0;
  };
  void add_street(int count, Dice& dice);
  void add_landmarks(const AdjustShape& shape, Dice& dice);
  void add_camera(const Vec3& centre, const Vec3& target, Dice& dice);
  void fill_rings();
  [[nodiscard]] SurfacePoint street_point(int camera, Dice& dice) const;
  [[nodiscard]] SurfacePoint landmark_point(int camera, Dice& dice) const;

  bool is_street_;
  double radius_ = 0;                             // of the street, m
  std::vector<Vec3> landmarks_;                   // centres
  std::vector<Vec3> centres_;                     // of the cameras
  std::vector<std::array<Landmark, 2>> members_;  // rings of each camera
  std::vector<AdjustImage> images_;
  std::vector<AdjustCamera> cameras_;
  std::vector<Ring> rings_;
};

}  // namespace bifocal::bench
