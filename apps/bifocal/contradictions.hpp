// SPDX-License-Identifier: BSD-3-Clause
// Pairs of a database whose rotation contradicts other pairs, for collect, verify and report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli.hpp"

namespace bifocal::cli {

struct Contradictions {
  Json pairs = Json::array();      // {"image1", "image2": names, "inliers", "probability"}
  std::vector<std::string> texts;  // one sentence per pair
};

// Finds the contradicting pairs of a database. Throws Error(input) if the file is not a database.
[[nodiscard]] Contradictions find_contradictions(const std::string& database);

// Prints the pairs on stderr. is_strict: erases their geometries.
[[nodiscard]] Contradictions print_contradictions(const std::string& database, bool is_strict);

inline constexpr const char* kStrictPairsHelp =
    "reject pairs whose rotation contradicts other pairs: their geometries are erased, their "
    "matches stay";

}  // namespace bifocal::cli
