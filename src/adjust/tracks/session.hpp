// SPDX-License-Identifier: BSD-3-Clause
// A bundle adjustment that stays on a device: observations are arranged and uploaded once; points
// and the choice of used observations are computed there by triangulation, adjustments and filters.
//
//   AdjustSession session(queue, std::move(problem));  // points need not be known
//   session.triangulate(rays, {.max_error = 4, .min_angle = 0.03});
//   session.adjust(options);
//   session.filter({.max_error = 4, .min_angle = 0.03});
//   session.download(points, is_used);
#pragma once

#include <bifocal/adjust.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include "adjust/observations.hpp"
#include "adjust/tracks/tracks.kernels.hpp"

namespace bifocal::adjustment {

// What a used observation has to fulfil.
struct TrackLimits {
  double max_error = 4;     // px
  double min_angle = 0.03;  // rad, between two rays of a point
};

class AdjustSession {
 public:
  // All observations with finite px are used. The problem has at least one image. Throws as
  // adjust().
  AdjustSession(Queue& queue, AdjustProblem problem);
  AdjustSession(const AdjustSession&) = delete;
  AdjustSession& operator=(const AdjustSession&) = delete;

  // Poses, cameras and priors, which the caller may change between calls; not the points.
  [[nodiscard]] AdjustProblem& problem() { return problem_; }

  // Computes the points from the rays of all observations, unit vectors in the axes of the cameras
  // (NaN: none), and uses the observations that agree. Pairs of rays give hypotheses; the one that
  // most rays agree with is refined by least squares. Returns the number of used observations.
  std::int64_t triangulate(std::span<const Vec3> rays, const TrackLimits& limits);
  // Adjusts poses, cameras and points. Every used observation has to be in front of its camera, as
  // after triangulate() and filter(). The gauge is free; the iterative solver keeps derivatives in
  // single precision.
  AdjustResult adjust(const AdjustOptions& options);
  // Uses only those of the used observations that fulfil the limits. Returns their number.
  std::int64_t filter(const TrackLimits& limits);

  // Sets the points of the problem that have used observations, and the flags of the observations.
  void download(std::span<Vec3> points, std::span<std::uint8_t> is_used);

 private:
  // After a change of the used observations.
  std::int64_t count();

  Queue cpu_;
  Queue& queue_;  // of small problems, which a direct solver takes, the CPU's
  AdjustProblem problem_;
  Arrangement arrangement_;
  LocalFrame frame_;
  DeviceObservations observations_;
  Buffer<double> given_x_, given_y_, counts_;
  Buffer<int> from_;  // places in point order of the places in view order
  kernels::tracks::launch<double> launch_;
};

}  // namespace bifocal::adjustment
