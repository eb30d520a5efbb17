// SPDX-License-Identifier: BSD-3-Clause
// JSON objects common to several commands (the format of geometry.json).
#pragma once

#include <bifocal/geometry.hpp>
#include <bifocal/two_view.hpp>
#include <bifocal/robust.hpp>

#include "jobs/json.hpp"

namespace bifocal::jobs {

// {"kind": ..., "H" | "F" | "E": nine numbers, row-major}
[[nodiscard]] Json model_json(ModelKind kind, const Mat3& model);
[[nodiscard]] Json pose_json(const Pose& pose);  // {"R": nine numbers, "t": three}
[[nodiscard]] Json intrinsics_json(const Intrinsics& camera);
// Returns {"is_doubted": ..., "rival_inliers": ..., "rival_ratio": ...}; for photographs also
// "evidence", "twin_distance" and "unique_ratio", with a doubt "reason".
[[nodiscard]] Json repetition_json(const Repetition& repetition);
// Returns "H", "F" or "E".
[[nodiscard]] std::string symbol(ModelKind kind);

}  // namespace bifocal::jobs
