// SPDX-License-Identifier: BSD-3-Clause
// Control points in the jobs of models.
#pragma once

#include <bifocal/jobs.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace bifocal::jobs {

// Reads a file of control points and chooses its check points. Empty without a file. Throws as
// read_control_points() and choose_check_points(), and Error(usage) for check points without a
// file.
[[nodiscard]] ControlPoints read_control(const std::filesystem::path& file,
                                         const std::vector<std::string>& check);

// Throws Error(input) if no mark is in an image of these names, and Error(usage) if fewer than
// three control points have two such marks.
void check_marks(const ControlPoints& control, const std::vector<std::string>& names);

// Applies control points to the models that they determine, and replaces their figures and doubts.
[[nodiscard]] std::vector<ControlledModel> apply_control(Queue& queue, const ModelFiles& files,
                                                         MapResult& result);

}  // namespace bifocal::jobs
