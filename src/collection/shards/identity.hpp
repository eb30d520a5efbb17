// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include <bifocal/colmap/database.hpp>

namespace bifocal::colmap {

// Returns a hash of the cameras, the images, the number of features of each image, and the features
// of up to 16 images. Geometries are excluded.
[[nodiscard]] std::string views_of(const Database& database);

// Returns the system's metadata of a file and of its log. The text changes if the file
// is written to.
[[nodiscard]] std::string stamp_of(const std::filesystem::path& file);

}  // namespace bifocal::colmap
