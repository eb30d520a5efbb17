// SPDX-License-Identifier: BSD-3-Clause
// Directions in which a scene is drawn: from above and from its sides, by its cameras.
#pragma once

#include <bifocal/colmap/model.hpp>
#include <bifocal/geometry.hpp>

#include <string>
#include <vector>

namespace bifocal::jobs {

inline constexpr std::size_t kMostModelPoints = 6000;  // drawn of the first model

[[nodiscard]] inline Vec3 row(const Mat3& R, std::size_t i) {
  return {R[3 * i], R[3 * i + 1], R[3 * i + 2]};
}
[[nodiscard]] inline Vec3 plus(const Vec3& a, const Vec3& b, double scale) {
  return {a[0] + scale * b[0], a[1] + scale * b[1], a[2] + scale * b[2]};
}

struct CameraView {
  Vec3 centre, right, ahead;
};
[[nodiscard]] std::vector<CameraView> cameras_of(const colmap::Model& model);

// Axes of the pictures of a model with a georeference: east, north and up. Otherwise `across` is
// the direction normal to `up` in which the cameras and points extend most, and `away` points
// upward in the picture from above. The cameras look more along `away` than against it.
struct Axes {
  Vec3 up, across, away;
  bool looks_down = false;   // `up` is opposite to the mean viewing direction of the cameras
  bool has_cameras = false;  // otherwise `up` is -y
  bool is_north = false;     // `away` is north, `up` the vertical, by the georeference

  // The origin of `up` as a sentence.
  [[nodiscard]] std::string text() const;
};
// places: of points. The model may have no images.
[[nodiscard]] Axes axes_of(const colmap::Model& model, std::vector<Vec3> places);

// The interval of a coordinate that has 96 % of the points, and all cameras.
struct Extent {
  double low = 0, high = 1;

  Extent() = default;
  Extent(std::vector<double> points, const std::vector<double>& cameras);
  [[nodiscard]] double size() const { return high - low; }
  [[nodiscard]] bool has(double x) const { return x >= low && x <= high; }
};

// Returns at most `most` points, chosen evenly.
[[nodiscard]] std::vector<const colmap::ModelPoint*> drawn_points(const colmap::Model& model,
                                                                  std::size_t most);
// Returns the largest of ..., 0.5, 1, 2, 5, 10, ... that is at most x > 0.
[[nodiscard]] double round_number(double x);
[[nodiscard]] std::vector<double> along(const Vec3& axis, const std::vector<Vec3>& places);

}  // namespace bifocal::jobs
