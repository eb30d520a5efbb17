// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <bifocal/colmap/bundle_adjust.hpp>
#include <bifocal/fields.hpp>
#include <bifocal/mapping.hpp>
#include <bifocal/pair_selection.hpp>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace bifocal::python {
namespace {

std::string text_of(nb::handle object) { return nb::cast<std::string>(nb::repr(object)); }

nb::object member_of(nb::handle object, const char* type, const char* name) {
  nb::object value = nb::getattr(object, name, nb::object());
  if (!value.is_valid())
    type_error(fmt::format("options: {}, must be a bifocal.{}", shown(object), type));
  return value;
}

template <class T>
void read_number(nb::handle object, const char* type, const char* name, T& to) {
  const nb::object value = member_of(object, type, name);
  if (exact_cast(value, to)) return;
  const char* wanted = std::is_same_v<T, bool>            ? "True or False"
                       : std::is_floating_point_v<T>      ? "a number"
                       : std::is_same_v<T, std::uint64_t> ? "a whole number from 0 to 2^64 - 1"
                                                          : "a whole number";
  type_error(fmt::format("{}.{}: {}, must be {}", type, name, shown(value), wanted));
}

constexpr std::string_view kSolvers[] = {
#define SOLVER(name, ...) #name,
#include <bifocal/solvers.def>
};

// Converts a word to its enumerator; raises ValueError that lists all words.
template <class Enum>
Enum named(std::span<const std::string_view> words, const std::string& what, nb::handle value) {
  std::string word;
  const auto found = nb::try_cast(value, word) ? std::ranges::find(words, word) : words.end();
  if (found == words.end())
    value_error(
        fmt::format("{}: {}, must be one of '{}'", what, text_of(value), fmt::join(words, "', '")));
  return static_cast<Enum>(found - words.begin());
}

// Reads a dataclass of Python by the names of its fields. Lists and functions are left out.
template <HasFields Options>
void read(nb::handle object, Options& to) {
  const char* const type = name_of(to);
  fields(to, [&](auto& member, const Field& field) {
    using Value = std::remove_cvref_t<decltype(member)>;
    if constexpr (HasFields<Value>) {
      read(member_of(object, type, field.name), member);
    } else if constexpr (std::is_enum_v<Value>) {
      member = named<Value>(field.range.words, fmt::format("{}.{}", type, field.name),
                            member_of(object, type, field.name));
    } else if constexpr (std::is_arithmetic_v<Value>) {
      read_number(object, type, field.name, member);
    }
  });
}

// Describes each member by its type, default, choices (or None), help and range.
template <HasFields Options>
nb::dict described(const Options& options) {
  nb::dict all;
  fields(options, [&all](const auto& member, const Field& field) {
    using Value = std::remove_cvref_t<decltype(member)>;
    const std::span numbers(field.range.numbers.data(), std::size_t(field.range.count));
    nb::object choices = nb::none();
    if (!numbers.empty()) choices = nb::cast(std::vector<int>(numbers.begin(), numbers.end()));
    if constexpr (HasFields<Value>) {
      all[field.name] =
          nb::make_tuple(name_of(member), described(member), choices, text_of(field), "");
    } else if constexpr (std::is_enum_v<Value>) {
      nb::list words;
      for (const std::string_view word : field.range.words) words.append(word);
      all[field.name] =
          nb::make_tuple("str", words[std::size_t(member)], words, text_of(field), "");
    } else if constexpr (std::is_arithmetic_v<Value>) {
      const char* const type = std::is_same_v<Value, bool>       ? "bool"
                               : std::is_floating_point_v<Value> ? "float"
                                                                 : "int";
      all[field.name] =
          nb::make_tuple(type, member, choices, text_of(field), to_string(field.range));
    }
  });
  return all;
}

template <class... Options>
nb::dict described_by_name(const Options&... options) {
  nb::dict all;
  ((all[name_of(options)] = described(options)), ...);
  return all;
}

}  // namespace

double number_field(nb::handle object, const char* what, const char* field) {
  double value = 0;
  read_number(object, what, field, value);
  return value;
}

template <HasFields Options>
Options options_of(nb::handle object) {
  Options options;
  if (!object.is_none()) read(object, options);
  return options;
}
template RobustOptions options_of(nb::handle);
template MatchOptions options_of(nb::handle);
template FloatMatchOptions options_of(nb::handle);
template SgmOptions options_of(nb::handle);
template SsdOptions options_of(nb::handle);
template colmap::VerifyOptions options_of(nb::handle);
template AdjustOptions options_of(nb::handle);
template colmap::BundleAdjustOptions options_of(nb::handle);
template MapOptions options_of(nb::handle);
template RetrievalOptions options_of(nb::handle);

DetectorOptions detector_options(nb::handle object) {
  if (!object.is_none() && nb::hasattr(object, "upright"))
    return {{}, options_of<SurfOptions>(object)};
  return {options_of<SiftOptions>(object), {}};
}

bool is_ssd_options(nb::handle object) { return nb::hasattr(object, "window"); }

nb::dict option_fields() {
  return described_by_name(RobustOptions{}, SiftOptions{}, SurfOptions{}, MatchOptions{},
                           FloatMatchOptions{}, DisparityFilter{}, SgmOptions{}, SsdOptions{},
                           colmap::VerifyOptions{}, AdjustOptions{}, colmap::BundleAdjustOptions{},
                           MapOptions{}, RetrievalOptions{});
}

ModelKind kind_of(const std::string& name) {
  return named<ModelKind>(kModelKindWords, "kind", nb::cast(name));
}
std::string name_of(ModelKind kind) { return std::string(kModelKindWords[std::size_t(kind)]); }
MinimalSolver solver_of(const std::string& name) {
  return named<MinimalSolver>(kSolvers, "solver", nb::cast(name));
}

}  // namespace bifocal::python
