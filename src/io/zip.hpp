// SPDX-License-Identifier: BSD-3-Clause
// ZIP archives in memory (PKWARE's APPNOTE 6.3.10): stored and deflated members, ZIP64. Not
// supported are archives in parts or with leading bytes, encryption, and other compression methods.
#pragma once

#define ZLIB_CONST  // makes zlib's input const
#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal::io {

struct ZipMember {
  std::string name;
  std::string_view data;  // as stored in the archive, possibly compressed
  bool deflated = false;
  std::uint32_t crc = 0;   // of the unpacked bytes
  std::uint64_t size = 0;  // bytes, unpacked
};

// Returns all members in the archive's directory. Their names differ, their bytes do not overlap,
// and no size exceeds the size that the packed bytes can unpack to. Throws Error(input).
std::vector<ZipMember> zip_members(std::string_view bytes, std::string_view name);

// Unpacks a member from front to back. where: its name, for messages.
class ZipStream {
 public:
  ZipStream(const ZipMember& member, std::string_view where);
  ~ZipStream();
  ZipStream(const ZipStream&) = delete;
  ZipStream& operator=(const ZipStream&) = delete;

  [[nodiscard]] std::uint64_t left() const { return left_; }
  // Reads the next `size` bytes, at most left(). Before the last bytes are returned, the
  // checksum is verified.
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

// Builds an archive of stored members without times. Its total size must stay below 4 GiB.
class ZipWriter {
 public:
  // Allocates memory for an archive of `bytes` bytes, so that it is not copied as it grows.
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  void add(std::string_view name, std::string_view data);
  [[nodiscard]] std::string finish() &&;
  // Returns the size of the archive if it is finished after one more member.
  [[nodiscard]] std::uint64_t size_with(std::string_view name, std::uint64_t data_bytes) const {
    return bytes_.size() + directory_.size() + 76 + 2 * name.size() + data_bytes + 22;
  }

 private:
  std::string bytes_, directory_;
  std::size_t members_ = 0;
};

}  // namespace bifocal::io
