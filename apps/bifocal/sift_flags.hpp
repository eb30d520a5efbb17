// SPDX-License-Identifier: BSD-3-Clause
// Flags of commands that find SIFT features.
#pragma once

#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/features.hpp>

#include <string>

#include "arguments.hpp"

namespace bifocal::cli {

inline void add_sift_flags(const Command& command, SiftOptions& sift) {
  command.flag(
      "--domain-size-pooling", sift.domain_size_pooling,
      "RootSIFT or SIFT descriptors of three sizes of neighbourhood in one: more right matches "
      "between views that differ much, for 1.4 to 1.9 times the time");
  command.flag("--affine-shape", sift.affine_shape,
               "RootSIFT or SIFT features of ellipses in the place of circles: a third to a half "
               "more right matches between views far apart, 2 to 7 % fewer between near ones, for "
               "1.2 to 1.5 times the time");
}

// Throws Error(usage) where one of them is set: `features` are not SIFT's.
inline void refuse_sift_flags(const SiftOptions& sift, const std::string& features) {
  for (const auto& [flag, is_set] : {std::pair("--domain-size-pooling", sift.domain_size_pooling),
                                     {"--affine-shape", sift.affine_shape}})
    if (is_set)
      throw Error(ErrorCode::usage, fmt::format("{}: of SIFT, not --features {}", flag, features));
}

}  // namespace bifocal::cli
