// SPDX-License-Identifier: BSD-3-Clause
// Reads text files as saved by the editors of all systems.
#include <bifocal/io.hpp>

#include "io/reject.hpp"

namespace bifocal {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kMark = "\xef\xbb\xbf";  // the byte order mark in UTF-8

// Returns the encoding of text that is not UTF-8, or an empty text if no sign of one exists.
// Without a byte order mark, zero bytes around the first character reveal it, because that
// character is ASCII in all our formats.
std::string_view other_encoding(std::string_view bytes) {
  if (bytes.starts_with("\xff\xfe\0\0"sv) || bytes.starts_with("\0\0\xfe\xff"sv)) return "UTF-32";
  if (bytes.starts_with("\xff\xfe"sv) || bytes.starts_with("\xfe\xff"sv)) return "UTF-16";
  if (bytes.starts_with("\0\0\0"sv) || (bytes.size() >= 4 && bytes.substr(1, 3) == "\0\0\0"sv))
    return "UTF-32";
  const bool half = bytes.size() >= 2 && (bytes[0] == '\0') != (bytes[1] == '\0');
  return half ? "UTF-16" : "";
}

// Removes byte order marks at the start of lines and carriage returns at their ends. Concatenated
// files can have a mark at the start of any line.
std::string tidy_lines(const std::string& bytes) {
  std::string text;
  text.reserve(bytes.size());
  bool at_start = true;  // of a line
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (at_start && bytes.compare(i, kMark.size(), kMark) == 0) {
      i += kMark.size() - 1;
      continue;
    }
    if (bytes[i] == '\r' && i + 1 < bytes.size() && bytes[i + 1] == '\n') continue;
    text.push_back(bytes[i] == '\r' ? '\n' : bytes[i]);
    at_start = text.back() == '\n';
  }
  return text;
}

}  // namespace

std::string read_text(const std::filesystem::path& file, std::int64_t max_bytes) {
  std::string bytes = read_file(file, max_bytes);
  if (const std::string_view encoding = other_encoding(bytes); !encoding.empty())
    io::reject(file.string(), "is text in {}: save it as UTF-8", encoding);
  const bool is_tidy =
      bytes.find('\r') == std::string::npos && bytes.find(kMark) == std::string::npos;
  if (is_tidy) return bytes;
  bytes = tidy_lines(bytes);
  if (bytes.empty()) io::reject(file.string(), "is empty");
  return bytes;
}

}  // namespace bifocal
