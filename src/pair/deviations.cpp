// SPDX-License-Identifier: BSD-3-Clause
#include "pair/deviations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "robust/jackknife.hpp"

namespace bifocal::pair {
namespace {

// Chessboard calibrations have a standard deviation of 0.1 % of the focal length and 0.1 % of the
// width, in experiments with 5 images (Z. Zhang, A flexible new technique for camera calibration,
// PAMI 22(11), 2000, table 1).
constexpr double kCalibratedFocal = 0.001, kCalibratedAspect = 0.0005, kCalibratedPoint = 0.001;
// EXIF rounds a focal length to whole mm of 35 mm film (2 %), and focusing changes it.
constexpr double kExifFocal = 0.04;
// The published calibrations of KITTI (raw), EuRoC, TUM RGB-D (fr1, fr2) and ETH3D (DSLR) have
// principal points 0.02 to 2.5 % of the longer side from the image centre in x or y, 1.0 % in the
// median, 1.2 % rms, and ratios fx / fy that differ from 1 by 0 to 0.35 %.
constexpr double kAssumedPoint = 0.01, kAssumedAspect = 0.002;
constexpr double kOpenDirectionDeg = 45;  // two deviations cover any sideways direction

bool operator==(const Intrinsics& a, const Intrinsics& b) {
  return a.fx == b.fx && a.fy == b.fy && a.cx == b.cx && a.cy == b.cy;
}

Mat3 essential_of(const Pose& pose) { return times(cross_matrix(pose.t), pose.R); }

double similarity(const Mat3& a, const Mat3& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 9; ++i) sum += a[i] * b[i];
  return sum;
}

// Returns the pose of E that is nearest to a given pose.
Pose pose_near(const Mat3& E, const Pose& to) {
  const EssentialPoses poses = decompose_essential(E);
  Pose out{poses.R[similarity(poses.R[1], to.R) > similarity(poses.R[0], to.R) ? 1 : 0], poses.t};
  if (dot(out.t, to.t) < 0)
    for (double& v : out.t) v = -v;
  return out;
}

// Few refinement steps suffice, because fits start near their end and are only compared
// with each other.
constexpr int kSteps = 4;

// Difference of two fits: rotation w (rad), t, and the logarithm of the focal length.
using Change = std::array<double, 7>;

Change change(const DeviatingGeometry& from, const DeviatingGeometry& to) {
  const Pose &a = from.cam2_from_cam1, &b = to.cam2_from_cam1;
  const Mat3 r = times(b.R, transposed(a.R));
  return {0.5 * (r[7] - r[5]),
          0.5 * (r[2] - r[6]),
          0.5 * (r[3] - r[1]),
          b.t[0] - a.t[0],
          b.t[1] - a.t[1],
          b.t[2] - a.t[2],
          std::log(to.camera1.fx / from.camera1.fx)};
}

DeviatingGeometry changed(const DeviatingGeometry& g, const Change& c) {
  DeviatingGeometry out = g;
  Pose& p = out.cam2_from_cam1;
  const Mat3 dR = times(cross_matrix({c[0], c[1], c[2]}), p.R);
  for (std::size_t i = 0; i < 9; ++i) p.R[i] += dR[i];
  for (std::size_t i = 0; i < 3; ++i) p.t[i] += c[3 + i];
  for (Intrinsics* k : {&out.camera1, &out.camera2})
    k->fx *= std::exp(c[6]), k->fy *= std::exp(c[6]);
  return out;
}

// Covariance of the sum of independent changes.
class Covariance {
 public:
  void add(const Change& c, double scale = 1) {
    for (std::size_t i = 0; i < 7; ++i)
      for (std::size_t j = 0; j < 7; ++j) C_[i][j] += scale * scale * c[i] * c[j];
  }
  void add(const std::array<double, 36>& pose, double scale) {
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j) C_[i][j] += scale * pose[6 * i + j];
  }
  // Returns independent changes with this covariance: the columns of its Cholesky factor.
  [[nodiscard]] std::vector<Change> changes() const {
    std::vector<Change> columns;
    for (std::size_t j = 0; j < 7; ++j) {
      Change column{};
      for (std::size_t i = j; i < 7; ++i) {
        column[i] = C_[i][j];
        for (const Change& before : columns) column[i] -= before[i] * before[j];
      }
      // t has no variance along its own direction, apart from rounding.
      if (!(column[j] > 1e-12 * C_[j][j])) column.fill(0);
      const double root = std::sqrt(column[j]);
      if (root > 0)
        for (double& v : column) v /= root;
      columns.push_back(column);
    }
    return columns;
  }

