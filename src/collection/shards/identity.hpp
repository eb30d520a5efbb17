// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include <bifocal/colmap/database.hpp>

namespace bifocal::colmap {

// Hash of the cameras, the images, how many features each has, and the features of up to 16 images.
// Geometries do not count.
[[nodiscard]] std::string views_of(const Database& database);

// What the system says of a file and of the log beside it; another text: it was written to.
[[nodiscard]] std::string stamp_of(const std::filesystem::path& file);

}  // namespace bifocal::colmap
