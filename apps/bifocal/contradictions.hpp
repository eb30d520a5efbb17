// SPDX-License-Identifier: BSD-3-Clause
// Pairs of a database whose rotation contradicts other pairs, for collect and verify.
#pragma once

#include <string>

#include "cli.hpp"
#include "jobs/contradictions.hpp"

namespace bifocal::cli {

// Prints the contradicting pairs of a database on stderr. is_strict: erases their geometries.
[[nodiscard]] Contradictions print_contradictions(const std::string& database, bool is_strict);

inline constexpr const char* kStrictPairsHelp =
    "reject pairs whose rotation contradicts other pairs: their geometries are erased, their "
    "matches stay";

}  // namespace bifocal::cli
