// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/image.hpp>

#include <array>
#include <filesystem>
#include <optional>

#include "jobs/report/collection/model_section.hpp"
#include "jobs/report/collection/scene_axes.hpp"

namespace bifocal::jobs {

struct CloudPictures {
  Axes axes;
  // From above, from the side and from the side to its right, in RGB; empty without points.
  std::array<ImageU8, 3> pictures;
};
// Draws the points that are nearest to the viewer, in parallel projection.
//
// cloud: PLY file. cameras: of the cloud, if they are known. models: of the page. The axes are
// those of the model from which the cloud was made; otherwise of the cameras and the cloud.
[[nodiscard]] CloudPictures cloud_pictures(const std::filesystem::path& cloud,
                                           const std::optional<colmap::Model>& cameras,
                                           const std::vector<NamedModel>& models);

}  // namespace bifocal::jobs
