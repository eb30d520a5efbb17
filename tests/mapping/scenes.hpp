// SPDX-License-Identifier: BSD-3-Clause
// View graphs of synthetic scenes with known poses and points.
#pragma once

#include <bifocal/geometry.hpp>
#include <bifocal/mapping.hpp>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace bifocal::test {

struct SceneSettings {
  double noise = 1;             // px, standard deviation of every coordinate
  double wrong_pairs = 0;       // fraction of the pairs that look-alikes add
  double wrong_matches = 0.02;  // fraction of the inliers of a pair
  bool has_prior_focal_length = true;
  double given_focal_factor = 1;  // of the focal length that the view graph has
  std::uint32_t seed = 1;
};

struct SyntheticScene {
  ViewGraph graph;
  std::vector<Pose> poses;  // cam_from_world, one an image
  double focal_length = 0;  // px
};

// A camera at `centre` that looks at `target`, y down along the world's y.
[[nodiscard]] Pose looking(const Vec3& centre, const Vec3& target);
// Cameras on a circle look at a ball of points in its middle.
[[nodiscard]] SyntheticScene ring(int images, const SceneSettings& settings);
// Cameras move along a street and look at its two rows of houses alternately.
[[nodiscard]] SyntheticScene street(int images, const SceneSettings& settings);
// Both scenes in one view graph, without a pair between them.
[[nodiscard]] SyntheticScene joined(const SyntheticScene& a, const SyntheticScene& b);

// Writes the view graph as a database of COLMAP.
void write_database(const std::filesystem::path& file, const ViewGraph& graph);

struct PoseErrors {
  int images = 0;           // of the scene that are in the model
  double rotation_deg = 0;  // largest
  double centre = 0;        // largest, relative to the extent of the true centres
};
// Errors of a model after the similarity transformation that aligns the centres best.
[[nodiscard]] PoseErrors pose_errors(const colmap::Model& model, const SyntheticScene& scene);

}  // namespace bifocal::test
