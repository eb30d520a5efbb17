// SPDX-License-Identifier: BSD-3-Clause
// The NPY format (numpy.lib.format): a magic word, a version, a Python dictionary as text with
// type, order and shape, and the values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <bifocal/io.hpp>

#include "io/zip.hpp"

namespace bifocal::io {

struct NpyHeader {
  std::string type;  // "<f8", "|b1", "<U7"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

// Parses the dictionary `text`. All functions here throw Error(input) with `where`.
NpyHeader parse_npy_header(std::string_view text, std::string_view where);

// Reads the array in a member. Memory is allocated only for bytes that the member has.
NpyArray read_npy(ZipStream& stream, std::string_view where);

// Returns the bytes of an NPY file. Throws Error(usage) with `where` if shape and values
// do not match.
std::string npy_bytes(const NpyArray& array, std::string_view where);

// Convert little-endian UTF-32 to UTF-8 and back; nullopt if the text is invalid.
std::optional<std::string> utf8_from_utf32(std::string_view bytes);
std::optional<std::string> utf32_from_utf8(std::string_view text);

// Returns the number of values of a shape with all dimensions >= 0. Returns nullopt if the size in
// bytes, computed without the empty dimensions, exceeds 63 bits.
std::optional<std::int64_t> npy_count(const std::vector<std::int64_t>& shape,
                                      std::size_t value_bytes);

}  // namespace bifocal::io
