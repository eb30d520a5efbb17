// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/robust.hpp>
#include <cmath>

#include "robust/engine.hpp"

namespace bifocal {
namespace {

// Errors below this are no evidence for structure: no detector is that exact.
constexpr double kLeastNoise = 0.1;  // px

// A homography that explains this part of the epipolar model's inliers is the answer whatever the
// criterion says: real walls and lenses are not exact, and the criterion, which trusts the noise it
// is given, calls a bend of half a pixel depth.
constexpr double kNearlyAll = 0.95;

// Criterion over `matches` of which the model explains result.inlier_count; smaller is better.
double gric(const RobustResult& result, ModelKind kind, int matches, double sigma) {
  constexpr double kDataDimension = 4, kOutlier = 2;  // r and lambda_3 of the paper
  const robust::EngineSteps& problem = robust::engine_steps(kind);
  const double most = kOutlier * problem.residuals;
  const double inlier = std::min(most, result.rms * result.rms / (sigma * sigma));
  return result.inlier_count * inlier + (matches - result.inlier_count) * most +
         matches * (kDataDimension - problem.residuals) * std::log(kDataDimension) +
         problem.dof * std::log(kDataDimension * matches);
}

int count_either(const RobustResult& a, const RobustResult& b) {
  int count = 0;
  for (size_t i = 0; i < std::min(a.inliers.size(), b.inliers.size()); ++i) {
    count += a.inliers[i] || b.inliers[i];
  }
  return count;
}

}  // namespace

ModelChoice choose_model(const RobustResult& homography, const RobustResult& epipolar,
                         ModelKind epipolar_kind) {
  const auto outcome = [](const RobustResult& r) { return to_string(r.outcome); };
  if (!homography.ok() && !epipolar.ok()) {
    return {epipolar_kind, "no_model",
            fmt::format("neither a homography ({}) nor epipolar geometry ({}) was found",
                        outcome(homography), outcome(epipolar))};
  }
  if (!homography.ok()) {
    return {epipolar_kind, "no_homography",
            fmt::format("no homography was found ({}); the {} matrix explains {} matches",
                        outcome(homography), to_string(epipolar_kind), epipolar.inlier_count)};
  }
  if (!epipolar.ok()) {
    return {ModelKind::homography, "no_epipolar_model",
            fmt::format("no {} matrix was found ({}); the homography explains {} matches",
                        to_string(epipolar_kind), outcome(epipolar), homography.inlier_count)};
  }
  const int matches = count_either(homography, epipolar);
  if (homography.inlier_count >= kNearlyAll * epipolar.inlier_count) {
    return {ModelKind::homography, "planar",
            fmt::format("of {} matches the homography explains {} (rms {:.2f} px), nearly all that "
                        "the {} matrix does "
                        "({}): a plane, a camera that only turned, or too little parallax",
                        matches, homography.inlier_count, homography.rms, to_string(epipolar_kind),
                        epipolar.inlier_count)};
  }
  // The better fit's: a search that stopped at a poor fit must not make room for the other model.
  const double sigma = std::max(std::min(epipolar.noise, homography.noise), kLeastNoise);
  const double plane = gric(homography, ModelKind::homography, matches, sigma);
  const double general = gric(epipolar, epipolar_kind, matches, sigma);
  const bool planar = plane < general;
  return {planar ? ModelKind::homography : epipolar_kind, planar ? "planar" : "general",
          fmt::format(
              "of {} matches the homography explains {} (rms {:.2f} px) and the {} matrix {} (rms "
              "{:.2f} px); GRIC {:.0f} against {:.0f} at a noise of {:.2f} px: {}",
              matches, homography.inlier_count, homography.rms, to_string(epipolar_kind),
              epipolar.inlier_count, epipolar.rms, plane, general, sigma,
              planar ? "a plane, or a camera that only turned" : "a scene with depth")};
}

}  // namespace bifocal
