// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/fields.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace bifocal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Returns "0, 3 or 5".
std::string alternatives(const std::vector<std::string>& texts) {
  if (texts.size() < 2) return fmt::format("{}", fmt::join(texts, ""));
  return fmt::format("{} or {}", fmt::join(texts.begin(), texts.end() - 1, ", "), texts.back());
}

std::string interval(const Range& range) {
  const bool has_hi = range.excludes_hi || range.hi < kInfinity;
  if (range.lo > -kInfinity && has_hi && !range.excludes_lo && !range.excludes_hi)
    return fmt::format("{} to {}", range.lo, range.hi);
  std::vector<std::string> bounds;
  if (range.lo > -kInfinity)
    bounds.push_back(fmt::format("{} {}", range.excludes_lo ? "above" : "at least", range.lo));
  if (has_hi && range.hi == kInfinity) {
    bounds.emplace_back("finite");
  } else if (has_hi) {
    bounds.push_back(fmt::format("{} {}", range.excludes_hi ? "below" : "at most", range.hi));
  }
  return fmt::format("{}", fmt::join(bounds, " and "));
}

template <class Value>
[[noreturn]] void refuse(const std::string& path, const Field& field, const Value& value) {
  const std::string wanted = to_string(field.range);
  throw Error(ErrorCode::usage, fmt::format("{}{} = {}: must be {}", path, field.name, value,
                                            wanted.empty() ? "a number" : wanted));
}

}  // namespace

bool Range::contains(double value) const {
  if (!words.empty()) return value >= 0 && value < static_cast<double>(words.size());
  if (count > 0)
    return std::find(numbers.begin(), numbers.begin() + count, value) != numbers.begin() + count;
  if (!(value >= lo && value <= hi) || (excludes_lo && value == lo) || (excludes_hi && value == hi))
    return false;
  return !is_odd || std::fmod(value, 2) != 0;
}

std::string to_string(const Range& range) {
  std::vector<std::string> texts(range.words.begin(), range.words.end());
  for (int i = 0; i < range.count; ++i)
    texts.push_back(fmt::format("{}", range.numbers[std::size_t(i)]));
  if (!texts.empty()) return alternatives(texts);
  return range.is_odd ? "odd, " + interval(range) : interval(range);
}

std::string text_of(const Field& field) {
  return *field.unit ? fmt::format("{}: {}", field.unit, field.help) : field.help;
}

std::string members_path(const char* struct_name) { return fmt::format("{}::", struct_name); }

void check_option(const std::string& path, const Field& field, double value) {
  if (!field.range.contains(value)) refuse(path, field, value);
}

void check_option(const std::string& path, const Field& field, const std::string& value) {
  const auto& words = field.range.words;
  if (!words.empty() && std::ranges::find(words, value) == words.end()) refuse(path, field, value);
}

}  // namespace bifocal
