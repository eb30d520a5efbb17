// SPDX-License-Identifier: BSD-3-Clause
#include "synthetic/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace bifocal::synthetic {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

}  // namespace

double rotation_error_deg(const Mat3& R, const Mat3& truth) {
  // R - truth| = 2 sqrt(2) sin(angle / 2): precise for small angles.
  double sum = 0;
  for (size_t i = 0; i < 9; ++i) sum += (R[i] - truth[i]) * (R[i] - truth[i]);
  return 2 * std::asin(std::min(1.0, std::sqrt(sum / 8))) / kDegree;
}

double direction_error_deg(const Vec3& t, const Vec3& truth) {
  const Vec3 cross = {t[1] * truth[2] - t[2] * truth[1], t[2] * truth[0] - t[0] * truth[2],
                      t[0] * truth[1] - t[1] * truth[0]};
  const double dot = t[0] * truth[0] + t[1] * truth[1] + t[2] * truth[2];
  return std::atan2(std::hypot(cross[0], cross[1], cross[2]), dot) / kDegree;
}

double mean_sampson_px(const Mat3& F, const std::vector<PointPair>& pairs) {
  double sum = 0;
  for (const PointPair& p : pairs) {
    const double a = F[0] * p.x1 + F[1] * p.y1 + F[2], b = F[3] * p.x1 + F[4] * p.y1 + F[5];
    const double c = F[6] * p.x1 + F[7] * p.y1 + F[8];
    const double d = F[0] * p.x2 + F[3] * p.y2 + F[6], e = F[1] * p.x2 + F[4] * p.y2 + F[7];
    sum += std::abs(p.x2 * a + p.y2 * b + c) / std::sqrt(a * a + b * b + d * d + e * e);
  }
  return sum / static_cast<double>(pairs.size());
}

double mean_transfer_px(const Mat3& H, const std::vector<PointPair>& pairs) {
  double sum = 0;
  for (const PointPair& p : pairs) {
    const double w = H[6] * p.x1 + H[7] * p.y1 + H[8];
    sum += std::hypot((H[0] * p.x1 + H[1] * p.y1 + H[2]) / w - p.x2,
                      (H[3] * p.x1 + H[4] * p.y1 + H[5]) / w - p.y2);
  }
  return sum / static_cast<double>(pairs.size());
}

double area_under_recall(std::vector<double> errors, double limit) {
  std::sort(errors.begin(), errors.end());
  const auto n = static_cast<double>(errors.size());
  double area = 0, x = 0, y = 0;
  for (size_t i = 0; i < errors.size() && errors[i] < limit; ++i) {
    const double next = static_cast<double>(i + 1) / n;
    area += (errors[i] - x) * (y + next) / 2;
    x = errors[i];
    y = next;
  }
  return 100 * (area + (limit - x) * y) / limit;
}

double position_error(const Pose& pose, const Pose& truth) {
  const auto centre = [](const Pose& p) {  // up to its sign
    Vec3 c{};
    for (size_t i = 0; i < 3; ++i)
      c[i] = p.R[i] * p.t[0] + p.R[3 + i] * p.t[1] + p.R[6 + i] * p.t[2];
    return c;
  };
  const Vec3 a = centre(pose), b = centre(truth);
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

}  // namespace bifocal::synthetic
