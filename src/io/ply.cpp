// SPDX-License-Identifier: BSD-3-Clause
#include <bit>

#include <bifocal/io.hpp>

#include "io/little_endian.hpp"
#include "io/reject.hpp"

namespace bifocal {
namespace {

void append(std::string& bytes, float value) {
  io::append_little(bytes, std::bit_cast<std::uint32_t>(value), 4);
}
void append(std::string& bytes, double value) {
  io::append_little(bytes, std::bit_cast<std::uint64_t>(value), 8);
}

// type: PLY's name of the coordinates' type.
template <class Point>
void write_points(const std::filesystem::path& file, std::span<const Point> points,
                  std::string_view type) {
  std::string bytes = fmt::format(
      "ply\nformat binary_little_endian 1.0\nelement vertex {0}\n"
      "property {1} x\nproperty {1} y\nproperty {1} z\n"
      "property uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n",
      points.size(), type);
  bytes.reserve(bytes.size() + (3 * sizeof(Point::x) + 3) * points.size());
  for (const Point& p : points) {
    append(bytes, p.x);
    append(bytes, p.y);
    append(bytes, p.z);
    for (const std::uint8_t c : {p.r, p.g, p.b}) bytes.push_back(char(c));
  }
  write_file(file, bytes);
}

}  // namespace

void write_ply(const std::filesystem::path& file, std::span<const CloudPoint> points) {
  write_points(file, points, "float");
}

void write_ply(const std::filesystem::path& file, std::span<const WorldPoint> points) {
  write_points(file, points, "double");
}

}  // namespace bifocal
