// SPDX-License-Identifier: BSD-3-Clause
// Descriptions of the members of every options struct. The function fields() next to a struct
// visits each member with its name, help text, range and unit. Range checks, command-line flags,
// JSON, the Python classes and the settings that collect() records are all derived from it.
//
//   fields(options, [](auto& member, const Field& field) { ... });  // every member, in their order
//   check_options(options);  // throws Error(usage): "SiftOptions::sigma = 9: must be 0.8 to 8"
//
// A structured binding in fields() names all members, so a new member does not compile until it is
// bound. scripts/check-fields finds members that are bound but not visited.
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

// The values that an option may have. No range contains NaN.
struct Range {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();
  bool excludes_lo = false, excludes_hi = false;
  bool is_odd = false;           // contains odd numbers only
  std::array<int, 3> numbers{};  // if `count` is not 0, the range contains only
  int count = 0;                 // the first `count` numbers
  // Names of an enum's values, or the permitted strings.
  std::span<const std::string_view> words = {};

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
// Returns a description such as "0.8 to 8", "at least 0", "above 0 and finite", "odd, 3 to 31" or
// "0, 3 or 5"; empty if every number is permitted.
[[nodiscard]] std::string to_string(const Range& range);

// Description of one member of an options struct.
struct Field {
  const char* name;
  const char* help = "";  // half a sentence that begins in lower case, as shown by --help
  Range range = {};
  const char* unit = "";  // "px", "bytes"
};

// Visits a member with its Field; the arguments after the name are help, range and unit.
#define BIFOCAL_FIELD(member, ...) visit(member, Field{#member, __VA_ARGS__})

// Returns the unit followed by the help text: "px: largest error of an inlier".
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

// Checks one value for check_options(). Throws Error(usage) if the value is out of the range.
void check_option(const std::string& path, const Field& field, double value);
void check_option(const std::string& path, const Field& field, const std::string& value);

// Returns the path of the members of a struct: its name and "::".
[[nodiscard]] std::string members_path(const char* struct_name);

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
// Checks all members of an options struct. Throws Error(usage) with the name and value of the first
// member out of its range, and the range.
template <HasFields Options>
void check_options(const Options& options) {
  check_options(options, members_path(name_of(options)));
}

}  // namespace bifocal
