// SPDX-License-Identifier: BSD-3-Clause
// A self-contained HTML page with embedded images and no network access, for screen and print.
#pragma once

#include <bifocal/two_photographs.hpp>

#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bifocal::jobs {

[[nodiscard]] std::string base64(std::string_view bytes);
// Puts a word that a shell would split in single quotes.
[[nodiscard]] std::string shell_quoted(const std::string& word);
// Returns text as HTML.
[[nodiscard]] std::string escaped(std::string_view text);

// Encodes the bytes of an array of numbers.
template <class T>
[[nodiscard]] std::string base64_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return base64(bytes);
}

using Rows = std::vector<std::pair<std::string, std::string>>;
// Rows of a table of durations, with their sum.
[[nodiscard]] Rows time_rows(const std::vector<StageTime>& times);

class Page {
 public:
  explicit Page(std::string_view title);

  void markup(std::string_view html);  // without escaping
  // Functions for text escape it.
  void heading(std::string_view text);
  void paragraph(std::string_view text);
  void warning(std::string_view text);  // no effect if the text is empty
  void preformatted(std::string_view text);
  void table(std::string_view caption, const Rows& rows);
  // A table with the number of rows in its caption and at most 500 of them; no effect without rows.
  void list(std::string_view caption, Rows rows);
  // A table that a click on its caption opens.
  void folded_table(std::string_view caption, const Rows& rows);
  void files(const Rows& rows);  // links to files next to the page: name and content
  void photograph(ImageView<const std::uint8_t> picture, std::string_view caption);  // JPEG
  void diagram(ImageView<const std::uint8_t> picture, std::string_view caption);     // PNG
  void begin_columns();  // tables up to end_columns() are arranged side by side
  void end_columns();
  [[nodiscard]] std::string html() const;

 private:
  void figure(std::string_view type, std::string_view bytes, ImageView<const std::uint8_t> size,
              std::string_view caption);
  std::string title_, body_;
};

}  // namespace bifocal::jobs
