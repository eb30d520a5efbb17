// SPDX-License-Identifier: BSD-3-Clause
// Options by name and text, from the fields of the options structs (bifocal/fields.hpp).
#include <bifocal/io.hpp>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <utility>

#include "handles.hpp"

namespace bifocal::c {
namespace {

template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;
template <class T>
concept Number = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

// Types of members that one text sets. Members of further types are arguments of functions or have
// no form in C. The kind of model is an argument of bf_pair_photographs().
template <class T>
concept Plain = (std::is_arithmetic_v<T> || std::is_enum_v<T> || std::same_as<T, std::string> ||
                 std::same_as<T, std::filesystem::path> ||
                 std::same_as<T, Intrinsics>)&&!std::same_as<T, ModelRequest>;
template <class T>
concept List = requires {
  requires std::same_as<T, std::vector<typename T::value_type>> && Number<typename T::value_type>;
};
template <class T>
concept Maybe = is_optional<T> && Plain<typename T::value_type>;
template <class T>
concept MaybeFields = is_optional<T> && HasFields<typename T::value_type>;

std::string choices(const Range& range) { return fmt::format("{}", fmt::join(range.words, ", ")); }

// name: of the option in messages.
template <Number T>
T number_of(std::string_view text, const std::string& name, const Field& field) {
  std::string_view digits = text;
  T scale = 1;
  if (std::string_view(field.unit) == "bytes" && !digits.empty()) {
    constexpr std::string_view kUnits = "KMGT";
    const std::size_t unit = kUnits.find(digits.back());
    if (unit != std::string_view::npos) {
      scale = static_cast<T>(std::int64_t{1} << (10 * (unit + 1)));
      digits.remove_suffix(1);
    }
  }
  T value{};
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error == std::errc::result_out_of_range)
    throw usage("{} = {}: is too large or too small", name, text);
  if (error != std::errc() || stop != end || digits.empty())
    throw usage("{} = {}: must be a {}", name, text.empty() ? "\"\"" : text,
                std::integral<T> ? "whole number" : "number");
  if (scale != 1 && value > std::numeric_limits<T>::max() / scale)
    throw usage("{} = {}: is too large", name, text);
  return static_cast<T>(value * scale);
}

template <class T>
requires Plain<T> T value_of(std::string_view text, const std::string& name, const Field& field) {
  if constexpr (std::same_as<T, bool>) {
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    throw usage("{} = {}: must be true or false", name, text);
  } else if constexpr (std::is_enum_v<T>) {
    const auto found = std::ranges::find(field.range.words, text);
    if (found == field.range.words.end())
      throw usage("{} = {}: must be one of {}", name, text, choices(field.range));
    return static_cast<T>(found - field.range.words.begin());
  } else if constexpr (std::same_as<T, Intrinsics>) {
    return parse_intrinsics(text);
  } else if constexpr (Number<T>) {
    const T value = number_of<T>(text, name, field);
    check_option("", {name.c_str(), field.help, field.range, field.unit},
                 static_cast<double>(value));
    return value;
  } else {
    if constexpr (std::same_as<T, std::string>)
      check_option("", {name.c_str(), field.help, field.range, field.unit}, T(text));
    return T(text);
  }
}

template <List T>
T list_of(std::string_view text, const std::string& name, const Field& field) {
  T list;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    list.push_back(number_of<typename T::value_type>(text.substr(0, comma), name, field));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return list;
}

// Sets the member with this name. Returns false without such a member.
template <HasFields Options>
bool set(Options& options, const std::string& prefix, const std::string& name,
         std::string_view text) {
  bool is_set = false;
  fields(options, [&](auto& member, const Field& field) {
    using Value = std::remove_reference_t<decltype(member)>;
    const std::string path = prefix + field.name;
    const bool is_inside = name.starts_with(path + ".");
    if (is_set || (name != path && !is_inside)) return;
    if constexpr (HasFields<Value>) {
      if (is_inside) is_set = set(member, path + ".", name, text);
    } else if constexpr (MaybeFields<Value>) {
      if (!is_inside) is_set = true;
      if (is_inside && !member) member.emplace();
      if (is_inside)
        is_set = set(*member, path + ".", name, text);
      else if (text.empty())
        member.reset();
      else
        throw usage("{} = {}: must be \"\"; members are set by {}.NAME", name, text, name);
    } else if (!is_inside) {
      is_set = true;
      if constexpr (Plain<Value>)
        member = value_of<Value>(text, name, field);
      else if constexpr (List<Value>)
        member = list_of<Value>(text, name, field);
      else if constexpr (Maybe<Value> && !List<Value>)
        member =
            text.empty() ? Value() : Value(value_of<typename Value::value_type>(text, name, field));
      else
        is_set = false;
    }
  });
  return is_set;
}

template <class T>
std::string text_of_value(const T& value, const Field& field) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(field.range.words[static_cast<std::size_t>(value)]);
  } else if constexpr (std::same_as<T, Intrinsics>) {
    return fmt::format("{},{},{},{}", value.fx, value.fy, value.cx, value.cy);
  } else if constexpr (std::same_as<T, std::filesystem::path>) {
    return value.string();
  } else if constexpr (List<T>) {
    return fmt::format("{}", fmt::join(value, ","));
  } else if constexpr (is_optional<T>) {
    return value ? text_of_value(*value, field) : "";
  } else {
    return fmt::format("{}", value);
  }
}

