// SPDX-License-Identifier: BSD-3-Clause
// Doubts about the registered views of a scene, a function for each kind.
#pragma once

#include <optional>
#include <vector>

#include "mapping/scene.hpp"

namespace bifocal::mapping {

struct DoubtInput {
  const Scene& scene;
  const colmap::Model& model;  // of the scene
  const MapOptions& options;
  const AdjustResult* adjustment = nullptr;  // the last one; null: unknown
};

// Displacement of a corner by the lens, relative to its distance from the principal point.
[[nodiscard]] double bend_of(const LensCamera& lens);

// The mean viewing direction of registered views that look in one direction from about one height
// above an area, as in a flight; empty otherwise.
[[nodiscard]] std::optional<Vec3> down_of_flight(const Scene& scene);

// Returns all doubts.
[[nodiscard]] std::vector<ModelDoubt> doubts_of(const DoubtInput& in);

// Each adds its doubts.
void doubt_focal_lengths(const DoubtInput& in, std::vector<ModelDoubt>& doubts);
void doubt_curvature(const DoubtInput& in, std::vector<ModelDoubt>& doubts);
void doubt_cameras(const DoubtInput& in, std::vector<ModelDoubt>& doubts);
void doubt_distortions(const DoubtInput& in, std::vector<ModelDoubt>& doubts);
void doubt_convergence(const DoubtInput& in, std::vector<ModelDoubt>& doubts);
void doubt_points(const DoubtInput& in, std::vector<ModelDoubt>& doubts);
void doubt_parallax(const DoubtInput& in, std::vector<ModelDoubt>& doubts);
void doubt_static_matches(const DoubtInput& in, std::vector<ModelDoubt>& doubts);
void doubt_positions(const DoubtInput& in, std::vector<ModelDoubt>& doubts);
void doubt_folds(const DoubtInput& in, std::vector<ModelDoubt>& doubts);

}  // namespace bifocal::mapping
