// SPDX-License-Identifier: BSD-3-Clause
// A stereo calibration as OpenCV's FileStorage writes it, YAML or XML: matrices M1 D1 M2 D2 R T.
// Only what such files hold is understood of the two languages: entries of the top level that are
// matrices or plain numbers; everything else is passed over.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <map>
#include <string>

#include "io/parse.hpp"

namespace bifocal::io {
namespace {

constexpr std::size_t kMostNumbers =
    64;  // of a matrix; more of one that is not asked for is left out

// An entry of the file: as it stands there.
struct Entry {
  bool is_matrix = false;
  std::string_view rows, cols, data;  // data of a number: itself
};
using Entries = std::map<std::string, Entry, std::less<>>;

constexpr std::string_view kBlanks = " \t\r\n";
std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string_view line_at(std::string_view text, std::size_t at) {
  return text.substr(at, std::min(text.find('\n', at), text.size()) - at);
}

void add(Entries& entries, std::string_view key, const Entry& entry, std::string_view name) {
  if (!entries.emplace(std::string(key), entry).second)
    reject(name, "{}: a second one", printable(key));
}

// YAML: "KEY: number", or "KEY: !!opencv-matrix" and indented lines rows, cols, dt, data: [ ... ].
Entries entries_of_yaml(std::string_view text, std::string_view name) {
  Entries entries;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view line = line_at(text, at);
    at += line.size() + 1;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0 || kBlanks.find(line[0]) != kBlanks.npos ||
        line[0] == '%' || line[0] == '-' || line[0] == '#')
      continue;
    const std::string_view key = trimmed(line.substr(0, colon)),
                           value = trimmed(line.substr(colon + 1));
    Entry entry;
    if (!value.starts_with("!!opencv-matrix")) {
      entry.data = value;
      if (to_number<double>(value)) add(entries, key, entry, name);
      continue;
    }
    entry.is_matrix = true;
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) {
      const std::string_view inner = trimmed(line_at(text, at));
      const auto value_of = [&](std::string_view word) {
        return trimmed(inner.substr(word.size()));
      };
      if (inner.starts_with("rows:")) entry.rows = value_of("rows:");
      if (inner.starts_with("cols:")) entry.cols = value_of("cols:");
      if (inner.starts_with("data:")) {
        const std::size_t open = text.find('[', at), close = text.find(']', at);
        if (open == text.npos || close == text.npos || close < open ||
            open > at + line_at(text, at).size())
          reject(name, "{}: data is not in brackets", printable(key));
        entry.data = text.substr(open + 1, close - open - 1);
        at = close;
      }
      at += line_at(text, at).size() + 1;
    }
    add(entries, key, entry, name);
  }
  return entries;
}

// What stands between <tag ...> and </tag>; empty when there is none.
std::string_view content_of(std::string_view text, std::string_view tag) {
  const std::size_t open = text.find(fmt::format("<{}>", tag)),
                    close = text.find(fmt::format("</{}>", tag));
  if (open == text.npos || close == text.npos || close < open + tag.size() + 2) return {};
  return trimmed(text.substr(open + tag.size() + 2, close - open - tag.size() - 2));
}

// XML: <opencv_storage> with <KEY type_id="opencv-matrix"> <rows> <cols> <dt> <data> </KEY>, or
// <KEY>number</KEY>.
Entries entries_of_xml(std::string_view text, std::string_view name) {
  constexpr std::string_view kRoot = "<opencv_storage>";
  Entries entries;
  std::size_t at = text.find(kRoot);
  if (at == text.npos) reject(name, "is XML without <opencv_storage>");
  at += kRoot.size();
  while ((at = text.find('<', at)) != text.npos) {
    if (text.substr(at).starts_with("<!--")) {
      at = text.find("-->", at);
      continue;
    }
    const std::size_t end = text.find('>', at);
    if (end == text.npos || text[at + 1] == '/') break;
    const std::string_view head = text.substr(at + 1, end - at - 1);
    const std::string_view key = head.substr(0, head.find_first_of(kBlanks));
    if (head.ends_with('/')) {  // <KEY/>
      at = end;
      continue;
    }
    const std::size_t close = text.find(fmt::format("</{}>", key), end);
    if (key.empty() || close == text.npos) reject(name, "<{}>: is not closed", printable(key));
    const std::string_view body = text.substr(end + 1, close - end - 1);
    Entry entry;
    entry.is_matrix = head.find("opencv-matrix") != head.npos;
    entry.data = entry.is_matrix ? content_of(body, "data") : trimmed(body);
    entry.rows = content_of(body, "rows");
    entry.cols = content_of(body, "cols");
    if (entry.is_matrix || to_number<double>(entry.data)) add(entries, key, entry, name);
    at = close + key.size() + 2;
  }
  return entries;
}

