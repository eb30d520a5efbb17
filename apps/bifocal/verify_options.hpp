// SPDX-License-Identifier: BSD-3-Clause
// The options of geometric verification, of every command that has them.
#pragma once

#include <bifocal/colmap_verify.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

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
// What was verified in a database.
[[nodiscard]] Json verified_json(const std::string& database, const colmap::VerifyProgress& done);

}  // namespace bifocal::cli
