// SPDX-License-Identifier: BSD-3-Clause
// Pairs of a database whose rotation contradicts other pairs, for collect and verify.
#pragma once

#include <vector>

#include "cli.hpp"
#include "jobs/contradictions.hpp"

namespace bifocal::cli {

// Prints the pairs on stderr. are_dropped: their geometries were erased.
[[nodiscard]] Contradictions print_contradictions(
    const std::vector<colmap::ContradictingPair>& pairs, bool are_dropped);

inline constexpr const char* kDropContradictingHelp =
    "reject pairs whose rotation contradicts other pairs: their geometries are erased, their "
    "matches stay";

}  // namespace bifocal::cli
