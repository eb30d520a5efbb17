// SPDX-License-Identifier: BSD-3-Clause
#include "dense/cloud_writer.hpp"

#include <fmt/format.h>

#include <bit>
#include <string>
#include <utility>

#include "io/little_endian.hpp"
#include "io/reject.hpp"

namespace bifocal::dense {
namespace {

// The header has the same length for every number: a comment fills it.
std::string header_of(std::int64_t points) {
  const std::string number = fmt::format("{}", points);
  return fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment Bifocal{}\nelement vertex {}\n"
      "property float x\nproperty float y\nproperty float z\n"
      "property float nx\nproperty float ny\nproperty float nz\n"
      "property uchar red\nproperty uchar green\nproperty uchar blue\n"
      "property float deviation\nproperty uchar views\nend_header\n",
      std::string(20 - number.size(), ' '), number);
}

}  // namespace

CloudWriter::CloudWriter(std::filesystem::path file) : file_(std::move(file)) {
  std::error_code ignored;
  std::filesystem::create_directories(file_.parent_path(), ignored);
  out_.open(file_, std::ios::binary | std::ios::trunc);
  write(header_of(0));
}

void CloudWriter::write(std::string_view bytes) {
  out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out_) io::reject(file_.string(), "can't be written; is the disk full?");
}

void CloudWriter::add(std::span<const FusedPoint> points) {
  std::string bytes;
  bytes.reserve(32 * points.size());
  const auto append = [&](float v) {
    io::append_little(bytes, std::bit_cast<std::uint32_t>(v), 4);
  };
  for (const FusedPoint& p : points) {
    for (const float v : {p.x, p.y, p.z, p.nx, p.ny, p.nz}) append(v);
    for (const std::uint8_t c : {p.r, p.g, p.b}) bytes.push_back(static_cast<char>(c));
    append(p.deviation);
    bytes.push_back(static_cast<char>(p.views));
  }
  write(bytes);
  count_ += static_cast<std::int64_t>(points.size());
}

std::int64_t CloudWriter::finish() {
  out_.seekp(0);
  write(header_of(count_));
  out_.close();
  if (!out_) io::reject(file_.string(), "can't be written; is the disk full?");
  return count_;
}

}  // namespace bifocal::dense
