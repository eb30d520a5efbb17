// SPDX-License-Identifier: BSD-3-Clause
// Triangulation, bundle adjustment and filters of the registered views of a scene.
#pragma once

#include <cstdint>
#include <vector>

#include "adjust/tracks/session.hpp"
#include "mapping/scene.hpp"

namespace bifocal::mapping {

struct Refinement {
  bool intrinsics = true;
  double loss_scale = 1;   // px, of the soft L1 loss
  bool is_coarse = false;  // few steps, of less accuracy
};

// Views and cameras of the scene follow every adjustment; points and the used observations are on
// the device until take().
class SceneSession {
 public:
  enum class Of {
    points,  // tracks whose points are known, with their used observations
    tracks,  // all tracks
  };
  SceneSession(Queue& queue, Scene& scene, const MapOptions& options, Of chosen);

  // Computes the points of the tracks and uses the observations that agree with them.
  void triangulate();
  // Positions and heights of registered views, whose numbers are those of the scene, for
  // adjustments from now on; deviation_px: of an observation.
  void set_priors(AdjustPriors priors, double deviation_px);
  // After triangulate() or filter().
  AdjustResult adjust(const Refinement& refinement);
  // Drops observations with an error above `threshold` px and points with too small an angle.
  // Returns the number of observations that are left.
  std::int64_t filter(double threshold);
  // Sets points and used observations of the scene's tracks, and the rays of all features.
  void take();

 private:
  [[nodiscard]] AdjustProblem problem_of(Of chosen);
  void take_views();

  Scene& scene_;
  const MapOptions& options_;
  std::vector<std::size_t> cameras_;       // of the session's cameras
  std::vector<std::size_t> tracks_;        // of the session's points
  std::vector<std::size_t> observations_;  // of the session's observations
  adjustment::AdjustSession session_;
  double deviation_px_ = 1;
};

}  // namespace bifocal::mapping
