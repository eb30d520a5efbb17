// SPDX-License-Identifier: BSD-3-Clause
// Pairs of a database whose rotation contradicts other pairs, for collect and verify.
#pragma once

#include <string>

#include "cli.hpp"
#include "jobs/contradictions.hpp"

namespace bifocal::cli {

// Prints the contradicting pairs of a database on stderr. drops: erases their geometries.
[[nodiscard]] Contradictions print_contradictions(const std::string& database, bool drops);

inline constexpr const char* kDropContradictingHelp =
    "reject pairs whose rotation contradicts other pairs: their geometries are erased, their "
    "matches stay";

}  // namespace bifocal::cli
