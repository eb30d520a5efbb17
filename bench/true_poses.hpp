// SPDX-License-Identifier: BSD-3-Clause
// The text files with true poses that made_streets and made_town write.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>

#include "mapping/algebra.hpp"

namespace bifocal::bench {

// Returns the line of an image: its name, the rotation from the world to the camera (9 numbers by
// rows) and the centre.
[[nodiscard]] inline std::string true_pose(std::string_view name, const Pose& cam_from_world) {
  return fmt::format("{} {} {}\n", name, fmt::join(cam_from_world.R, " "),
                     fmt::join(mapping::centre_of(cam_from_world), " "));
}

}  // namespace bifocal::bench