template <HasFields Options>
void describe(const Options& options, const std::string& prefix, std::vector<OptionText>& to) {
  fields(options, [&](const auto& member, const Field& field) {
    using Value = std::remove_cvref_t<decltype(member)>;
    const std::string path = prefix + field.name;
    if constexpr (HasFields<Value>) {
      describe(member, path + ".", to);
    } else if constexpr (MaybeFields<Value>) {
      describe(member ? *member : typename Value::value_type(), path + ".", to);
    } else if constexpr (Plain<Value> || List<Value> || Maybe<Value>) {
      const std::string range =
          field.range.words.empty() ? to_string(field.range) : choices(field.range);
      to.push_back({path, field.help, range, field.unit, text_of_value(member, field)});
    }
  });
}

std::vector<OptionText> described(const AnyOptions& options) {
  std::vector<OptionText> all;
  std::visit([&](const auto& values) { describe(values, "", all); }, options);
  return all;
}

// Lists the options that end in this name, otherwise all options.
std::string known_names(const bf_options& options, const std::string& name) {
  std::vector<std::string> all, similar;
  for (const OptionText& text : described(options.values)) {
    all.push_back(text.name);
    if (text.name.ends_with("." + name)) similar.push_back(text.name);
  }
  if (!similar.empty()) return fmt::format("did you mean {}?", fmt::join(similar, " or "));
  return fmt::format("the options are {}", fmt::join(all, ", "));
}

template <std::size_t I = 0>
AnyOptions defaults_of(std::string_view call) {
  if constexpr (I < std::size(kCalls)) {
    if (call == kCalls[I]) return AnyOptions(std::in_place_index<I>);
    return defaults_of<I + 1>(call);
  }
  throw usage("call = {}: must be one of {}", call, fmt::join(kCalls, ", "));
}

}  // namespace

Callbacks::Callbacks(const bf_options* options) {
  if (options) callbacks_ = options->callbacks;
  if (callbacks_.is_cancelled)
    scope_.emplace([c = callbacks_] { return c.is_cancelled(c.user) != 0; });
}

void Callbacks::progress(std::string_view stage, std::string_view unit, std::int64_t done,
                         std::int64_t total) const {
  if (!callbacks_.progress) return;
  const std::string stage_text(stage), unit_text(unit);
  const bf_progress state = {sizeof state, stage_text.c_str(), unit_text.c_str(), done, total};
  if (callbacks_.progress(callbacks_.user, &state) != 0) throw Cancelled();
}

void Callbacks::note(const std::string& text) const {
  if (callbacks_.note) callbacks_.note(callbacks_.user, text.c_str());
}

}  // namespace bifocal::c

using namespace bifocal;
using namespace bifocal::c;

int bf_options_create(const char* call, bf_options** out) {
  return guarded(__func__, [&] {
    bf_options*& to = output(out);
    to = new bf_options{defaults_of(&need(call, "call"))};
  });
}

int bf_options_set(bf_options* options, const char* name, const char* value) {
  return guarded(__func__, [&] {
    need(options, "options");
    const std::string path = &need(name, "name"), text = &need(value, "value");
    AnyOptions changed = options->values;
    const bool is_set = std::visit([&](auto& all) { return set(all, "", path, text); }, changed);
    if (!is_set)
      throw usage("{}: no option of \"{}\"; {}", path, kCalls[options->values.index()],
                  known_names(*options, path));
    options->values = std::move(changed);
  });
}

int bf_options_count(const bf_options* options, int64_t* count) {
  return guarded(__func__, [&] {
    need(count, "count") = std::ssize(described(need(options, "options").values));
  });
}

int bf_options_get(bf_options* options, int64_t index, bf_option_info* out) {
  return guarded(__func__, [&] {
    options->texts = described(need(options, "options").values);
    const OptionText& text = item(options->texts, index);
    give({sizeof *out, text.name.c_str(), text.help.c_str(), text.range.c_str(), text.unit.c_str(),
          text.value.c_str()},
         out);
  });
}

int bf_options_set_callbacks(bf_options* options, const bf_callbacks* callbacks) {
  return guarded(__func__, [&] {
    need(options, "options").callbacks = callbacks ? input(callbacks, "callbacks") : bf_callbacks{};
  });
}

void bf_options_free(bf_options* options) { delete options; }
