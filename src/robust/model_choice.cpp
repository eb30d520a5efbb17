// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <bifocal/reasons.hpp>
#include <bifocal/robust.hpp>
#include <cmath>

#include "robust/scalar_math.hpp"
#include "robust/significance.hpp"

namespace bifocal {
namespace {

using robust::ScalarMath;

// Lower limit of the estimated noise: the accuracy of a feature detector.
constexpr double kLeastNoise = 0.1;  // px

// The homography is chosen if a smaller fraction of the epipolar model's inliers supports depth,
// even if that support is significant: repeated structure and compression give a plane up to 2 % of
// matches that err along the epipolar lines, scenes with depth have at least 4.5 %
// (docs/develop/notes/robust.md).
constexpr double kLeastDepth = 0.03;

// The images are the same if this fraction of the homography's inliers does not move.
constexpr double kUnmoved = 0.95;

// Lower limit of the probability that an outlier lies within the threshold of its epipolar line.
constexpr double kLeastChance = 0.01;

struct Depth {
  int off = 0, proof = 0;  // matches off the plane, those near their line
  double significance = 0;
};

// Counts the evidence of depth: matches farther than `far` px from H and within `near` px of their
// epipolar line.
Depth depth_evidence(std::span<const PointPair> points, const Mat3& H, const Mat3& F, double near,
                     double far, int sample_size) {
  double sums[ScalarMath::PARALLAX_SUMS] = {};
  for (const PointPair& p : points) {
    const double e = ScalarMath::transfer_squared(H.data(), p.x1, p.y1, p.x2, p.y2);
    ScalarMath::parallax_add(e, ScalarMath::sampson_squared(F.data(), p.x1, p.y1, p.x2, p.y2),
                             near * near, far * far, kLeastChance, sums);
  }
  Depth found{static_cast<int>(sums[ScalarMath::OFF_MAP]),
              static_cast<int>(sums[ScalarMath::ON_LINE])};
  if (found.proof > sample_size)
    found.significance =
        robust::log_false_alarms(found.proof, found.off, sample_size, sample_size, 1, HUGE_VAL,
                                 sums[ScalarMath::ON_LINE_BY_CHANCE] / found.off);
  return found;
}

// Returns the more significant evidence of two tests: at the threshold, and at 2.5 sigma of the
// noise if this is smaller.
Depth depth_evidence(std::span<const PointPair> points, const EstimateResult& homography,
                     const EstimateResult& epipolar, ModelKind kind, double threshold,
                     std::span<const Intrinsics> cameras) {
  const Mat3 F = problem_info(kind).symbol == "F"
                     ? epipolar.model
                     : fundamental_from_essential(epipolar.model, cameras.front(), cameras.back());
  // The noise of the better fit, because RANSAC may have stopped at a poor model.
  const double sigma = std::max(std::min(epipolar.noise, homography.noise), kLeastNoise);
  const double near = std::min(threshold, 2.5 * sigma), far = std::max(threshold, 2 * near);
  // Matches that the epipolar model fits exactly in addition to the four that define a plane.
  const int free = std::max(0, problem_info(kind).sample_size - 4);
  const Depth wide = depth_evidence(points, homography.model, F, threshold, 2 * threshold, free);
  const Depth fine = depth_evidence(points, homography.model, F, near, far, free);
  return wide.significance < fine.significance ? wide : fine;
}

bool same_image(std::span<const PointPair> points, const EstimateResult& homography,
                double threshold) {
  constexpr Mat3 kIdentity = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  int unmoved = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const PointPair& p = points[i];
    unmoved +=
        homography.inliers[i] && ScalarMath::transfer_within(kIdentity.data(), p.x1, p.y1, p.x2,
                                                             p.y2, threshold * threshold);
  }
  return unmoved >= kUnmoved * homography.num_inliers;
}

}  // namespace

ModelChoice choose_model(std::span<const PointPair> points, const EstimateResult& homography,
                         const EstimateResult& epipolar, ModelKind epipolar_kind, double threshold,
                         std::span<const Intrinsics> cameras) {
  for (const EstimateResult* r : {&homography, &epipolar}) {
    if (r->ok() && r->inliers.size() != points.size())
      throw Error(ErrorCode::usage, fmt::format("choose_model: {} points, {} inlier flags",
                                                points.size(), r->inliers.size()));
  }
  if (problem_info(epipolar_kind).cameras != static_cast<int>(cameras.size()))
    throw Error(ErrorCode::usage,
                fmt::format("choose_model {}: {} cameras, must be {}", to_string(epipolar_kind),
                            cameras.size(), problem_info(epipolar_kind).cameras));
  if (problem_info(epipolar_kind).estimates_distortion)
    throw Error(ErrorCode::usage, fmt::format("choose_model {}: its model has a distortion",
                                              to_string(epipolar_kind)));
  const auto outcome = [](const EstimateResult& r) { return reason_text(to_string(r.outcome)); };
  if (!homography.ok() && !epipolar.ok()) {
    return {epipolar_kind, "no_model",
            fmt::format("neither a homography ({}) nor epipolar geometry ({}) was found",
                        outcome(homography), outcome(epipolar))};
  }
  if (!homography.ok()) {
    return {epipolar_kind, "no_homography",
            fmt::format("no homography was found ({}); the {} matrix explains {} matches",
                        outcome(homography), to_string(epipolar_kind), epipolar.num_inliers)};
  }
  const std::string explained =
      fmt::format("of {} matches the homography explains {} (rms {:.2f} px)", points.size(),
                  homography.num_inliers, homography.rms);
  Depth depth;
  std::string compared = explained;
  if (epipolar.ok()) {
    depth = depth_evidence(points, homography, epipolar, epipolar_kind, threshold, cameras);
    compared += fmt::format(
        " and the {} matrix {} (rms {:.2f} px); of {} matches off the homography {} lie along "
        "their epipolar lines",
        to_string(epipolar_kind), epipolar.num_inliers, epipolar.rms, depth.off, depth.proof);
  }
  const bool proven = depth.significance < robust::kLogDepthAlarms;
  if (proven && depth.proof >= kLeastDepth * epipolar.num_inliers)
    return {epipolar_kind, "general", compared + ": a scene with depth"};
  if (same_image(points, homography, threshold)) {
    return {ModelKind::homography, "same_image",
            compared + ": nothing moved, the same image or a camera that stood still"};
  }
  if (epipolar.outcome == Outcome::rotation_only) {
    return {ModelKind::homography, "rotation",
            fmt::format(
                "{}, and a camera that only rotated explains {}: no translation can be determined",
                explained, epipolar.num_inliers)};
  }
  if (!epipolar.ok()) {
    return {ModelKind::homography, "no_epipolar_model",
            fmt::format("{}; no {} matrix was found ({})", explained, to_string(epipolar_kind),
                        outcome(epipolar))};
  }
  return {ModelKind::homography, "planar",
          compared + (proven ? ": a plane, and a few matches off it"
                             : ", no more than chance: a plane, or a camera that only rotated")};
}

}  // namespace bifocal
