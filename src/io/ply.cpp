// SPDX-License-Identifier: BSD-3-Clause
#include <bit>

#include <bifocal/io.hpp>

#include "io/reject.hpp"

namespace bifocal {
namespace {

void append_float(std::string& bytes, float value) {
  const auto v = std::bit_cast<std::uint32_t>(value);
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(char(v >> shift & 0xff));
}

}  // namespace

void write_ply(const std::filesystem::path& file, std::span<const CloudPoint> points) {
  std::string bytes = fmt::format(
      "ply\nformat binary_little_endian 1.0\nelement vertex {}\n"
      "property float x\nproperty float y\nproperty float z\n"
      "property uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n",
      points.size());
  bytes.reserve(bytes.size() + 15 * points.size());
  for (const CloudPoint& p : points) {
    append_float(bytes, p.x);
    append_float(bytes, p.y);
    append_float(bytes, p.z);
    for (const std::uint8_t c : {p.r, p.g, p.b}) bytes.push_back(char(c));
  }
  write_file(file, bytes);
}

}  // namespace bifocal
