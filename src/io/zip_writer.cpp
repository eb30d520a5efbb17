// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "io/little_endian.hpp"
#include "io/zip.hpp"

namespace bifocal::io {
namespace {

std::uint32_t crc_of(std::string_view bytes) {
  return std::uint32_t(
      crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

void ZipWriter::add(std::string_view name, std::string_view data) {
  const bool ascii =
      std::all_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x80; });
  std::string same;                             // part common to both headers
  append_little(same, 20, 2);                   // version needed
  append_little(same, ascii ? 0 : 1 << 11, 2);  // flags: the name is UTF-8
  append_little(same, 0, 2);                    // stored
  append_little(same, 0, 2);                    // time
  append_little(same, 1 << 5 | 1, 2);           // 1 January 1980
  append_little(same, crc_of(data), 4);
  append_little(same, data.size(), 4);
  append_little(same, data.size(), 4);
  append_little(same, name.size(), 2);
  append_little(same, 0, 2);  // no extra field
  directory_ += "PK\1\2";
  append_little(directory_, 20, 2);  // version made by
  directory_ += same;
  directory_.append(10, '\0');  // comment, disk, attributes
  append_little(directory_, bytes_.size(), 4);
  directory_ += name;
  bytes_ += "PK\3\4";
  for (const std::string_view part : {std::string_view(same), name, data}) bytes_ += part;
  ++members_;
}

std::string ZipWriter::finish() && {
  const std::size_t at = bytes_.size();
  bytes_ += directory_;
  bytes_ += "PK\5\6";
  append_little(bytes_, 0, 4);  // disks
  append_little(bytes_, members_, 2);
  append_little(bytes_, members_, 2);
  append_little(bytes_, directory_.size(), 4);
  append_little(bytes_, at, 4);
  append_little(bytes_, 0, 2);  // no comment
  return std::move(bytes_);
}

}  // namespace bifocal::io
