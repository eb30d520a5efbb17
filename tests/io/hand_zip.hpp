// SPDX-License-Identifier: BSD-3-Clause
// ZIP archives and NPY arrays written by hand, both valid and invalid.
#pragma once

#include <zlib.h>

#include <string>
#include <string_view>
#include <vector>

#include "io/little_endian.hpp"

namespace bifocal::test {

inline std::uint32_t crc_of(std::string_view bytes) {
  return std::uint32_t(crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), uInt(bytes.size())));
}

inline std::string deflated(std::string_view bytes) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, uLong(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = uInt(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = uInt(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// Returns an NPY file with this dictionary, inserted unchanged.
inline std::string npy(std::string_view dictionary, std::string_view values, int version = 1) {
  std::string bytes = "\x93NUMPY";
  io::append_little(bytes, std::uint64_t(version), 2);
  io::append_little(bytes, dictionary.size(), version == 1 ? 2 : 4);
  return bytes.append(dictionary).append(values);
}

inline std::string npy_header(std::string_view type, std::string_view shape) {
  return "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (" +
         std::string(shape) + "), }\n";
}

struct HandMember {
  std::string name, data;  // unpacked
  bool deflate = false;
  bool zip64 = false;              // sizes in the extra fields, as numpy writes them
  bool descriptor = false;         // checksum and sizes follow the data, as in a pipe
  unsigned method = 0, flags = 0;  // unless 0, replace the values derived from above
  std::uint64_t claimed = 0;       // unpacked size, unless 0
  std::uint32_t crc_change = 0;
};

inline void append_numbers(std::string& bytes, bool wide, std::uint64_t packed,
                           std::uint64_t size) {
  io::append_little(bytes, wide ? 0xffffffff : packed, 4);
  io::append_little(bytes, wide ? 0xffffffff : size, 4);
}

inline std::string wide_extra(std::uint64_t packed, std::uint64_t size) {
  std::string extra("\x99\x99\x02\0ab\1\0\x10\0", 10);  // an unknown field first
  io::append_little(extra, size, 8);
  io::append_little(extra, packed, 8);
  return extra;
}

inline std::string hand_zip(const std::vector<HandMember>& members, bool zip64_end = false,
                            std::string_view comment = "") {
  std::string bytes, directory;
  for (const HandMember& m : members) {
    const std::string packed = m.deflate ? deflated(m.data) : m.data;
    const std::uint64_t size = m.claimed ? m.claimed : m.data.size(), begin = bytes.size();
    const std::uint32_t crc = crc_of(m.data) ^ m.crc_change;
    const std::string extra = m.zip64 ? wide_extra(packed.size(), size) : "";
    std::string front;  // version needed, flags, method, time
    io::append_little(front, 45, 2);
    io::append_little(front, m.flags ? m.flags : m.descriptor ? 8 : 0, 2);
    io::append_little(front, m.method ? m.method : m.deflate ? 8 : 0, 2);
    io::append_little(front, 0, 4);
    bytes += "PK\3\4" + front;
    io::append_little(bytes, m.descriptor ? 0 : crc, 4);
    append_numbers(bytes, m.zip64, m.descriptor ? 0 : packed.size(), m.descriptor ? 0 : size);
    io::append_little(bytes, m.name.size(), 2);
    io::append_little(bytes, extra.size(), 2);
    bytes += m.name + extra + packed;
    if (m.descriptor) {
      bytes += "PK\7\10";
      io::append_little(bytes, crc, 4);
      append_numbers(bytes, false, packed.size(), size);
    }
    directory += "PK\1\2";
    io::append_little(directory, 45, 2);
    directory += front;
    io::append_little(directory, crc, 4);
    append_numbers(directory, m.zip64, packed.size(), size);
    io::append_little(directory, m.name.size(), 2);
    io::append_little(directory, extra.size(), 2);
    directory.append(10, '\0');
    io::append_little(directory, begin, 4);
    directory += m.name + extra;
  }
  const std::uint64_t at = bytes.size(), count = members.size();
  bytes += directory;
  if (zip64_end) {
    const std::uint64_t record = bytes.size();
    bytes += "PK\6\6";
    io::append_little(bytes, 44, 8);
    io::append_little(bytes, 45 | 45 << 16, 4);
    io::append_little(bytes, 0, 8);
    for (const std::uint64_t v : {count, count, std::uint64_t(directory.size()), at})
      io::append_little(bytes, v, 8);
    bytes += "PK\6\7";
    io::append_little(bytes, 0, 4);
    io::append_little(bytes, record, 8);
    io::append_little(bytes, 1, 4);
  }
  bytes += "PK\5\6";
  io::append_little(bytes, 0, 4);
  io::append_little(bytes, zip64_end ? 0xffff : count, 2);
  io::append_little(bytes, zip64_end ? 0xffff : count, 2);
  io::append_little(bytes, zip64_end ? 0xffffffff : directory.size(), 4);
  io::append_little(bytes, zip64_end ? 0xffffffff : at, 4);
  io::append_little(bytes, comment.size(), 2);
  return bytes.append(comment);
}

}  // namespace bifocal::test
