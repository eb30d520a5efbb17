// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <compare>

#include <bifocal/io.hpp>

namespace bifocal {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes the leading digits from the text and returns them without leading zeros.
std::string_view take_number(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  std::string_view number = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(number.size());
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

// Compares names of files or folders, with digits ordered as numbers.
std::strong_ordering compare_parts(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a, whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a[0]) && is_digit(b[0])) {
      const std::string_view m = take_number(a), n = take_number(b);
      if (m.size() != n.size()) return m.size() <=> n.size();
      if (m != n) return m <=> n;
    } else if (a[0] != b[0]) {
      return static_cast<unsigned char>(a[0]) <=> static_cast<unsigned char>(b[0]);
    } else {
      a.remove_prefix(1), b.remove_prefix(1);
    }
  }
  if (a.empty() != b.empty()) return b.empty() <=> a.empty();
  return whole_a <=> whole_b;  // decides between 01 and 1
}

std::string_view take_part(std::string_view& path) {
  const std::string_view part = path.substr(0, path.find('/'));
  path.remove_prefix(std::min(part.size() + 1, path.size()));
  return part;
}

}  // namespace

bool comes_before(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const auto order = compare_parts(take_part(a), take_part(b));
    if (order != 0) return order < 0;
  }
  return a.empty() && !b.empty();
}

}  // namespace bifocal
