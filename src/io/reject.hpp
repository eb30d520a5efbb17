// SPDX-License-Identifier: BSD-3-Clause
// Error reporting for the readers and writers of this module.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include <bifocal/error.hpp>

namespace bifocal::io {

// Throws Error(input) with the message "NAME: REASON".
template <class... Args>
[[noreturn]] void reject(std::string_view name, fmt::format_string<Args...> what, Args&&... args) {
  throw Error(ErrorCode::input,
              fmt::format("{}: {}", name, fmt::format(what, std::forward<Args>(args)...)));
}

// Returns a printable excerpt of text from a damaged file: at most 40 characters, control
// characters as '?'.
inline std::string printable(std::string_view text) {
  std::string shown(text.substr(0, 40));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text.size() > 40 ? shown + "..." : shown;
}

}  // namespace bifocal::io
