// SPDX-License-Identifier: BSD-3-Clause
// A scene with exact depth: a slanted wall and a floor with texture, a box in front of them, and a
// plain sky.
#pragma once

#include <bifocal/camera.hpp>
#include <bifocal/colmap/model.hpp>
#include <bifocal/dense.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace bifocal::test {

// A photograph with the truth of its pixels; the sky has the depth NaN.
struct Rendered {
  ImageU8 grey;
  ImageF depth;
  std::vector<Vec3> normal;  // in the axes of the camera, towards it
};
// Renders a camera with distortion or without, with noise of 2 grey values.
[[nodiscard]] Rendered render(const LensCamera& camera, const Pose& cam_from_world,
                              std::uint32_t seed);

struct DenseScene {
  std::vector<DenseView> views;
  std::vector<ImageF> depth;
  std::vector<std::vector<Vec3>> normal;
  std::vector<DensePoint> points;  // seen by at least two views each

  // Number of views, this one included, that see the surface at a pixel of a view.
  [[nodiscard]] int seen_by(std::size_t view, int x, int y) const;
};

// Poses of cameras on an arc around the box, 0.4 m apart.
[[nodiscard]] std::vector<Pose> scene_poses(int count);
// 5 grey views of 160 x 120 px, and up to 80 points per view.
[[nodiscard]] const DenseScene& dense_scene();
// 4 grey views of 72 x 54 px.
[[nodiscard]] const DenseScene& small_scene();
// Renders cameras without distortion.
[[nodiscard]] DenseScene scene_of(const std::vector<LensCamera>& cameras,
                                  const std::vector<Pose>& poses);

// Writes the scene as photographs, NAMES[i], and returns its model. All images have camera 1.
[[nodiscard]] colmap::Model write_scene(const std::filesystem::path& photographs,
                                        const std::vector<std::string>& names,
                                        const colmap::ModelCamera& camera);
// Returns the bytes of all files below a folder.
[[nodiscard]] std::map<std::string, std::string> bytes_of(const std::filesystem::path& folder);
// PINHOLE, 72 x 54 px.
[[nodiscard]] colmap::ModelCamera small_camera();

}  // namespace bifocal::test