 private:
  double C_[7][7] = {};
};

// Least-squares fits to the inliers of a pair: of the pose, or of the focal length with it.
class Fits {
 public:
  Fits(const CalibratedInliers& pair, bool has_focal)
      : pair_(pair), has_focal_(has_focal), own_{pair.camera1, pair.camera2, pair.pose} {}

  // Fits the pose to the inliers with the given cameras; nullopt if the fit has no focal length.
  // threshold: px, larger errors count as the threshold; 0: all errors count in full.
  [[nodiscard]] std::optional<DeviatingGeometry> fit(std::span<const PointPair> inliers,
                                                     const Intrinsics& camera1,
                                                     const Intrinsics& camera2,
                                                     double threshold = 0) const {
    const RefineOptions options{.threshold = threshold, .max_steps = kSteps};
    if (!has_focal_) {
      const std::array cameras = {camera1, camera2};
      const Refined refined =
          refine(ModelKind::essential, essential_of(pair_.pose), inliers, cameras, {}, options);
      return DeviatingGeometry{camera1, camera2, pose_near(refined.model, pair_.pose)};
    }
    const Mat3 back = camera1.inverse_matrix();
    const Mat3 F = times(transposed(back), times(essential_of(pair_.pose), back));
    const Refined refined = refine(ModelKind::shared_focal, F, inliers, {&camera1, 1}, {}, options);
    if (!(refined.focal_length > 0)) return {};
    Intrinsics own = camera1;
    own.fx = refined.focal_length, own.fy = own.fx * camera1.fy / camera1.fx;
    const Mat3 E = times(transposed(own.matrix()), times(refined.model, own.matrix()));
    return DeviatingGeometry{own, own, pose_near(E, pair_.pose)};
  }
  // Adds noise, correlated errors and misfit. Returns false if the matches do not determine the
  // pose or f.
  [[nodiscard]] bool add_errors(double relative, std::vector<DeviatingGeometry>& out) {
    const ModelCovariance noise =
        covariance(pair_.pose, pair_.inliers, pair_.camera1, pair_.camera2);
    const auto whole = fit(pair_.inliers, pair_.camera1, pair_.camera2);
    if (!noise.ok || !whole || !std::isfinite(relative)) return false;
    whole_ = *whole;
    Covariance sum;
    sum.add(noise.pose, noise.correlation);
    // The noise of the pose at this focal length and the noise of the focal length are independent.
    const Fits posed(pair_, false);
    const auto base = posed.fit(pair_.inliers, pair_.camera1, pair_.camera2);
    for (const Intrinsics& longer : deviating_cameras(
             pair_.camera1, {.focal_length = std::sqrt(noise.correlation) * relative}))
      sum.add(change(*base, *posed.fit(pair_.inliers, longer, longer)));
    for (const auto& [others, scale] : robust::jackknife_parts(pair_.inliers)) {
      const auto other = fit(others, pair_.camera1, pair_.camera2);
      if (!other) return false;
      sum.add(change(whole_, *other), scale);
    }
    // Adds fits in which large errors have more, and less, weight than in the estimate.
    sum.add(change(whole_, own_));
    if (const auto sharp = fit(pair_.inliers, pair_.camera1, pair_.camera2, 2 * noise.noise))
      sum.add(change(whole_, *sharp));
    for (const Change& c : sum.changes()) out.push_back(changed(own_, c));
    return true;
  }
  // Adds the difference caused by different cameras or inliers. Returns false without
  // a focal length.
  [[nodiscard]] bool add_assumed(std::span<const PointPair> inliers, const Intrinsics& camera1,
                                 const Intrinsics& camera2,
                                 std::vector<DeviatingGeometry>& out) const {
    const auto other = fit(inliers, camera1, camera2);
    if (!other) return false;
    Change c = change(whole_, *other);
    const double f = std::exp(c[6]);
    c[6] = 0;
    DeviatingGeometry g = changed({camera1, camera2, pair_.pose}, c);
    if (has_focal_)
      for (Intrinsics* k : {&g.camera1, &g.camera2})
        k->fx = f * pair_.camera1.fx, k->fy = k->fx * camera1.fy / camera1.fx;
    out.push_back(g);
    return true;
  }

 private:
  const CalibratedInliers& pair_;
  bool has_focal_;
  DeviatingGeometry own_, whole_;
};

