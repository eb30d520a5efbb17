// SPDX-License-Identifier: BSD-3-Clause
// ZIP archives in memory (PKWARE's APPNOTE 6.3.10): stored and deflated members, ZIP64. Not read:
// archives in parts or with something in front of them, encryption, other compressions.
#pragma once

#define ZLIB_CONST  // its input is not written to
#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal::io {

struct ZipMember {
  std::string name;
  std::string_view data;  // as it lies in the archive
  bool deflated = false;
  std::uint32_t crc = 0;   // of the unpacked bytes
  std::uint64_t size = 0;  // unpacked
};

// All members of an archive, as its directory lists them. Their names differ, their bytes don't
// overlap, and no size is more than the packed bytes can unpack to. Throws Error(input).
std::vector<ZipMember> zip_members(std::string_view bytes, std::string_view name);

// Unpacks a member from front to back. `where` names it in messages.
class ZipStream {
 public:
  ZipStream(const ZipMember& member, std::string_view where);
  ~ZipStream();
  ZipStream(const ZipStream&) = delete;
  ZipStream& operator=(const ZipStream&) = delete;

  [[nodiscard]] std::uint64_t left() const { return left_; }
  // The next `size` bytes, at most left(). The last of them are given out only when the checksum
  // is right.
  void read(char* out, std::size_t size);

 private:
  void inflate_into(char* out, std::size_t size);
  void check_end();

  std::string_view where_, packed_;
  const bool deflated_;
  const std::uint32_t crc_;
  std::uint64_t left_;
  uLong sum_;
  z_stream inflate_{};
};

// Builds an archive of stored members without times. The whole has to stay below 4 GiB.
class ZipWriter {
 public:
  void add(std::string_view name, std::string_view data);
  [[nodiscard]] std::string finish() &&;
  // The archive will have this size when it is finished after one more member.
  [[nodiscard]] std::uint64_t size_with(std::string_view name, std::uint64_t data_bytes) const {
    return bytes_.size() + directory_.size() + 76 + 2 * name.size() + data_bytes + 22;
  }

 private:
  std::string bytes_, directory_;
  std::size_t members_ = 0;
};

}  // namespace bifocal::io
