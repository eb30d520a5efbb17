// SPDX-License-Identifier: BSD-3-Clause
// Finds the members of a ZIP archive. The directory at the end is authoritative; the header before
// each member must agree with it.
#include <algorithm>
#include <optional>

#include "io/little_endian.hpp"
#include "io/reject.hpp"
#include "io/zip.hpp"

namespace bifocal::io {
namespace {

constexpr std::string_view kLocal = "PK\3\4", kCentral = "PK\1\2", kEnd = "PK\5\6",
                           kEnd64 = "PK\6\6", kLocator64 = "PK\6\7";
constexpr std::size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kEnd64Bytes = 56,
                      kLocator64Bytes = 20;
constexpr std::uint64_t kWide = 0xffffffff;  // marks a number that ZIP64's extra field holds
constexpr unsigned kEncrypted = 1 | 1 << 6 | 1 << 13, kDescriptor = 1 << 3, kPatched = 1 << 5;

struct Directory {
  std::uint64_t at = 0, size = 0, members = 0;
};

bool is_record(std::string_view bytes, std::uint64_t at, std::string_view magic, std::size_t size) {
  return at <= bytes.size() && bytes.size() - at >= size && bytes.substr(at, 4) == magic;
}

// Returns the position of the record that ends the archive; a comment of at most 65535 bytes
// may follow it.
std::size_t end_record(std::string_view bytes, std::string_view name) {
  constexpr std::size_t kComment = 65535;
  for (std::size_t back = kEndBytes; back <= std::min(bytes.size(), kEndBytes + kComment); ++back) {
    const std::size_t at = bytes.size() - back;
    if (is_record(bytes, at, kEnd, kEndBytes) && little(bytes, at + 20, 2) == back - kEndBytes) {
      return at;
    }
  }
  if (bytes.starts_with(kLocal)) reject(name, "truncated NPZ: the directory at its end is missing");
  reject(name, "is not an NPZ file: it starts with \"{}\"", printable(bytes.substr(0, 6)));
}

Directory find_directory(std::string_view bytes, std::string_view name) {
  std::size_t at = end_record(bytes, name);
  const auto number = [&](std::size_t offset, std::size_t size) {
    return little(bytes, at + offset, size);
  };
  if (number(4, 2) != number(6, 2) || number(8, 2) != number(10, 2)) {
    reject(name, "is a part of an archive in several files");
  }
  Directory directory{number(16, 4), number(12, 4), number(10, 2)};
  if (at >= kLocator64Bytes && bytes.substr(at - kLocator64Bytes, 4) == kLocator64) {
    const std::size_t locator = at - kLocator64Bytes;
    const std::uint64_t record = little(bytes, locator + 8, 8);
    if (!is_record(bytes, record, kEnd64, kEnd64Bytes) ||
        little(bytes, record + 4, 8) != locator - record - 12) {
      reject(name, "damaged NPZ: no ZIP64 directory at byte {}", record);
    }
    at = record;
    directory = {number(48, 8), number(40, 8), number(32, 8)};
  }
  if (directory.at > at || directory.size != at - directory.at) {
    reject(name, "damaged NPZ: a directory of {} bytes at byte {} does not end at byte {}",
           directory.size, directory.at, at);
  }
  return directory;
}

// Replaces the numbers that are kWide by the values of ZIP64's extra field, which has them in this
// order; returns false if a value is missing.
bool widen(std::string_view extra, std::initializer_list<std::uint64_t*> numbers) {
  std::string_view wide;
  while (extra.size() >= 4) {
    const std::size_t size = little(extra, 2, 2);
    if (size > extra.size() - 4) return false;
    if (little(extra, 0, 2) == 1) wide = extra.substr(4, size);
    extra.remove_prefix(4 + size);
  }
  for (std::uint64_t* number : numbers) {
    if (*number != kWide) continue;
    if (wide.size() < 8) return false;
    *number = little(wide, 0, 8);
    wide.remove_prefix(8);
  }
  return true;
}

struct Placed {
  ZipMember member;
  std::uint64_t begin = 0, end = 0;  // range of its header and data in the archive
};

// Sets begin .. end and the member's data from the header before the data.
void place(std::string_view bytes, std::uint64_t directory, std::uint64_t packed, unsigned flags,
           std::string_view where, Placed& placed) {
  const std::string_view archive = bytes.substr(0, directory);
  const std::uint64_t at = placed.begin;
  if (!is_record(archive, at, kLocal, kLocalBytes))
    reject(where, "damaged: no member at byte {}", at);
  const std::size_t name_size = little(archive, at + 26, 2),
                    extra_size = little(archive, at + 28, 2);
  const std::size_t head = kLocalBytes + name_size + extra_size;
  if (archive.size() - at < head || archive.size() - at - head < packed) {
    reject(where, "truncated: {} bytes at byte {} reach into the directory", packed, at);
  }
  if (archive.substr(at + kLocalBytes, name_size) != placed.member.name) {
    reject(where, "damaged: its name differs at byte {}", at);
  }
  std::uint64_t size = little(archive, at + 22, 4), stored = little(archive, at + 18, 4);
  const bool wide =
      widen(archive.substr(at + kLocalBytes + name_size, extra_size), {&size, &stored});
  const bool known = (flags & kDescriptor) == 0;  // else checksum and sizes follow the data
  if (little(archive, at + 6, 2) != flags ||
      little(archive, at + 8, 2) != (placed.member.deflated ? 8 : 0) ||
      (known && (!wide || size != placed.member.size || stored != packed ||
                 little(archive, at + 14, 4) != placed.member.crc))) {
    reject(where, "damaged: its header at byte {} and the directory disagree", at);
  }
  placed.member.data = archive.substr(at + head, packed);
  placed.end = at + head + packed;
}

// Returns the member whose directory entry starts at `at`, and moves `at` to the next entry;
// nullopt if no entry starts there.
std::optional<Placed> next_member(std::string_view bytes, const Directory& directory,
                                  std::string_view name, std::uint64_t& at) {
  const std::string_view entries = bytes.substr(0, directory.at + directory.size);
  if (!is_record(entries, at, kCentral, kCentralBytes)) return {};
  const auto number = [&](std::size_t offset, std::size_t size) {
    return little(entries, at + offset, size);
  };
  const std::size_t name_size = number(28, 2), extra_size = number(30, 2);
  const std::uint64_t size = kCentralBytes + name_size + extra_size + number(32, 2);
  if (entries.size() - at < size) return {};
  Placed placed;
  ZipMember& member = placed.member;
  member.name = entries.substr(at + kCentralBytes, name_size);
  const std::string where = fmt::format("{}: {}", name, printable(member.name));
  const auto flags = unsigned(number(8, 2)), method = unsigned(number(10, 2));
  if (flags & kEncrypted) reject(where, "is encrypted");
  if (flags & kPatched || (method != 0 && method != 8)) {
    reject(where, "is compressed by method {}; only stored (0) and deflated (8) are supported",
           method);
  }
  member.deflated = method == 8;
  member.crc = std::uint32_t(number(16, 4));
  member.size = number(24, 4);
  std::uint64_t packed = number(20, 4);
  placed.begin = number(42, 4);
  const std::string_view extra = entries.substr(at + kCentralBytes + name_size, extra_size);
  if (!widen(extra, {&member.size, &packed, &placed.begin})) {
    reject(where, "damaged: its ZIP64 sizes are missing");
  }
  // Deflate compresses at most by a factor of 1032 (RFC 1951: 258 bytes by two one-bit codes).
  if (member.deflated ? member.size / 1032 > packed : member.size != packed) {
    reject(where, "damaged: {} bytes can't hold the {} it claims", packed, member.size);
  }
  place(bytes, directory.at, packed, flags, where, placed);
  at += size;
  return placed;
}

void check_apart(std::vector<Placed>& placed, std::string_view name) {
  std::sort(placed.begin(), placed.end(),
            [](const Placed& a, const Placed& b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < placed.size(); ++i) {
    if (placed[i].begin < placed[i - 1].end) {
      reject(name, "damaged NPZ: {} and {} overlap", printable(placed[i - 1].member.name),
             printable(placed[i].member.name));
    }
  }
  std::vector<std::string_view> names;
  for (const Placed& p : placed) names.push_back(p.member.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) reject(name, "{} is there twice", printable(*twice));
}

}  // namespace

std::vector<ZipMember> zip_members(std::string_view bytes, std::string_view name) {
  const Directory directory = find_directory(bytes, name);
  std::vector<Placed> placed;
  std::uint64_t at = directory.at;
  while (auto member = next_member(bytes, directory, name, at))
    placed.push_back(std::move(*member));
  if (at != directory.at + directory.size || placed.size() != directory.members) {
    reject(name, "damaged NPZ: its directory announces {} members, {} can be read",
           directory.members, placed.size());
  }
  check_apart(placed, name);
  std::vector<ZipMember> members;
  for (Placed& p : placed) members.push_back(std::move(p.member));
  return members;
}

}  // namespace bifocal::io
