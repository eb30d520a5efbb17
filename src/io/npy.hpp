// SPDX-License-Identifier: BSD-3-Clause
// The NPY format (numpy.lib.format): a magic word, a version, a Python dictionary as text that
// tells type, order and shape, and the values.
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

// `text` is the dictionary. Throws Error(input) with `where`, as all functions here that have one.
NpyHeader parse_npy_header(std::string_view text, std::string_view where);

// The array in a member. Its memory is what the member's bytes fill.
NpyArray read_npy(ZipStream& stream, std::string_view where);

// The bytes of an NPY file. Throws Error(usage) with `where` when the array contradicts itself.
std::string npy_bytes(const NpyArray& array, std::string_view where);

// UTF-8 of little-endian UTF-32 and back; nothing when it is not valid.
std::optional<std::string> utf8_from_utf32(std::string_view bytes);
std::optional<std::string> utf32_from_utf8(std::string_view text);

// Number of values of a shape, all dimensions >= 0; nothing when so many values of `value_bytes`
// have no 63-bit size, even with the empty dimensions left out.
std::optional<std::int64_t> npy_count(const std::vector<std::int64_t>& shape,
                                      std::size_t value_bytes);

}  // namespace bifocal::io
