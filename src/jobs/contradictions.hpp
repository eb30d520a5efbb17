// SPDX-License-Identifier: BSD-3-Clause
// Pairs of a database whose rotation contradicts other pairs, in words and as JSON.
#pragma once

#include <bifocal/colmap/rotation_cycles.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "jobs/json.hpp"

namespace bifocal::jobs {

struct Contradictions {
  Json pairs = Json::array();      // {"image1", "image2": names, "inliers", "probability"}
  std::vector<std::string> texts;  // one sentence per pair
};
// Returns the contradicting pairs of a database. drops: erases their geometries.
[[nodiscard]] std::vector<colmap::ContradictingPair> found_contradictions(
    const std::filesystem::path& database, bool drops);
[[nodiscard]] Contradictions described(const std::vector<colmap::ContradictingPair>& pairs);

}  // namespace bifocal::jobs
