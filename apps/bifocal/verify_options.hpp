// SPDX-License-Identifier: BSD-3-Clause
// The options of geometric verification, of every command that has them.
#pragma once

#include <bifocal/colmap/verify.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "option_fields.hpp"

namespace bifocal::cli {

struct VerifyFlags {
  std::string pairs;
  colmap::VerifyRun run;
};
void add_verify_options(const Command& command, VerifyFlags& flags, FlagChanges changes = {});

// Pairs by configuration, those that there are.
[[nodiscard]] Json counts_json(const colmap::VerifyProgress& done);
// Rows that could not be taken as they are: for a reader of JSON, and on stderr, the first ones.
[[nodiscard]] Json odd_rows_json(const std::vector<colmap::OddRow>& rows);
void print_odd_rows(const std::vector<colmap::OddRow>& rows);
// What was verified in a database.
// Returns the number of pairs with a geometry (colmap::is_geometry).
[[nodiscard]] std::int64_t verified_pairs(const colmap::VerifyProgress& done);
[[nodiscard]] Json verified_json(const std::string& database, const colmap::VerifyProgress& done);

}  // namespace bifocal::cli
