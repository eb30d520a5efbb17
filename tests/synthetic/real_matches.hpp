// SPDX-License-Identifier: BSD-3-Clause
// Tentative matches of photographs, with reference points picked by hand or a measured pose
// (shared/data/correspondences and strecha).
#pragma once

#include <bifocal/geometry.hpp>
#include <string>
#include <vector>

namespace bifocal::synthetic {

struct RealMatches {
  std::string name;
  std::vector<PointPair> matches;    // tentative; inliers unknown
  std::vector<PointPair> reference;  // picked by hand
};
// Reads the files NAME_pts.txt of a folder, sorted by name; none if the folder is missing. A row is
// x1 y1 1 x2 y2 1 label, and a label above 0 marks a reference point. Sets of kusvod2 whose matches
// belong to other images are left out.
[[nodiscard]] std::vector<RealMatches> read_real_matches(const std::string& folder);

struct PosedMatches {
  std::vector<PointPair> matches;
  Intrinsics camera1, camera2;
  Pose truth;  // camera 2 from camera 1, |t| = 1
};
// Reads the tentative matches, cameras and pose of images 0001 and 0005 of fountain-P11; no matches
// if the folder is missing.
[[nodiscard]] PosedMatches read_fountain(const std::string& folder);

// A photograph with a known camera.
struct PosedImage {
  std::string file;
  Intrinsics camera;  // in pixels of this photograph
  Mat3 R{};           // from the camera to the world
  Vec3 centre{};
};
// Returns the photographs of a folder, sorted by name, with their cameras from the files
// NAME.camera in folder `cameras`. The files are for photographs `scale` times as large. Returns
// none if the folder is missing.
[[nodiscard]] std::vector<PosedImage> read_posed_images(const std::string& folder,
                                                        const std::string& cameras, double scale);
// Returns the pose of camera 2 from camera 1, |t| = 1. The centres must differ.
[[nodiscard]] Pose relative_pose(const PosedImage& picture1, const PosedImage& picture2);

}  // namespace bifocal::synthetic
