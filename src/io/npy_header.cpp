// SPDX-License-Identifier: BSD-3-Clause
// Parser for the header of an NPY file, with keys in any order: {'descr': '<f8', 'fortran_order':
// False, 'shape': (3, 4), }.
#include <limits>
#include <optional>

#include "io/npy.hpp"
#include "io/parse.hpp"

namespace bifocal::io {
namespace {

constexpr std::size_t kMaxDimensions = 64;  // as numpy 2

class HeaderReader {
 public:
  HeaderReader(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  NpyHeader read() {
    NpyHeader header;
    bool type = false, order = false, shape = false;
    need('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      need(':');
      if (key == "descr" && !type) {
        type = true;
        header.type = value_type();
      } else if (key == "fortran_order" && !order) {
        order = true;
        header.fortran_order = boolean();
      } else if (key == "shape" && !shape) {
        shape = true;
        header.shape = tuple();
      } else {
        fail();
      }
      if (!accept(',') && peek() != '}') fail();
    }
    if (peek() != '\0' || !type || !order || !shape) fail();
    return header;
  }

 private:
  [[noreturn]] void fail() const {
    reject(where_, "damaged: its NPY header is \"{}\"", printable(text_));
  }
  // Returns the next character after blanks; '\0' at the end. A NUL in the text is an error.
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    if (at_ < text_.size() && text_[at_] == '\0') fail();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void need(char c) {
    if (!accept(c)) fail();
  }
  std::string_view quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail();
    const std::size_t begin = ++at_;
    const std::size_t end = text_.find(quote, begin);
    if (end == std::string_view::npos) fail();
    at_ = end + 1;
    return text_.substr(begin, end - begin);
  }
  std::string value_type() {
    if (peek() == '[') reject(where_, "has a structured type; only plain numbers are supported");
    return std::string(quoted());
  }
  std::string_view word() {
    (void)peek();
    const std::size_t begin = at_;
    const auto part = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    };
    while (at_ < text_.size() && part(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  bool boolean() {
    const std::string_view value = word();
    if (value != "True" && value != "False") fail();
    return value == "True";
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> shape;
    need('(');
    while (!accept(')')) {
      const std::string_view digits = word();
      const auto size = to_number<std::int64_t>(digits);
      if (!size) reject(where_, "its shape has \"{}\", not a size below 2^63", printable(digits));
      if (*size < 0) reject(where_, "its shape has {}", *size);
      shape.push_back(*size);
      if (shape.size() > kMaxDimensions) {
        reject(where_, "its shape has more than {} dimensions", kMaxDimensions);
      }
      if (!accept(',') && peek() != ')') fail();
    }
    return shape;
  }

  std::string_view text_, where_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, std::string_view where) {
  return HeaderReader(text, where).read();
}

std::optional<std::int64_t> npy_count(const std::vector<std::int64_t>& shape,
                                      std::size_t value_bytes) {
  std::int64_t limit = std::numeric_limits<std::int64_t>::max() / std::int64_t(value_bytes);
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size > 0) limit /= size;
    if (limit == 0) return std::nullopt;
    count *= size;
  }
  return count;
}

}  // namespace bifocal::io
