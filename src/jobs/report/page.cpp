// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/report/page.hpp"

#include <fmt/format.h>
#include <bifocal/io.hpp>
#include <bifocal/version.hpp>

namespace bifocal::jobs {
namespace {

constexpr std::string_view kStyle = R"(
body { font: 16px/1.5 system-ui, sans-serif; color: #1c2128; background: #fff; max-width: 1120px; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; border-bottom: 1px solid #d8dee4; }
pre { background: #f3f5f7; padding: .6rem .8rem; border-radius: 4px; font-size: .85rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.warning { background: #fff8c5; border-left: 4px solid #bf8700; padding: .4rem .8rem; }
figure { margin: 1rem 0; }
figure img { max-width: 100%; height: auto; display: block; border: 1px solid #d8dee4; }
figcaption { color: #57606a; font-size: .9rem; margin-top: .3rem; }
.columns { display: flex; flex-wrap: wrap; gap: 0 2.5rem; align-items: flex-start; }
table { border-collapse: collapse; margin: 0 0 1rem; font-variant-numeric: tabular-nums; font-size: .92rem; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
td { padding: .15rem 1.2rem .15rem 0; border-top: 1px solid #eaeef2; vertical-align: top; white-space: pre-line; overflow-wrap: anywhere; }
td:first-child { color: #57606a; }
footer { color: #57606a; font-size: .85rem; margin-top: 2rem; border-top: 1px solid #d8dee4; }
@media print { body { max-width: none; padding: 0; font-size: 11pt; } figure, table { break-inside: avoid; } h2 { break-after: avoid; } }
)";

}  // namespace

std::string shell_quoted(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : valid_utf8(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  const auto byte = [&](std::size_t i) {
    return i < bytes.size() ? static_cast<std::uint8_t>(bytes[i]) : 0u;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const unsigned group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    out += kDigits[group >> 18];
    out += kDigits[group >> 12 & 63];
    out += i + 1 < bytes.size() ? kDigits[group >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? kDigits[group & 63] : '=';
  }
  return out;
}

Rows time_rows(const std::vector<StageTime>& times) {
  Rows rows;
  double sum = 0;
  for (const StageTime& t : times) {
    rows.push_back({t.stage, fmt::format("{:.1f} ms", t.ms)});
    sum += t.ms;
  }
  rows.push_back({"sum", fmt::format("{:.1f} ms", sum)});
  return rows;
}

Page::Page(std::string_view title) : title_(escaped(title)) {}

void Page::markup(std::string_view html) { body_ += html; }
void Page::heading(std::string_view text) { body_ += fmt::format("<h2>{}</h2>\n", escaped(text)); }
void Page::paragraph(std::string_view text) { body_ += fmt::format("<p>{}</p>\n", escaped(text)); }
void Page::warning(std::string_view text) {
  if (!text.empty()) body_ += fmt::format("<p class=\"warning\">Warning: {}.</p>\n", escaped(text));
}
void Page::preformatted(std::string_view text) {
  body_ += fmt::format("<pre>{}</pre>\n", escaped(text));
}
void Page::begin_columns() { body_ += "<div class=\"columns\">\n"; }
void Page::end_columns() { body_ += "</div>\n"; }

void Page::table(std::string_view caption, const Rows& rows) {
  body_ += caption.empty() ? "<table>\n"
                           : fmt::format("<table><caption>{}</caption>\n", escaped(caption));
  for (const auto& [name, value] : rows) {
    body_ += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", escaped(name), escaped(value));
  }
  body_ += "</table>\n";
}

void Page::list(std::string_view caption, Rows rows) {
  constexpr std::size_t kMost = 500;
  if (rows.empty()) return;
  const std::size_t count = rows.size();
  if (count > kMost) rows.resize(kMost);
  markup("<div class=\"names\">\n");
  table(count > kMost ? fmt::format("{}: {}, the first {} listed here", caption, count, kMost)
                      : fmt::format("{}: {}", caption, count),
        rows);
  markup("</div>\n");
}

void Page::folded_table(std::string_view caption, const Rows& rows) {
  body_ += fmt::format("<details><summary>{}</summary>\n", escaped(caption));
  table("", rows);
  body_ += "</details>\n";
}

void Page::files(const Rows& rows) {
  heading("Files next to this page");
  body_ += "<ul>\n";
  for (const auto& [name, content] : rows)
    body_ +=
        fmt::format("<li><a href=\"{0}\">{0}</a>: {1}</li>\n", escaped(name), escaped(content));
  body_ += "</ul>\n";
}

void Page::photograph(ImageView<const std::uint8_t> picture, std::string_view caption) {
  figure("jpeg", encode_jpeg(picture, 85), picture, caption);
}

void Page::diagram(ImageView<const std::uint8_t> picture, std::string_view caption) {
  figure("png", encode_png(picture), picture, caption);
}

void Page::figure(std::string_view type, std::string_view bytes, ImageView<const std::uint8_t> size,
                  std::string_view caption) {
  body_ += fmt::format(
      "<figure><img src=\"data:image/{};base64,{}\" width=\"{}\" height=\"{}\" "
      "alt=\"{}\"><figcaption>{}</figcaption>"
      "</figure>\n",
      type, base64(bytes), size.width, size.height, escaped(caption), escaped(caption));
}

std::string Page::html() const {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<title>{}</title>\n<style>{}</style>\n"
      "</head>\n<body>\n<h1>{}</h1>\n{}<footer>Made by Bifocal {}.</footer>\n</body>\n</html>\n",
      title_, kStyle, title_, body_, BIFOCAL_VERSION);
}

}  // namespace bifocal::jobs
