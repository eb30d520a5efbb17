// SPDX-License-Identifier: BSD-3-Clause
// How `bifocal stereo` matches: the options of both methods.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <bifocal/stereo.hpp>

#include "cli.hpp"
#include "picture.hpp"

namespace bifocal::cli {

struct StereoMethod {
  std::string method = "sgm";
  std::optional<int> max_disparity;
  // Options that both methods have are parsed into `sgm`.
  SgmOptions sgm;
  SsdOptions ssd;
};

// --method, the search range and all that belongs to one method or the other. What the other method
// would ignore is refused.
void add_stereo_method(const Command& command, StereoMethod& method);

// After parsing: fills `sgm` and `ssd`; `ndisp` of a calibration file stands in for --max-disparity
// (0: none).
void finish(StereoMethod& method, int ndisp);

// Both pictures of one depth and size.
[[nodiscard]] DisparityMap match(Queue& queue, const StereoMethod& method, const Picture& left,
                                 const Picture& right);

// For stereo.json.
[[nodiscard]] Json options_json(const StereoMethod& method);
// For the report: names and values.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> option_rows(
    const StereoMethod& method);

}  // namespace bifocal::cli
