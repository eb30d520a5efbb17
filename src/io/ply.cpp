// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <utility>

#include <bifocal/io.hpp>

#include "io/little_endian.hpp"
#include "io/regular_file.hpp"

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

constexpr std::array<std::string_view, 6> kNames = {"x", "y", "z", "red", "green", "blue"};

// Number of bytes of a PLY type; 0 for an unknown type and for lists.
std::int64_t bytes_of(std::string_view type) {
  constexpr std::pair<std::string_view, int> kTypes[] = {
      {"char", 1},  {"uchar", 1},   {"int8", 1},   {"uint8", 1},  {"short", 2}, {"ushort", 2},
      {"int16", 2}, {"uint16", 2},  {"int", 4},    {"uint", 4},   {"int32", 4}, {"uint32", 4},
      {"float", 4}, {"float32", 4}, {"double", 8}, {"float64", 8}};
  for (const auto& [name, size] : kTypes)
    if (name == type) return size;
  return 0;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  words.resize(std::max<std::size_t>(words.size(), 3));
  return words;
}

// The vertices of a PLY file.
struct PlyHeader {
  std::int64_t start = 0, count = 0, stride = 0;  // bytes of the header, points, bytes of each
  std::array<std::size_t, 6> places{};            // byte of x y z red green blue in a point
};

PlyHeader read_header(const std::filesystem::path& file) {
  PlyHeader h;
  constexpr std::size_t kMostHeader = 1 << 16;
  const std::string name = file.string();
  io::require_regular(file);
  std::string head(kMostHeader, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  constexpr std::string_view kEnd = "\nend_header\n";
  const std::size_t end = head.find(kEnd);
  if (!head.starts_with("ply\nformat binary_little_endian 1.0\n") || end == std::string::npos)
    io::reject(name, "is not a PLY file in binary_little_endian");
  h.start = static_cast<std::int64_t>(end + kEnd.size());
  std::istringstream lines(head.substr(0, end));
  std::string line, element, types[6];
  while (std::getline(lines, line)) {
    const std::vector<std::string> words = words_of(line);
    if (words[0] == "element") {
      if (element == "vertex") break;  // further elements follow the vertices
      element = words[1];
      const char* last = words[2].data() + words[2].size();
      const auto [end_of_number, error] = std::from_chars(words[2].data(), last, h.count);
      if (element != "vertex" || error != std::errc() || end_of_number != last || h.count < 0)
        io::reject(name, "'{}' is not the number of vertices", io::printable(line));
    } else if (words[0] == "property" && element == "vertex") {
      const std::int64_t size = bytes_of(words[1]);
      if (size == 0) io::reject(name, "'{}' is not a number", io::printable(line));
      for (std::size_t k = 0; k < kNames.size(); ++k)
        if (words[2] == kNames[k])
          types[k] = words[1], h.places[k] = static_cast<std::size_t>(h.stride);
      h.stride += size;
    }
  }
  for (std::size_t k = 0; k < kNames.size(); ++k)
    if (k < 3 ? types[k] != "float" && types[k] != "float32"
              : types[k] != "uchar" && types[k] != "uint8")
      io::reject(name, "has no {} of the type {}", kNames[k], k < 3 ? "float" : "uchar");
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(file)) - h.start;
  if (h.count > bytes / h.stride)
    io::reject(name, "is truncated: {} points in the header, {} in the file", h.count,
               bytes / h.stride);
  return h;
}

}  // namespace

void write_ply(const std::filesystem::path& file, std::span<const CloudPoint> points) {
  write_points(file, points, "float");
}

void write_ply(const std::filesystem::path& file, std::span<const WorldPoint> points) {
  write_points(file, points, "double");
}

std::int64_t read_ply(const std::filesystem::path& file,
                      const std::function<void(std::span<const CloudPoint>)>& visit) {
  const PlyHeader h = read_header(file);
  if (!visit) return h.count;
  constexpr std::int64_t kPieceBytes = 1 << 20;
  const std::int64_t piece = std::max<std::int64_t>(1, kPieceBytes / h.stride);  // points
  std::ifstream in(file, std::ios::binary);
  in.seekg(h.start);
  std::string bytes;
  std::vector<CloudPoint> points;
  for (std::int64_t done = 0; done < h.count; done += piece) {
    bytes.resize(static_cast<std::size_t>(std::min(piece, h.count - done) * h.stride));
    if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
      io::reject(file.string(), "can't be read");
    points.clear();
    for (std::size_t at = 0; at < bytes.size(); at += static_cast<std::size_t>(h.stride)) {
      const auto number = [&](std::size_t k) {
        return std::bit_cast<float>(
            static_cast<std::uint32_t>(io::little(bytes, at + h.places[k], 4)));
      };
      const auto byte = [&](std::size_t k) {
        return static_cast<std::uint8_t>(bytes[at + h.places[k]]);
      };
      const CloudPoint p{number(0), number(1), number(2), byte(3), byte(4), byte(5)};
      if (std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z)) points.push_back(p);
    }
    visit(points);
  }
  return h.count;
}

}  // namespace bifocal