// The first of these names that the file has; nullptr without.
const Entries::value_type* find(const Entries& entries, std::initializer_list<const char*> names) {
  for (const char* key : names) {
    const auto found = entries.find(std::string_view(key));
    if (found != entries.end()) return &*found;
  }
  return nullptr;
}

// Numbers of a matrix of one of the sizes.
std::vector<double> matrix(const Entries& entries, std::initializer_list<const char*> names,
                           std::initializer_list<std::size_t> sizes, std::string_view name) {
  const auto* found = find(entries, names);
  if (!found || !found->second.is_matrix) reject(name, "has no matrix {}", *names.begin());
  const auto& [key, entry] = *found;
  std::vector<double> values;
  LineReader reader(entry.data, name, ",");
  while (values.size() <= kMostNumbers && reader.next()) {
    for (std::size_t i = 0; i < reader.words().size(); ++i) {
      const auto value = to_number<double>(reader.words()[i]);
      if (!value || !std::isfinite(*value))
        reject(name, "{}: {} is no finite number", printable(key), printable(reader.words()[i]));
      values.push_back(*value);
    }
  }
  const auto rows = to_number<std::size_t>(entry.rows), cols = to_number<std::size_t>(entry.cols);
  const bool fits = rows && cols && *rows <= kMostNumbers && *cols <= kMostNumbers &&
                    *rows * *cols == values.size();
  if (!fits)
    reject(name, "{}: {} numbers, but rows {} and cols {}", printable(key), values.size(),
           printable(entry.rows), printable(entry.cols));
  if (std::find(sizes.begin(), sizes.end(), values.size()) == sizes.end())
    reject(name, "{}: a matrix of {} numbers does not belong there", printable(key), values.size());
  return values;
}

int side(const Entries& entries, std::initializer_list<const char*> names, std::string_view name) {
  const auto* found = find(entries, names);
  if (!found || found->second.is_matrix) return 0;
  const auto value = to_number<double>(found->second.data);
  if (!value || !(*value >= 1) || *value > double(kMaxImagePixels) || *value != std::floor(*value))
    reject(name, "{}: {} is not a number of pixels", found->first, printable(found->second.data));
  return static_cast<int>(*value);
}

Camera camera(const Entries& entries, std::initializer_list<const char*> M,
              std::initializer_list<const char*> D, std::string_view name) {
  const std::vector<double> k = matrix(entries, M, {9}, name);
  if (k[1] != 0 || k[3] != 0 || k[6] != 0 || k[7] != 0 || k[8] != 1)
    reject(name, "{}: is not of the form fx 0 cx, 0 fy cy, 0 0 1", *M.begin());
  Camera c;
  c.intrinsics = {k[0], k[4], k[2], k[5]};
  std::vector<double> d;
  if (find(entries, D)) d = matrix(entries, D, {4, 5, 8, 12, 14}, name);
  for (std::size_t i = 8; i < d.size(); ++i)
    if (d[i] != 0)
      reject(name, "{}: coefficient {} is {}: thin prisms and tilted sensors are not known",
             *D.begin(), i + 1, d[i]);
  d.resize(8);
  c.distortion = {.k1 = d[0],
                  .k2 = d[1],
                  .p1 = d[2],
                  .p2 = d[3],
                  .k3 = d[4],
                  .k4 = d[5],
                  .k5 = d[6],
                  .k6 = d[7]};
  c.width = side(entries, {"image_width", "width"}, name);
  c.height = side(entries, {"image_height", "height"}, name);
  if ((c.width == 0) != (c.height == 0)) c.width = c.height = 0;
  return c;
}

}  // namespace

bool is_opencv_storage(std::string_view text) {
  const std::string_view start = trimmed(text.substr(0, 4096));
  return start.starts_with("%YAML") || start.starts_with("<?xml") ||
         start.starts_with("<opencv_storage>");
}

PairCalibration parse_opencv_calibration(std::string_view text, std::string_view name) {
  const bool is_yaml = trimmed(text.substr(0, 4096)).starts_with('%');
  const Entries entries = is_yaml ? entries_of_yaml(text, name) : entries_of_xml(text, name);
  PairCalibration out;
  out.camera1 = camera(entries, {"M1", "K1", "cameraMatrix1"}, {"D1", "distCoeffs1"}, name);
  out.camera2 = camera(entries, {"M2", "K2", "cameraMatrix2"}, {"D2", "distCoeffs2"}, name);
  const std::vector<double> R = matrix(entries, {"R"}, {9}, name),
                            t = matrix(entries, {"T", "t"}, {3}, name);
  std::copy(R.begin(), R.end(), out.cam2_from_cam1.R.begin());
  std::copy(t.begin(), t.end(), out.cam2_from_cam1.t.begin());
  return out;
}

}  // namespace bifocal::io
