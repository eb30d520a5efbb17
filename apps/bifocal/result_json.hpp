// SPDX-License-Identifier: BSD-3-Clause
// The JSON shapes that several commands share (the contract of geometry.json).
#pragma once

#include <bifocal/geometry.hpp>
#include <bifocal/robust.hpp>

#include "cli.hpp"

namespace bifocal::cli {

// {"kind": ..., "H" | "F" | "E": nine numbers, row-major}
[[nodiscard]] Json model_json(ModelKind kind, const Mat3& model);
[[nodiscard]] Json pose_json(const Pose& pose);  // {"R": nine numbers, "t": three}
[[nodiscard]] Json intrinsics_json(const Intrinsics& camera);
// Returns "H", "F" or "E".
[[nodiscard]] std::string symbol(ModelKind kind);

}  // namespace bifocal::cli
