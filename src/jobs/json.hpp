// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <bifocal/colmap/database.hpp>
#include <bifocal/two_photographs.hpp>

#include <optional>
#include <string>
#include <vector>

namespace bifocal::jobs {

// JSON with members in the order of insertion, for readable files.
using Json = nlohmann::ordered_json;
// Write one member of an object a line, or everything on one line without a newline. Text that is
// not UTF-8, such as a file name, gets replacement characters.
[[nodiscard]] std::string to_text(const Json& json);
[[nodiscard]] std::string to_line(const Json& json);
// Returns an object with the durations by stage, in ms.
[[nodiscard]] Json times_json(const std::vector<StageTime>& times);

// "count", "with_prior", "focal_length": [least, largest] px, and "adjusted_focal_length" likewise.
[[nodiscard]] Json focal_lengths_json(const colmap::FocalLengths& given,
                                      const std::optional<colmap::FocalLengths>& adjusted = {});

}  // namespace bifocal::jobs