CameraDeviation with_principal_point(CameraDeviation deviation, const PairOptions& options,
                                     ImageView<const std::uint8_t> photograph, double scale) {
  if (options.principal_point_deviation > 0)
    deviation.principal_point = options.principal_point_deviation;
  deviation.principal_point *= scale * std::max(photograph.width, photograph.height);
  return deviation;
}

PoseDeviation deviation_of(const CalibratedInliers& pair,
                           std::vector<DeviatingGeometry> geometries) {
  PoseDeviation out;
  for (const DeviatingGeometry& g : geometries) {
    const Change d = change({pair.camera1, pair.camera2, pair.pose}, g);
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j) out.covariance[6 * i + j] += d[i] * d[j];
  }
  const auto degrees = [&](std::size_t first) {
    double trace = 0;
    for (std::size_t i = first; i < first + 3; ++i) trace += out.covariance[7 * i];
    return std::sqrt(trace) * 180 / std::numbers::pi;
  };
  out.rotation_deg = degrees(0);
  out.direction_deg = degrees(3);
  out.is_known = out.direction_deg <= kOpenDirectionDeg;
  out.geometries = std::move(geometries);
  return out;
}

}  // namespace

CameraDeviation given_deviation(const PairOptions& options,
                                ImageView<const std::uint8_t> photograph, double scale) {
  CameraDeviation out{kCalibratedFocal, kCalibratedAspect, kCalibratedPoint};
  if (options.lens_is_unknown) out = {kExifFocal, kAssumedAspect, kAssumedPoint};
  if (options.focal_deviation > 0) out.focal_length = options.focal_deviation;
  return with_principal_point(out, options, photograph, scale);
}

CameraDeviation assumed_deviation(const PairOptions& options,
                                  ImageView<const std::uint8_t> photograph, double scale) {
  return with_principal_point({0, kAssumedAspect, kAssumedPoint}, options, photograph, scale);
}

std::vector<Intrinsics> deviating_cameras(const Intrinsics& k, const CameraDeviation& deviation) {
  std::vector<Intrinsics> cameras;
  const double f = 1 + deviation.focal_length, aspect = 1 + deviation.aspect_ratio;
  if (f > 1) cameras.push_back({f * k.fx, f * k.fy, k.cx, k.cy});
  if (aspect > 1) cameras.push_back({aspect * k.fx, k.fy, k.cx, k.cy});
  const double px = deviation.principal_point / std::numbers::sqrt2;
  if (!(px > 0)) return cameras;
  for (const double side : {-px, px}) {
    cameras.push_back({k.fx, k.fy, k.cx + side, k.cy});
    cameras.push_back({k.fx, k.fy, k.cx, k.cy + side});
  }
  return cameras;
}

PoseDeviation pose_deviation(const CalibratedInliers& pair, const CameraDeviation& deviation1,
                             const CameraDeviation& deviation2) {
  Fits fits(pair, false);
  std::vector<DeviatingGeometry> geometries;
  if (!fits.add_errors(0, geometries)) return {};
  const bool is_one = pair.camera1 == pair.camera2;
  // The result is ignored, because fits of a pose do not fail.
  for (const Intrinsics& k : deviating_cameras(pair.camera1, deviation1))
    (void)fits.add_assumed(pair.inliers, k, is_one ? k : pair.camera2, geometries);
  if (!is_one)
    for (const Intrinsics& k : deviating_cameras(pair.camera2, deviation2))
      (void)fits.add_assumed(pair.inliers, pair.camera1, k, geometries);
  return deviation_of(pair, std::move(geometries));
}

FocalDeviation focal_deviation(const CalibratedInliers& pair, double relative,
                               const CameraDeviation& assumed,
                               std::span<const std::vector<PointPair>> more) {
  FocalDeviation open;
  open.px = std::numeric_limits<double>::infinity();
  Fits fits(pair, true);
  std::vector<DeviatingGeometry> geometries;
  if (!fits.add_errors(relative, geometries)) return open;
  for (const Intrinsics& k : deviating_cameras(pair.camera1, assumed))
    if (!fits.add_assumed(pair.inliers, k, k, geometries)) return open;
  for (const std::vector<PointPair>& inliers : more)
    if (!fits.add_assumed(inliers, pair.camera1, pair.camera2, geometries)) return open;
  double variance = 0;
  for (const DeviatingGeometry& g : geometries)
    variance += std::pow(g.camera1.fx - pair.camera1.fx, 2);
  return {std::sqrt(variance), deviation_of(pair, std::move(geometries))};
}

}  // namespace bifocal::pair
