// SPDX-License-Identifier: BSD-3-Clause
// Flags of commands that detect SIFT or other features.
#pragma once

#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/features.hpp>

#include <algorithm>
#include <array>
#include <string>

#include "option_fields.hpp"

namespace bifocal::cli {

// Throws Error(usage) if a flag specific to SIFT is given but `features` is another kind.
inline void refuse_sift_flags(const SiftOptions& sift, const std::string& features) {
  constexpr std::array kNotAlone = {"max_features", "balance", "root", "contrast_threshold"};
  Json given, usual;
  add_json(sift, given);
  add_json(SiftOptions{}, usual);
  for (const auto& [name, value] : given.items())
    if (value != usual[name] && std::ranges::find(kNotAlone, name) == kNotAlone.end())
      throw Error(ErrorCode::usage, fmt::format("{}: is only for SIFT, not for --features {}",
                                                flag_name(name.c_str()), features));
}

}  // namespace bifocal::cli
