// SPDX-License-Identifier: BSD-3-Clause
// The five files of a model in both formats, as bytes in memory. Readers throw Error(input) whose
// message begins with the file name `name`. They do not compare the file with other files.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <bifocal/colmap/model.hpp>

namespace bifocal::colmap::model {

enum class Part { cameras, images, points, rigs, frames };
inline constexpr std::array<const char*, 5> kPartNames = {"cameras", "images", "points3D", "rigs",
                                                          "frames"};
[[nodiscard]] inline const char* name_of(Part part) {
  return kPartNames[static_cast<std::size_t>(part)];
}

namespace binary {
void read(Part part, std::string_view bytes, const std::string& name, Model& model);
[[nodiscard]] std::string bytes_of(Part part, const Model& model);
}  // namespace binary

namespace text {
void read(Part part, std::string_view bytes, const std::string& name, Model& model);
[[nodiscard]] std::string bytes_of(Part part, const Model& model);
}  // namespace text

// The file of Model::georeference. Reading throws Error(input) that names the file and the member.
inline constexpr const char* kGeoreferenceName = "georeference.json";
[[nodiscard]] Georeference parse_georeference(std::string_view text, const std::string& name);
[[nodiscard]] Georeference read_georeference(const std::filesystem::path& file);
[[nodiscard]] std::string bytes_of(const Georeference& georeference);

// Moves the files of a model to another folder, which is created. Other files of models are removed
// there.
void move_files(const std::filesystem::path& from, const std::filesystem::path& to);
// Names of the folders inside that have a model, numbers in their order.
[[nodiscard]] std::vector<std::string> models_inside(const std::filesystem::path& folder);
// Removes the files of models, in both formats, and then the folder if it is empty.
void remove_files(const std::filesystem::path& folder);

// Throws an error about an item of the part.
using Refuse = std::function<void(Part part, const std::string& what)>;

// Checks values, unique ids and references between the items of all files.
void check(const Model& model, const Refuse& refuse);

// Replaces the pose of an image by the pose that follows from its frame, if they differ by more
// than 1e-9.
void take_poses_of_frames(Model& model);

}  // namespace bifocal::colmap::model
