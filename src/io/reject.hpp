// SPDX-License-Identifier: BSD-3-Clause
// The one way a reader or writer of this room fails.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include <bifocal/error.hpp>

namespace bifocal::io {

// Throws Error(input) "NAME: what is wrong".
template <class... Args>
[[noreturn]] void reject(std::string_view name, fmt::format_string<Args...> what, Args&&... args) {
  throw Error(ErrorCode::input,
              fmt::format("{}: {}", name, fmt::format(what, std::forward<Args>(args)...)));
}

// Text of a damaged file as it can be shown: at most 40 characters, control characters as '?'.
inline std::string printable(std::string_view text) {
  std::string shown(text.substr(0, 40));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text.size() > 40 ? shown + "..." : shown;
}

}  // namespace bifocal::io
