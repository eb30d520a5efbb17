// SPDX-License-Identifier: BSD-3-Clause
// Options of both matching methods of `bifocal stereo`.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <bifocal/rectify.hpp>
#include <bifocal/stereo.hpp>

#include "cli.hpp"
#include "picture.hpp"

namespace bifocal::cli {

struct StereoMethod {
  std::string method = "sgm";
  std::optional<int> max_disparity;
  bool has_min_disparity = false;  // --min-disparity was given
  // Options common to both methods are parsed into `sgm`.
  SgmOptions sgm;
  SsdOptions ssd;
};

// Adds --method, the search range and all options of either method. Options that the chosen method
// would ignore are refused.
void add_stereo_method(const Command& command, StereoMethod& method);

// Fills `sgm` and `ssd` after parsing. Without --max-disparity the search has the `estimated`
// range, from `estimated.min` unless --min-disparity was given. Throws Error(usage) for a range of
// less than 1 or more than 1024 disparities.
void finish(StereoMethod& method, DisparityRange estimated);

// Matches two images of one depth and size.
[[nodiscard]] DisparityMap match(Queue& queue, const StereoMethod& method, const Picture& left,
                                 const Picture& right);

// Returns the options for stereo.json.
[[nodiscard]] Json options_json(const StereoMethod& method);
// Returns the options for the report, as names and values.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> option_rows(
    const StereoMethod& method);

}  // namespace bifocal::cli
