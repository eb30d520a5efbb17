// SPDX-License-Identifier: BSD-3-Clause
// Points of tracks from the rays of registered views.
//
// Pairs of rays give hypotheses. The hypothesis with the most inlier rays is refined by least
// squares on the distances from these rays, weighted by the inverse depths.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "mapping/scene.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::mapping {
namespace {

constexpr int kMostPairs = 40;  // hypotheses of a track
constexpr int kRefinements = 3;
constexpr std::size_t kTrackBlock = 512;  // tracks of a thread at a time

// A line of sight in the world's frame.
struct Sight {
  Vec3 centre{}, direction{};
  double focal_length = 0;      // px a rad
  std::size_t observation = 0;  // place in Tracks
};

// Returns the angle between the sight and the point in px, infinite if the point is behind.
double error_of(const Sight& sight, const Vec3& point) {
  const Vec3 d = difference(point, sight.centre);
  const double along = dot(d, sight.direction);
  if (!(along > 0)) return std::numeric_limits<double>::infinity();
  return sight.focal_length * std::atan2(norm(cross(d, sight.direction)), along);
}

// The point nearest to both lines, each weighted equally.
Vec3 midpoint(const Sight& a, const Sight& b) {
  const Vec3 baseline = difference(b.centre, a.centre);
  const double cosine = dot(a.direction, b.direction), sine2 = 1 - cosine * cosine;
  const double to_a = dot(baseline, a.direction), to_b = dot(baseline, b.direction);
  const double depth_a = (to_a - cosine * to_b) / sine2, depth_b = (cosine * to_a - to_b) / sine2;
  return scaled(
      sum(sum(a.centre, scaled(a.direction, depth_a)), sum(b.centre, scaled(b.direction, depth_b))),
      0.5);
}

struct Support {
  int count = 0;
  double squares = 0;
  [[nodiscard]] bool is_better(const Support& other) const {
    return count != other.count ? count > other.count : squares < other.squares;
  }
};

Support support_of(const std::vector<Sight>& sights, const Vec3& point, double max_error) {
  Support out;
  for (const Sight& sight : sights) {
    const double error = error_of(sight, point);
    if (error <= max_error) ++out.count, out.squares += error * error;
  }
  return out;
}

// Least squares on the sights within the error.
Vec3 refined(const std::vector<Sight>& sights, Vec3 point, double max_error) {
  for (int round = 0; round < kRefinements; ++round) {
    Symmetric3 A{};
    Vec3 b{};
    for (const Sight& sight : sights) {
      if (error_of(sight, point) > max_error) continue;
      const Vec3 d = difference(point, sight.centre);
      const double weight = sight.focal_length * sight.focal_length / dot(d, d);
      const Symmetric3 M = isotropic_plus_outer(weight, -weight, sight.direction);
      add_to(A, M);
      b = sum(b, times(M, sight.centre));
    }
    const Vec3 next = times(inverse(A), b);
    if (!std::isfinite(next[0] + next[1] + next[2])) break;
    point = next;
  }
  return point;
}

void triangulate_track(Scene& scene, std::size_t track, const MapOptions& options) {
  Tracks& tracks = scene.tracks;
  tracks.is_point[track] = 0;
  std::vector<Sight> sights;
  for (std::size_t i = tracks.first[track]; i < tracks.first[track + 1]; ++i) {
    tracks.is_used[i] = 0;
    const View& view = scene.view(tracks.views[i]);
    if (!view.is_registered) continue;
    const Vec3& ray = view.rays[tracks.features[i]];
    if (!std::isfinite(ray[0])) continue;
    sights.push_back({centre_of(view.cam_from_world), transposed_times(view.cam_from_world.R, ray),
                      scene.focal_length(view), i});
  }
  const std::size_t n = sights.size();
  if (n < 2) return;
  const double least_angle = options.min_angle_deg * kRadPerDeg;
  Vec3& found = tracks.points[track];
  Support best;
  int pairs = 0;
  for (std::size_t step = n - 1; step >= 1 && pairs < kMostPairs; --step) {
    for (std::size_t i = 0; i + step < n && pairs < kMostPairs; ++i) {
      if (angle_between(sights[i].direction, sights[i + step].direction) < least_angle) continue;
      ++pairs;
      const Vec3 point = midpoint(sights[i], sights[i + step]);
      const Support support = support_of(sights, point, options.max_error);
      if (support.count >= 2 && support.is_better(best)) best = support, found = point;
    }
  }
  if (best.count < 2) return;
  found = refined(sights, found, options.max_error);
  int used = 0;
  for (const Sight& sight : sights) {
    const bool agrees = error_of(sight, found) <= options.max_error;
    tracks.is_used[sight.observation] = agrees ? 1 : 0;
    used += agrees ? 1 : 0;
  }
  tracks.is_point[track] = used >= 2 && has_angle(scene, track, least_angle) ? 1 : 0;
}

}  // namespace

void triangulate(Scene& scene, const MapOptions& options) {
  runtime::parallel_each(
      scene.tracks.size(), [&](std::size_t k) { triangulate_track(scene, k, options); },
      kTrackBlock);
}

}  // namespace bifocal::mapping
