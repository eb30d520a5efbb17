// SPDX-License-Identifier: BSD-3-Clause
// Every options struct says once what its members are: fields() beside it visits each of them with
// its name, a line of help, its range and its unit. The check of ranges, the flags of the command
// line, JSON, the classes of Python and the settings that collect() keeps are made from that.
//
//   fields(options, [](auto& member, const Field& field) { ... });  // every member, in their order
//   check_options(options);  // throws Error(usage): "SiftOptions::sigma = 9: must be 0.8 to 8"
//
// A structured binding in fields() names all members, so that a new one does not compile until it
// is there; scripts/check-fields finds one that is bound and not visited.
#pragma once

#include <bifocal/cxx20.hpp>

#include <array>
#include <concepts>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace bifocal {

// A Range holds the values that an option may have. NaN is in no range.
struct Range {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();
  bool excludes_lo = false, excludes_hi = false;
  bool is_odd = false;                           // it has only odd numbers
  std::array<int, 3> numbers{};                  // it has only the first `count` of these,
  int count = 0;                                 // where this is not 0
  std::span<const std::string_view> words = {};  // name an enum's numbers, or list the texts

  static constexpr Range at_least(double lo) { return {.lo = lo}; }
  static constexpr Range above(double lo) { return {.lo = lo, .excludes_lo = true}; }
  static constexpr Range within(double lo, double hi) { return {.lo = lo, .hi = hi}; }
  static constexpr Range odd(double lo, double hi) { return {.lo = lo, .hi = hi, .is_odd = true}; }
  static constexpr Range one_of(std::initializer_list<int> numbers) {
    Range range;
    for (const int number : numbers) range.numbers[std::size_t(range.count++)] = number;
    return range;
  }
  static constexpr Range one_of(std::span<const std::string_view> words) {
    Range range;
    range.words = words;
    return range;
  }
  [[nodiscard]] constexpr Range below(double end) const {
    Range range = *this;
    range.hi = end;
    range.excludes_hi = true;
    return range;
  }
  [[nodiscard]] constexpr Range finite() const {
    return below(std::numeric_limits<double>::infinity());
  }
  [[nodiscard]] bool contains(double value) const;
};
// Returns "0.8 to 8", "at least 0", "above 0 and finite", "odd, 3 to 31" or "0, 3 or 5"; empty for
// all numbers.
[[nodiscard]] std::string to_string(const Range& range);

// A Field describes one member of an options struct.
struct Field {
  const char* name;
  const char* help = "";  // half a sentence in small letters, as --help shows it
  Range range = {};
  const char* unit = "";  // "px", "bytes"
};

// Visits a member with its Field: help, range and unit follow its name.
#define BIFOCAL_FIELD(member, ...) visit(member, Field{#member, __VA_ARGS__})

// Returns the help after the unit: "px: largest error of an inlier".
[[nodiscard]] std::string text_of(const Field& field);

template <class T, class Options>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Options>;

struct FieldVisitor {  // does nothing
  void operator()(const auto&, const Field&) const {}
};
template <class T>
concept HasFields = requires(const T& options, const FieldVisitor& visit) {
  fields(options, visit);
  name_of(options);
};

// These are made for check_options(). Each throws Error(usage) for a value out of the range.
void check_option(const std::string& path, const Field& field, double value);
void check_option(const std::string& path, const Field& field, const std::string& value);

template <HasFields Options>
void check_options(const Options& options, const std::string& path) {
  fields(options, [&path](const auto& member, const Field& field) {
    using Value = std::remove_cvref_t<decltype(member)>;
    if constexpr (HasFields<Value>) {
      check_options(member, path + field.name + ".");
    } else if constexpr (requires { requires HasFields<typename Value::value_type>; }) {
      if (member) check_options(*member, path + field.name + ".");
    } else if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>) {
      check_option(path, field, static_cast<double>(member));
    } else if constexpr (std::same_as<Value, std::string>) {
      check_option(path, field, member);
    }
  });
}
// Throws Error(usage) that names the first member out of its range, its value and the range.
template <HasFields Options>
void check_options(const Options& options) {
  check_options(options, std::string(name_of(options)) + "::");
}

}  // namespace bifocal
