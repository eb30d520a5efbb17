// SPDX-License-Identifier: BSD-3-Clause
// Errors of an estimate relative to the truth.
#pragma once

#include <bifocal/geometry.hpp>
#include <vector>

namespace bifocal::synthetic {

// Angles in degrees.
[[nodiscard]] double rotation_error_deg(const Mat3& R, const Mat3& truth);
[[nodiscard]] double direction_error_deg(const Vec3& t, const Vec3& truth);
// Distance of the cameras' centres, in world units.
[[nodiscard]] double position_error(const Pose& pose, const Pose& truth);
// Mean Sampson distance, or mean distance of H x1 from x2, of noise-free pairs, px.
[[nodiscard]] double mean_sampson_px(const Mat3& F, const std::vector<PointPair>& pairs);
[[nodiscard]] double mean_transfer_px(const Mat3& H, const std::vector<PointPair>& pairs);
// Area under the recall curve of errors below `limit`, per cent.
[[nodiscard]] double area_under_recall(std::vector<double> errors, double limit);

}  // namespace bifocal::synthetic
