// SPDX-License-Identifier: BSD-3-Clause
// Options of geometric verification, for every command that has them.
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

// Returns the number of pairs for each configuration that occurs.
[[nodiscard]] Json counts_json(const colmap::VerifyProgress& done);
// Report damaged rows as JSON, and the first few on stderr.
[[nodiscard]] Json odd_rows_json(const std::vector<colmap::OddRow>& rows);
void print_odd_rows(const std::vector<colmap::OddRow>& rows);
// Returns the number of pairs of a database that have a geometry (colmap::is_geometry).
[[nodiscard]] std::int64_t verified_pairs(const colmap::VerifyProgress& done);
[[nodiscard]] Json verified_json(const std::string& database, const colmap::VerifyProgress& done);

}  // namespace bifocal::cli
