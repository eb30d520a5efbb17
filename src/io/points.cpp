// SPDX-License-Identifier: BSD-3-Clause
// Correspondences and scene points as text, and the line reader shared by all text formats.
#include <cmath>

#include "io/matcher_npz.hpp"
#include "io/parse.hpp"

namespace bifocal {
namespace io {

bool LineReader::next() {
  while (!text_.empty()) {
    const std::size_t end = text_.find('\n');
    std::string_view line = text_.substr(0, end);
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    ++line_;
    line = line.substr(0, line.find('#'));
    words_.clear();
    std::size_t begin = std::string_view::npos;
    for (std::size_t i = 0; i <= line.size(); ++i) {
      const bool part = i == line.size() || line[i] == ' ' ||
                        (line[i] >= '\t' && line[i] <= '\r') ||
                        separators_.find(line[i]) != std::string_view::npos;
      if (!part && begin == std::string_view::npos) begin = i;
      if (part && begin != std::string_view::npos) {
        words_.push_back(line.substr(begin, i - begin));
        begin = std::string_view::npos;
      }
    }
    if (!words_.empty()) return true;
  }
  return false;
}

double LineReader::number(std::size_t i) const {
  const auto value = to_number<double>(words_[i]);
  if (!value) reject(name_, "line {}: \"{}\" is not a number", line_, printable(words_[i]));
  return *value;
}

namespace {

// Calls row(reader) for each row, after an optional first line with the number of rows.
template <class Row>
void read_rows(std::string_view text, std::string_view name, const Row& row) {
  LineReader reader(text, name);
  std::int64_t rows = 0;
  std::optional<std::int64_t> count;
  bool first = true;
  while (reader.next()) {
    if (first && reader.words().size() == 1) {
      count = to_number<std::int64_t>(reader.words()[0]);
      if (!count || *count < 0) {
        const std::string word(reader.words()[0]);
        reject(name, "line {}: \"{}\" is neither a row nor a number of rows{}", reader.line(),
               printable(word),
               word.find(',') == word.npos ? "" : ": blanks separate numbers, not commas");
      }
    } else {
      row(reader);
      ++rows;
    }
    first = false;
  }
  if (count && *count != rows) {
    reject(name, "the first line announces {} rows, {} are there", *count, rows);
  }
  if (rows == 0) reject(name, "holds no rows");
}

}  // namespace

Correspondences parse_correspondences(std::string_view text, std::string_view name) {
  Correspondences result;
  std::size_t columns = 0;
  read_rows(text, name, [&](const LineReader& reader) {
    const std::size_t n = reader.words().size();
    if (n != 4 && n != 5) {
      reject(name, "line {}: {} numbers, expected x1 y1 x2 y2 [weight]", reader.line(), n);
    }
    if (columns != 0 && n != columns) {
      reject(name, "line {}: {} numbers, the rows before have {}", reader.line(), n, columns);
    }
    columns = n;
    result.points.push_back(
        {reader.number(0), reader.number(1), reader.number(2), reader.number(3)});
    if (n == 5) {
      const double weight = reader.number(4);
      if (!(weight >= 0) || !std::isfinite(weight)) {
        reject(name, "line {}: weight \"{}\" is not finite and >= 0", reader.line(),
               printable(reader.words()[4]));
      }
      result.weights.push_back(weight);
    }
  });
  return result;
}

std::vector<ScenePoint> parse_scene_points(std::string_view text, std::string_view name) {
  std::vector<ScenePoint> result;
  read_rows(text, name, [&](const LineReader& reader) {
    if (reader.words().size() != 5) {
      reject(name, "line {}: {} numbers, expected x y X Y Z", reader.line(), reader.words().size());
    }
    result.push_back(
        {reader.number(0), reader.number(1), reader.number(2), reader.number(3), reader.number(4)});
  });
  return result;
}

std::vector<DepthPair> parse_depth_pairs(std::string_view text, std::string_view name) {
  std::vector<DepthPair> result;
  read_rows(text, name, [&](const LineReader& reader) {
    if (reader.words().size() != 6) {
      reject(name, "line {}: {} numbers, expected x1 y1 x2 y2 depth1 depth2", reader.line(),
             reader.words().size());
    }
    result.push_back({reader.number(0), reader.number(1), reader.number(2), reader.number(3),
                      reader.number(4), reader.number(5)});
  });
  return result;
}

}  // namespace io

Correspondences read_correspondences(const std::filesystem::path& file) {
  if (file.extension() == ".npz") return io::read_matcher_npz(file);
  return io::parse_correspondences(read_text(file), file.string());
}

std::vector<DepthPair> read_depth_pairs(const std::filesystem::path& file) {
  return io::parse_depth_pairs(read_text(file), file.string());
}

std::vector<ScenePoint> read_scene_points(const std::filesystem::path& file) {
  return io::parse_scene_points(read_text(file), file.string());
}

}  // namespace bifocal
