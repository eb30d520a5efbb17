// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <bifocal/colmap/database.hpp>

namespace bifocal::colmap {

// Returns a camera without distortion whose principal point is the image centre. Without a focal
// length it has COLMAP's default.
[[nodiscard]] ModelCamera camera_without_lens(std::string_view model, std::int64_t width,
                                              std::int64_t height,
                                              std::optional<double> focal_length);

// Transforms F and H to pixel coordinates that are larger by `by`.
void shift_pixels(TwoViewGeometry& geometry, double by);

// The rotation of a pair with a pose, image1 < image2.
struct VerifiedRotation {
  Id image1 = 0, image2 = 0;
  std::int64_t inliers = 0;
  Mat3 R{};
};
// The range begin <= pair_id < end.
struct PairIds {
  std::int64_t begin = 0, end = 0;
};
// Returns a range with all valid pair_id of the geometries.
[[nodiscard]] PairIds all_pair_ids(const Database& database);
// Returns the rotations of the verified pairs of a range, in order. Skips damaged rows, pairs
// without inliers and uncalibrated pairs.
[[nodiscard]] std::vector<VerifiedRotation> verified_rotations(const Database& database,
                                                               const PairIds& ids);

// The fundamental matrix of a pair, image1 < image2, px.
struct VerifiedMatrix {
  Id image1 = 0, image2 = 0;
  std::int64_t inliers = 0;
  Configuration configuration = Configuration::undefined;
  Mat3 F{};
};
// Returns the fundamental matrices of a range, in order. Throws Error(input) for a damaged row.
[[nodiscard]] std::vector<VerifiedMatrix> verified_matrices(const Database& database,
                                                            const PairIds& ids);

// Returns the quaternion w x y z with |q| = 1, w >= 0.
[[nodiscard]] std::array<double, 4> quaternion_of(const Mat3& R);
// Returns the rotation of a quaternion of any length above 0.
[[nodiscard]] Mat3 rotation_of(const std::array<double, 4>& q);

// Return values after a round trip through a database, which rounds them.
[[nodiscard]] Keypoint as_stored(Keypoint keypoint);
[[nodiscard]] TwoViewGeometry as_stored(TwoViewGeometry geometry);

}  // namespace bifocal::colmap
