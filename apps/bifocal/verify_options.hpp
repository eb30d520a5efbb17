// SPDX-License-Identifier: BSD-3-Clause
// The options of geometric verification, of every command that has them.
#pragma once

#include <bifocal/colmap_verify.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli.hpp"

namespace bifocal::cli {

struct VerifyOptions {
  std::string pairs;
  bool overwrite = false, no_watermark = false;
  colmap::VerifyOptions rules;

  [[nodiscard]] colmap::VerifyOptions chosen() const;
};
void add_verify_options(const Command& command, VerifyOptions& options);

// Pairs by configuration, those that there are.
[[nodiscard]] Json counts_json(const colmap::VerifyProgress& done);
// Rows that could not be taken as they are: for a reader of JSON, and on stderr, the first ones.
[[nodiscard]] Json odd_rows_json(const std::vector<colmap::OddRow>& rows);
void tell_odd_rows(const std::vector<colmap::OddRow>& rows);
// What was verified in a database.
[[nodiscard]] Json verified_json(const std::string& database, const colmap::VerifyProgress& done);

}  // namespace bifocal::cli
