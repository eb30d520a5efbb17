// SPDX-License-Identifier: BSD-3-Clause
// The result of `bifocal adjust` as sentences and as JSON.
#pragma once

#include <bifocal/colmap/bundle_adjust.hpp>
#include <nlohmann/json_fwd.hpp>

#include <string>

#include "cli.hpp"

namespace bifocal::cli {

struct AdjustReport {
  const colmap::BundleAdjustOptions& options;
  const colmap::BundleAdjustResult& result;
  std::string device;
  double seconds = 0;
};

[[nodiscard]] std::string adjust_sentences(const AdjustReport& report);
[[nodiscard]] Json adjust_json(const AdjustReport& report);

}  // namespace bifocal::cli
