// SPDX-License-Identifier: BSD-3-Clause
#include <optional>
#include <type_traits>

#include "io/little_endian.hpp"
#include "io/npy.hpp"
#include "io/reject.hpp"

namespace bifocal {
namespace io {
namespace {

constexpr std::size_t kAlign = 64;  // alignment of the values in the file, required by the format

template <class T>
constexpr std::string_view kType = "";
template <>
constexpr std::string_view kType<double> = "<f8";
template <>
constexpr std::string_view kType<float> = "<f4";
template <>
constexpr std::string_view kType<std::int64_t> = "<i8";
template <>
constexpr std::string_view kType<std::int32_t> = "<i4";
template <>
constexpr std::string_view kType<std::uint8_t> = "|b1";
template <>
constexpr std::string_view kType<std::int8_t> = "|i1";
template <>
constexpr std::string_view kType<std::byte> = "|u1";
template <>
constexpr std::string_view kType<Float16> = "<f2";

template <class... Args>
[[noreturn]] void misuse(std::string_view where, fmt::format_string<Args...> what, Args&&... args) {
  throw Error(ErrorCode::usage,
              fmt::format("{}: {}", where, fmt::format(what, std::forward<Args>(args)...)));
}

// Returns the magic word, version 1.0 and the dictionary, padded to kAlign.
std::string header(std::string_view type, const std::vector<std::int64_t>& shape,
                   std::string_view where) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                 type, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t kFront = 10;  // magic word, version, length of the text
  text.append(kAlign - (kFront + text.size() + 1) % kAlign, ' ');
  text += '\n';
  if (text.size() > 0xffff) misuse(where, "a shape of {} dimensions", shape.size());
  std::string bytes = "\x93NUMPY";
  append_little(bytes, 1, 2);
  append_little(bytes, text.size(), 2);
  return bytes + text;
}

template <class T>
std::string bytes_of(const std::vector<T>& values, const std::vector<std::int64_t>& shape,
                     std::string_view where) {
  bool counts = true;
  for (const std::int64_t size : shape) counts = counts && size >= 0;
  const auto count = counts ? npy_count(shape, sizeof(T)) : std::nullopt;
  if (!count || std::uint64_t(*count) != values.size()) {
    misuse(where, "a shape of [{}] with {} values", fmt::join(shape, ", "), values.size());
  }
  std::string bytes = header(kType<T>, shape, where);
  const std::size_t front = bytes.size();
  bytes.reserve(front + values.size() * sizeof(T));
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    for (const std::uint8_t value : values) bytes.push_back(value != 0);
  } else {
    std::vector<T> swapped;
    const std::vector<T>* from = &values;
    if constexpr (std::endian::native != std::endian::little) {
      swapped = values;
      swap_unless_little(std::span(swapped));
      from = &swapped;
    }
    bytes.append(reinterpret_cast<const char*>(from->data()), from->size() * sizeof(T));
  }
  return bytes;
}

std::string bytes_of(const std::string& text, const std::vector<std::int64_t>& shape,
                     std::string_view where) {
  if (!shape.empty()) misuse(where, "a string has the shape [{}]", fmt::join(shape, ", "));
  std::optional<std::string> wide = utf32_from_utf8(text);
  if (!wide) misuse(where, "\"{}\" is not UTF-8", printable(text));
  if (wide->empty()) wide->append(4, '\0');  // numpy has no string type of length 0
  return header(fmt::format("<U{}", wide->size() / 4), shape, where) + *wide;
}

}  // namespace

std::string npy_bytes(const NpyArray& array, std::string_view where) {
  return std::visit([&](const auto& values) { return bytes_of(values, array.shape, where); },
                    array.values);
}

}  // namespace io

std::string describe(const NpyArray& array) {
  constexpr std::string_view kNames[] = {"float64", "float32", "int64", "int32",  "bool",
                                         "",        "int8",    "uint8", "float16"};
  if (std::holds_alternative<std::string>(array.values)) return "a string";
  return fmt::format("{} [{}]", kNames[array.values.index()], fmt::join(array.shape, ", "));
}

}  // namespace bifocal
