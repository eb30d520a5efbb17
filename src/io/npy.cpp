// SPDX-License-Identifier: BSD-3-Clause
#include "io/npy.hpp"

#include <bit>
#include <cmath>
#include <optional>

#include "io/little_endian.hpp"
#include "io/parse.hpp"

namespace bifocal::io {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeader = std::size_t{1} << 16;  // numpy's own limit is 10,000

std::string take(ZipStream& stream, std::size_t size, std::string_view where) {
  if (size > stream.left()) reject(where, "truncated: its NPY header ends early");
  std::string bytes(size, '\0');
  stream.read(bytes.data(), size);
  return bytes;
}

NpyHeader take_header(ZipStream& stream, std::string_view where) {
  const std::string start = take(stream, 8, where);
  if (!start.starts_with(kMagic)) {
    reject(where, "is no NPY array: it starts with \"{}\"", printable(start));
  }
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3 || start[7] != 0) {
    reject(where, "is of NPY version {}.{}; 1.0, 2.0 and 3.0 are supported", version,
           static_cast<unsigned char>(start[7]));
  }
  const std::size_t width = version == 1 ? 2 : 4;
  const std::uint64_t size = little(take(stream, width, where), 0, width);
  if (size > kMaxHeader) reject(where, "has an NPY header of {} bytes", size);
  return parse_npy_header(take(stream, std::size_t(size), where), where);
}

// Converts an array from Fortran order (first index fastest) to C order.
template <class T>
std::vector<T> to_c_order(const std::vector<T>& from, const std::vector<std::int64_t>& shape) {
  std::vector<T> to(from.size());
  std::vector<std::int64_t> index(shape.size(), 0);
  std::int64_t at = 0;  // position in `to` of the element at `index`
  std::vector<std::int64_t> step(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) step[d - 1] = step[d] * shape[d];
  for (const T& value : from) {
    to[std::size_t(at)] = value;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      at += step[d];
      if (++index[d] < shape[d]) break;
      at -= step[d] * shape[d];
      index[d] = 0;
    }
  }
  return to;
}

// Returns the number of values. Rejects the array unless the remaining bytes are exactly
// the shape's values.
std::int64_t count_of(const NpyHeader& header, std::size_t value_bytes, const ZipStream& stream,
                      std::string_view where) {
  const auto count = npy_count(header.shape, value_bytes);
  if (!count) reject(where, "its shape overflows: {}", fmt::join(header.shape, " x "));
  const std::uint64_t bytes = std::uint64_t(*count) * value_bytes;
  if (bytes != stream.left()) {
    reject(where, "damaged: {} values of {} bytes, but {} bytes are there", *count, value_bytes,
           stream.left());
  }
  return *count;
}

template <class T>
std::vector<T> take_values(ZipStream& stream, const NpyHeader& header, std::string_view where) {
  std::vector<T> values(std::size_t(count_of(header, sizeof(T), stream, where)));
  stream.read(reinterpret_cast<char*>(values.data()), values.size() * sizeof(T));
  swap_unless_little(std::span(values));
  if (header.fortran_order) return to_c_order(values, header.shape);
  return values;
}

std::string take_text(ZipStream& stream, const NpyHeader& header, std::string_view where) {
  const auto length = to_number<std::uint32_t>(std::string_view(header.type).substr(2));
  if (!length) reject(where, "is of type {}", printable(header.type));
  if (!header.shape.empty())
    reject(where, "is an array of strings; only a single one is supported");
  const std::size_t bytes = std::size_t{4} * *length;
  if (bytes != stream.left()) {
    reject(where, "damaged: a string of {} bytes, but {} bytes are there", bytes, stream.left());
  }
  const auto text = utf8_from_utf32(take(stream, bytes, where));
  if (!text) reject(where, "damaged: its string is not valid unicode");
  return *text;
}

}  // namespace

NpyArray read_npy(ZipStream& stream, std::string_view where) {
  NpyHeader header = take_header(stream, where);
  const std::string_view type = header.type;
  NpyArray array;
  if (type == "<f8") {
    array.values = take_values<double>(stream, header, where);
  } else if (type == "<f4") {
    array.values = take_values<float>(stream, header, where);
  } else if (type == "<i8") {
    array.values = take_values<std::int64_t>(stream, header, where);
  } else if (type == "<i4") {
    array.values = take_values<std::int32_t>(stream, header, where);
  } else if (type == "|b1") {
    auto values = take_values<std::uint8_t>(stream, header, where);
    for (std::uint8_t& value : values) value = value != 0;
    array.values = std::move(values);
  } else if (type == "|i1") {
    array.values = take_values<std::int8_t>(stream, header, where);
  } else if (type == "|u1") {
    array.values = take_values<std::byte>(stream, header, where);
  } else if (type == "<f2") {
    array.values = take_values<Float16>(stream, header, where);
  } else if (type.starts_with("<U")) {
    array.values = take_text(stream, header, where);
  } else if (type.starts_with('>')) {
    reject(where, "is big-endian ({}); only little-endian arrays are supported", printable(type));
  } else {
    reject(
        where,
        "is of type {}; supported are bool, int8, uint8, int32, int64, float16, float32, float64 "
        "and a single string",
        printable(type));
  }
  array.shape = std::move(header.shape);
  return array;
}

}  // namespace bifocal::io

namespace bifocal {

Float16::operator float() const {
  const std::uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31u,
                      fraction = bits & 0x3ffu;
  if (exponent == 0) {  // zero and numbers below 2^-14
    const float value = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -value : value;
  }
  const std::uint32_t wide = exponent == 31 ? 255u : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

Float16 float16_of(float value) {
  const auto word = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(word >> 16 & 0x8000u);
  const float size = std::fabs(value);
  std::uint32_t bits = 0;
  if (std::isnan(value)) {
    bits = 0x7e00;
  } else if (size >= 65520) {
    bits = 0x7c00;
  } else if (size < 0x1p-14F) {
    bits = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, 24)));
  } else {
    // The 13 bits below the fraction are rounded to even; a carry goes into the exponent.
    const std::uint32_t whole = (word & 0x7fffffffu) - (112u << 23);
    bits = (whole + 0xfff + (whole >> 13 & 1u)) >> 13;
  }
  return {static_cast<std::uint16_t>(sign | bits)};
}

}  // namespace bifocal
