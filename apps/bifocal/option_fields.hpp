// SPDX-License-Identifier: BSD-3-Clause
// Command-line flags and JSON from the fields of options (bifocal/fields.hpp): --max-features for
// `max_features`, --no-dense for a `dense` that is true.
#pragma once

#include <bifocal/fields.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "cli.hpp"

namespace bifocal::cli {

// Changes to the flag of a field: another name, help text or range, or a heading in --help.
struct FlagChange {
  const char* name = nullptr;
  const char* help = nullptr;
  std::optional<Range> range = {};
  bool shows_default = true;
  const char* group = "";
};

// Lists the members without a flag, and the members whose flag differs from their field. A member
// is identified by its address.
class FlagChanges {
 public:
  // Leaves out members, also all members of nested options.
  template <class... Values>
  FlagChanges& leave_out(const Values&... members) {
    (left_out_.push_back({address(members), sizeof members}), ...);
    return *this;
  }
  template <class Value>
  FlagChanges& change(const Value& member, const FlagChange& change) {
    changed_.push_back({{address(member), sizeof member}, change});
    return *this;
  }
  template <class Value>
  [[nodiscard]] bool leaves_out(const Value& member) const {
    const std::byte* const begin = address(member);
    return std::ranges::any_of(left_out_, [&](const Place& p) {
      return begin >= p.begin && begin + sizeof member <= p.begin + p.size;
    });
  }
  template <class Value>
  [[nodiscard]] FlagChange of(const Value& member) const {
    for (const auto& [place, change] : changed_)
      if (place.begin == address(member) && place.size == sizeof member) return change;
    return {};
  }

 private:
  struct Place {
    const std::byte* begin;
    std::size_t size;
  };
  template <class Value>
  static const std::byte* address(const Value& member) {
    return reinterpret_cast<const std::byte*>(&member);
  }
  std::vector<Place> left_out_;
  std::vector<std::pair<Place, FlagChange>> changed_;
};

[[nodiscard]] inline std::string small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}
// Returns "--max-features" of "max_features", "--p1" of "P1".
[[nodiscard]] inline std::string flag_name(const char* member) {
  std::string name = "--" + small_letters(member);
  std::ranges::replace(name, '_', '-');
  return name;
}

template <class Value>
void add_flag(const Command& command, const Field& field, Value& member, const FlagChange& change) {
  const HelpGroup group(command, change.group);
  const Range range = change.range.value_or(field.range);
  const std::string help = change.help ? change.help : text_of(field);
  const std::string name = change.name ? change.name : flag_name(field.name);
  if constexpr (std::is_same_v<Value, bool>) {
    if (member)
      return command.off_flag(change.name ? name : "--no-" + name.substr(2), member, help);
    command.flag(name, member, help);
  } else if constexpr (std::is_enum_v<Value>) {
    command.choice(
        name, range, [&member](int i) { member = static_cast<Value>(i); }, static_cast<int>(member),
        help);
  } else if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string>) {
    const Option option = command.option(name, member, help);
    if (std::string_view(field.unit) == "bytes") {
      option.size_in_bytes();
    } else if (std::is_unsigned_v<Value>) {
      option.whole_number();
    } else {
      option.in_range(range);
    }
    if (change.shows_default) option.shows_default();
  }
}

// Returns the heading in --help of the flags of an options struct; empty: the heading of the
// flags around it.
[[nodiscard]] constexpr const char* help_group(std::string_view options) {
  constexpr std::pair<std::string_view, const char*> kGroups[] = {
      {"SiftOptions", "Features"},
      {"SurfOptions", "Features of SURF"},
      {"GivenFeatures", "Features of another tool"},
      {"MatchOptions", "Matching"},
      {"RobustOptions", "Robust estimation"},
      {"VerifyOptions", "Verification"},
      {"TwoViewGeometryOptions", "Verification"},
      {"CollectCameras", "Cameras"},
      {"MapOptions", "Mapping"},
      {"BundleAdjustOptions", "Parameters"},
      {"AdjustOptions", "Adjustment"},
      {"ScreenOptions", "Selection of pairs"},
      {"SequentialOptions", "Selection of pairs"},
      {"RetrievalOptions", "Selection of pairs"},
      {"NearOptions", "Selection of pairs"},
      {"SgmOptions", "Semi-global matching"},
      {"SsdOptions", "Sums of squared differences"},
      {"DisparityFilter", "Filters"}};
  for (const auto& [name, group] : kGroups)
    if (options == name || options.ends_with(name)) return group;
  return "";
}

// Adds a flag for every member, also of nested options, that has a one-line value and is not left
// out. New members of the options get their flags automatically. The flags of an options struct
// stand under its heading in --help.
template <HasFields Options>
void add_flags(const Command& command, Options& options, const FlagChanges& changes = {}) {
  const HelpGroup group(command, help_group(name_of(options)));
  fields(options, [&](auto& member, const Field& field) {
    if (changes.leaves_out(member)) return;
    if constexpr (HasFields<std::remove_reference_t<decltype(member)>>) {
      add_flags(command, member, changes);
    } else {
      add_flag(command, field, member, changes.of(member));
    }
  });
}

// Adds every member under its name in lower case; members of nested options are added on the
// same level.
template <HasFields Options>
void add_json(const Options& options, Json& json) {
  fields(options, [&json](const auto& member, const Field& field) {
    using Value = std::remove_cvref_t<decltype(member)>;
    const std::string name = small_letters(field.name);
    if constexpr (HasFields<Value>) {
      add_json(member, json);
    } else if constexpr (std::is_enum_v<Value>) {
      json[name] = field.range.words[static_cast<std::size_t>(member)];
    } else {
      json[name] = member;
    }
  });
}

}  // namespace bifocal::cli
