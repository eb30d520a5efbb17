// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cstdint>

namespace bifocal::cli {
namespace {

// 010 and 0x10, which would be read as octal and hexadecimal.
bool has_base(const std::string& text) {
  const std::size_t at = text.find_first_not_of("+-");
  return at + 1 < text.size() && text[at] == '0' &&
         std::isalnum(static_cast<unsigned char>(text[at + 1])) != 0 && text[at + 1] != 'e';
}

}  // namespace

CLI::Validator whole_number() {
  return {[](std::string& text) {
            std::uint64_t value = 0;
            const char* end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, value);
            if (text.empty() || stop != end || has_base(text))
              return fmt::format("{} is not a whole number", text);
            return error == std::errc() ? std::string()
                                        : fmt::format("{} is out of range: below 2^64", text);
          },
          ""};
}

CLI::Validator in_range(double lo, double hi) {
  const std::string range = hi < std::numeric_limits<double>::infinity()
                                ? fmt::format("[{}, {}]", lo, hi)
                                : fmt::format("{} or more", lo);
  return {[=](std::string& text) {
            double value = std::numeric_limits<double>::quiet_NaN();
            if (has_base(text) || !CLI::detail::lexical_cast(text, value))
              return fmt::format("{} is not a number", text);
            return value >= lo && value <= hi ? std::string()
                                              : fmt::format("{} is out of range: {}", text, range);
          },
          range};
}

}  // namespace bifocal::cli
