// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <bifocal/collect.hpp>
#include <bifocal/colmap/bundle_adjust.hpp>
#include <bifocal/dense.hpp>
#include <bifocal/fields.hpp>
#include <bifocal/mapping.hpp>
#include <bifocal/two_photographs.hpp>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <concepts>
#include <filesystem>

#include "files.hpp"

namespace bifocal::python {
namespace {

std::string text_of(nb::handle object) { return nb::cast<std::string>(nb::repr(object)); }

template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;

// Types of the members that Python has. Views, functions and devices are arguments of calls.
template <class T>
concept HasClass =
    HasFields<T> || std::is_enum_v<T> || std::is_arithmetic_v<T> || std::same_as<T, std::string> ||
    std::same_as<T, std::filesystem::path> || std::same_as<T, Intrinsics>;
template <class T>
concept InPython = HasClass<T> ||(is_optional<T>&& HasClass<typename T::value_type>);

template <class T>
void read_number(nb::handle value, const std::string& name, T& to) {
  if (exact_cast(value, to)) return;
  const char* wanted = std::is_same_v<T, bool>            ? "True or False"
                       : std::is_floating_point_v<T>      ? "a number"
                       : std::is_same_v<T, std::uint64_t> ? "a whole number from 0 to 2^64 - 1"
                                                          : "a whole number";
  type_error(fmt::format("{}: {}, must be {}", name, shown(value), wanted));
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

template <HasFields Options>
void read(nb::handle object, const std::string& name, Options& to);

// name: of the member in messages, such as "SgmOptions.paths".
template <InPython Value>
void read_value(nb::handle given, const std::string& name, const Field& field, Value& to) {
  if constexpr (is_optional<Value>) {
    if (given.is_none())
      to.reset();
    else
      read_value(given, name, field, to.emplace());
  } else if constexpr (HasFields<Value>) {
    read(given, name, to);
  } else if constexpr (std::is_enum_v<Value>) {
    to = named<Value>(field.range.words, name, given);
  } else if constexpr (std::same_as<Value, Intrinsics>) {
    to = pinhole_of(given, name.c_str());
  } else if constexpr (std::same_as<Value, std::filesystem::path>) {
    to = given.is_none() ? std::filesystem::path() : file_of(given, name.c_str()).path;
  } else if constexpr (std::same_as<Value, std::string>) {
    if (!nb::try_cast(given, to))
      type_error(fmt::format("{}: {}, must be str", name, shown(given)));
  } else {
    read_number(given, name, to);
  }
}

// Reads a dataclass of Python by the names of its fields. name: of the object in messages.
template <HasFields Options>
void read(nb::handle object, const std::string& name, Options& to) {
  const char* const type = name_of(to);
  fields(to, [&](auto& member, const Field& field) {
    if constexpr (InPython<std::remove_cvref_t<decltype(member)>>) {
      const nb::object value = nb::getattr(object, field.name, nb::object());
      if (!value.is_valid())
        type_error(fmt::format("{}: {}, must be a bifocal.{}", name, shown(object), type));
      read_value(value, fmt::format("{}.{}", type, field.name), field, member);
    }
  });
}

template <HasFields Options>
nb::dict described(const Options& options);

// Returns the name of a member's class in Python and its value there.
template <InPython Value>
std::pair<std::string, nb::object> in_python(const Value& value, const Field& field) {
  if constexpr (is_optional<Value>) {
    if (value) throw Error(ErrorCode::usage, fmt::format("{}: has a default", field.name));
    return {in_python(typename Value::value_type(), field).first + " | None", nb::none()};
  } else if constexpr (HasFields<Value>) {
    return {name_of(value), described(value)};
  } else if constexpr (std::is_enum_v<Value>) {
    return {"str", nb::cast(field.range.words[std::size_t(value)])};
  } else if constexpr (std::same_as<Value, Intrinsics>) {
    return {"CameraLike", nb::none()};
  } else if constexpr (std::same_as<Value, std::filesystem::path>) {
    return {"Path | None", nb::none()};
  } else if constexpr (std::same_as<Value, std::string>) {
    return {"str", nb::cast(std::string_view(value))};
  } else {
    return {std::is_same_v<Value, bool>       ? "bool"
            : std::is_floating_point_v<Value> ? "float"
                                              : "int",
            nb::cast(value)};
  }
}

// Returns the choices of a member, None if it has none.
nb::object choices_of(const Range& range) {
  const std::span numbers(range.numbers.data(), std::size_t(range.count));
  if (!numbers.empty()) return nb::cast(std::vector<int>(numbers.begin(), numbers.end()));
  if (!range.words.empty())
    return nb::cast(std::vector<std::string_view>(range.words.begin(), range.words.end()));
  return nb::none();
}

// Describes each member by its type, default, choices (or None), help and range.
template <HasFields Options>
nb::dict described(const Options& options) {
  nb::dict all;
  fields(options, [&all](const auto& member, const Field& field) {
    if constexpr (InPython<std::remove_cvref_t<decltype(member)>>) {
      const auto [type, value] = in_python(member, field);
      const bool has_range = type.starts_with("int") || type.starts_with("float");
      all[field.name] = nb::make_tuple(type, value, choices_of(field.range), text_of(field),
                                       has_range ? to_string(field.range) : "");
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
  const nb::object given = nb::getattr(object, field, nb::none());
  read_number(given, fmt::format("{}.{}", what, field), value);
  return value;
}

template <HasFields Options>
Options options_of(nb::handle object) {
  Options options;
  if (!object.is_none()) read(object, "options", options);
  return options;
}
template RobustOptions options_of(nb::handle);
template MatchOptions options_of(nb::handle);
template FloatMatchOptions options_of(nb::handle);
template SgmOptions options_of(nb::handle);
template SsdOptions options_of(nb::handle);
template colmap::TwoViewGeometryOptions options_of(nb::handle);
template AdjustOptions options_of(nb::handle);
template colmap::BundleAdjustOptions options_of(nb::handle);
template MapOptions options_of(nb::handle);
template DenseOptions options_of(nb::handle);
template RetrievalOptions options_of(nb::handle);
template PairOptions options_of(nb::handle);
template CollectOptions options_of(nb::handle);

DetectorOptions detector_options(nb::handle object) {
  if (!object.is_none() && nb::hasattr(object, "upright"))
    return {{}, options_of<SurfOptions>(object)};
  return {options_of<SiftOptions>(object), {}};
}

bool is_ssd_options(nb::handle object) { return nb::hasattr(object, "window"); }

nb::dict option_fields() {
  return described_by_name(RobustOptions{}, SiftOptions{}, SurfOptions{}, MatchOptions{},
                           FloatMatchOptions{}, DisparityFilter{}, SgmOptions{}, SsdOptions{},
                           colmap::TwoViewGeometryOptions{}, AdjustOptions{},
                           colmap::BundleAdjustOptions{}, MapOptions{}, DenseOptions{},
                           RetrievalOptions{}, PairOptions{}, ScreenOptions{}, SequentialOptions{},
                           NearOptions{}, GivenFeatures{}, CollectCameras{}, CollectOptions{});
}

ModelKind kind_of(const std::string& name) {
  return named<ModelKind>(kModelKindWords, "kind", nb::cast(name));
}
std::string name_of(ModelKind kind) { return std::string(kModelKindWords[std::size_t(kind)]); }
MinimalSolver solver_of(const std::string& name) {
  return named<MinimalSolver>(kSolvers, "solver", nb::cast(name));
}

}  // namespace bifocal::python
