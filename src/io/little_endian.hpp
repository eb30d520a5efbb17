// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes little-endian numbers in bytes, on any machine.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace bifocal::io {

// Returns the little-endian number in the `size` bytes at `at`, which must exist.
inline std::uint64_t little(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

inline void append_little(std::string& bytes, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(char(value >> 8 * i & 0xff));
}

// Converts numbers between the machine's byte order and little endian; does no work
// on most machines.
template <class T>
void swap_unless_little(std::span<T> values) {
  if constexpr (std::endian::native != std::endian::little) {
    for (T& value : values) {
      auto* byte = reinterpret_cast<unsigned char*>(&value);
      std::reverse(byte, byte + sizeof(T));
    }
  }
}

}  // namespace bifocal::io
