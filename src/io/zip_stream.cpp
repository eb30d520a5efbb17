// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>
#include <new>

#include "io/reject.hpp"
#include "io/zip.hpp"

namespace bifocal::io {
namespace {

constexpr std::size_t kStep = std::size_t{1} << 30;  // zlib counts in 32 bits

}  // namespace

ZipStream::ZipStream(const ZipMember& member, std::string_view where)
    : where_(where),
      packed_(member.data),
      deflated_(member.deflated),
      crc_(member.crc),
      left_(member.size),
      sum_(crc32_z(0, nullptr, 0)) {
  // A negative size selects the raw stream, without zlib's own header.
  if (deflated_ && inflateInit2(&inflate_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
}

ZipStream::~ZipStream() {
  if (deflated_) inflateEnd(&inflate_);
}

void ZipStream::read(char* out, std::size_t size) {
  if (size > left_) reject(where_, "truncated: {} bytes are left of {}", left_, size);
  if (size == 0) return;
  if (deflated_) {
    inflate_into(out, size);
  } else {
    std::memcpy(out, packed_.data(), size);
    packed_.remove_prefix(size);
  }
  sum_ = crc32_z(sum_, reinterpret_cast<const Bytef*>(out), size);
  left_ -= size;
  if (left_ == 0) check_end();
}

void ZipStream::inflate_into(char* out, std::size_t size) {
  while (size > 0) {
    const std::size_t in = std::min(packed_.size(), kStep), capacity = std::min(size, kStep);
    inflate_.next_in = reinterpret_cast<const Bytef*>(packed_.data());
    inflate_.avail_in = uInt(in);
    inflate_.next_out = reinterpret_cast<Bytef*>(out);
    inflate_.avail_out = uInt(capacity);
    const int status = inflate(&inflate_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    const std::size_t got = capacity - inflate_.avail_out;
    packed_.remove_prefix(in - inflate_.avail_in);
    out += got;
    size -= got;
    if (status != Z_OK && size > 0) {
      reject(where_, "damaged: its deflated data {}",
             status == Z_DATA_ERROR ? "is not valid" : "ends early");
    }
  }
}

void ZipStream::check_end() {
  if (deflated_) {
    // Only the end mark may remain.
    Bytef none;
    inflate_.next_in = reinterpret_cast<const Bytef*>(packed_.data());
    inflate_.avail_in = uInt(std::min(packed_.size(), kStep));
    inflate_.next_out = &none;
    inflate_.avail_out = 0;
    const int status = inflate(&inflate_, Z_FINISH);
    if (status != Z_STREAM_END || inflate_.avail_in > 0 || packed_.size() > kStep) {
      reject(where_, "damaged: its deflated data does not end where it should");
    }
  }
  if (std::uint32_t(sum_) != crc_) reject(where_, "damaged: its checksum (CRC-32) is wrong");
}

}  // namespace bifocal::io
