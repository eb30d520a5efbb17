// SPDX-License-Identifier: BSD-3-Clause
#include "pair/dense_cameras.hpp"

#include <bifocal/two_view.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/median.hpp"

namespace bifocal::pair {
namespace {

using PhotographView = ImageView<const std::uint8_t>;

Vec3 ray(const Intrinsics& k, double x, double y) {
  const Vec3 r = {(x - k.cx) / k.fx, (y - k.cy) / k.fy, 1};
  const double n = std::hypot(r[0], r[1], r[2]);
  return {r[0] / n, r[1] / n, r[2] / n};
}

double median_parallax_deg(const DenseCameras& c) {
  std::vector<double> angles;
  for (const PointPair& m : c.matches) {
    const Vec3 a = ray(c.camera1, m.x1, m.y1), b = ray(c.camera2, m.x2, m.y2);
    double cosine = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) cosine += b[i] * c.pose.R[3 * i + j] * a[j];
    angles.push_back(std::acos(std::clamp(cosine, -1.0, 1.0)));
  }
  if (angles.empty()) return 0;
  return upper_median(angles) * 180 / std::numbers::pi;
}

}  // namespace

DenseCameras dense_cameras(const PinholePair& pair, const PairOptions& options,
                           const PairResult& result) {
  DenseCameras out;
  out.matches = pair.inliers;
  if (result.kind == ModelKind::essential) {
    out.camera1 = *options.camera1;
    out.camera2 = *options.camera2;
    if (result.undistorted)
      out.camera1 = out.camera2 = camera_of(pair.image1, pair.scale * options.camera1->fx);
    out.pose = *result.cam2_from_cam1;
    out.median_parallax_deg = result.median_parallax_deg;
    return out;
  }
  if (result.estimated_camera.focal_length > 0) {
    out.camera1 = out.camera2 =
        camera_of(pair.image1, pair.scale * result.estimated_camera.focal_length);
    out.pose = *result.cam2_from_cam1;
    out.source = CameraSource::estimated;
    out.focal_deviation = pair.scale * result.estimated_camera.focal_deviation;
  } else {
    const bool is_given = options.camera1 && options.camera2;
    out.camera1 = options.camera1.value_or(pair.usual1);
    out.camera2 = options.camera2.value_or(pair.usual2);
    const Mat3 E = essential_from_fundamental(pair.F, out.camera1, out.camera2);
    out.pose = recover_pose(E, out.matches, out.camera1, out.camera2).cam2_from_cam1;
    out.source = is_given ? CameraSource::given : CameraSource::assumed;
    out.F = pair.F;
  }
  out.median_parallax_deg = median_parallax_deg(out);
  return out;
}

}  // namespace bifocal::pair
