// SPDX-License-Identifier: BSD-3-Clause
// Reads matches of other tools from NPZ files, as saved by SuperGlue's and LightGlue's programs.
#include <bifocal/io.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "io/matcher_npz.hpp"
#include "io/reject.hpp"

namespace bifocal::io {
namespace {

// A table of numbers of any type. Leading dimensions of 1 (a batch of one pair) are dropped.
struct Table {
  std::int64_t rows = 0, columns = 0;  // 0 columns: one-dimensional
  std::vector<double> values;

  [[nodiscard]] double at(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(i * std::max<std::int64_t>(columns, 1) + j)];
  }
};

Table table_of(const NpzFile& npz, std::string_view file, const char* name, const char* wanted,
               bool may_be_flat, std::int64_t columns) {
  const NpyArray array = npz.read(name);
  std::vector<std::int64_t> shape = array.shape;
  while (shape.size() > 2 && shape[0] == 1) shape.erase(shape.begin());
  if (may_be_flat && shape.size() == 2 && shape[0] == 1 && shape[1] != columns)
    shape.erase(shape.begin());
  const bool fits =
      (may_be_flat && shape.size() == 1) || (shape.size() == 2 && shape[1] == columns);
  if (!fits || std::holds_alternative<std::string>(array.values))
    reject(file, "array {} is {}, expected {}", name, describe(array), wanted);
  Table table{shape[0], shape.size() == 2 ? shape[1] : 0, {}};
  std::visit(
      [&](const auto& values) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(values)>, std::string>)
          for (const auto v : values) table.values.push_back(static_cast<double>(v));
      },
      array.values);
  return table;
}

std::int64_t index_of(double value, std::int64_t count, std::string_view file, std::int64_t row,
                      const char* keypoints) {
  if (!(value >= 0 && value < static_cast<double>(count) && value == std::floor(value)))
    reject(file, "matches, row {}: {} is no index of the {} {}", row, value, count, keypoints);
  return static_cast<std::int64_t>(value);
}

}  // namespace

Correspondences read_matcher_npz(const std::filesystem::path& path) {
  const std::string file = path.string();
  const NpzFile npz(path);
  for (const char* name : {"keypoints0", "keypoints1", "matches"}) {
    if (!npz.contains(name))
      reject(file, "holds no array {}: matches as NPZ are keypoints0, keypoints1 and matches",
             name);
  }
  const Table first = table_of(npz, file, "keypoints0", "[points, 2]", false, 2);
  const Table second = table_of(npz, file, "keypoints1", "[points, 2]", false, 2);
  const Table matches = table_of(npz, file, "matches", "[points of 0] or [matches, 2]", true, 2);
  const bool is_flat = matches.columns == 0;
  if (is_flat && matches.rows != first.rows)
    reject(file, "matches has {} numbers for {} keypoints0", matches.rows, first.rows);
  const char* scores_name = npz.contains("match_confidence") ? "match_confidence"
                            : npz.contains("scores")         ? "scores"
                                                             : nullptr;
  Table scores;
  if (scores_name) {
    scores = table_of(npz, file, scores_name, "[matches], a number each", true, 0);
    if (scores.rows != matches.rows)
      reject(file, "{} has {} numbers for {} rows of matches", scores_name, scores.rows,
             matches.rows);
  }
  Correspondences result;
  for (std::int64_t k = 0; k < matches.rows; ++k) {
    if (is_flat && matches.at(k, 0) == -1) continue;
    const std::int64_t i =
        is_flat ? k : index_of(matches.at(k, 0), first.rows, file, k, "keypoints0");
    const std::int64_t j =
        index_of(matches.at(k, is_flat ? 0 : 1), second.rows, file, k, "keypoints1");
    result.points.push_back({first.at(i, 0), first.at(i, 1), second.at(j, 0), second.at(j, 1)});
    if (scores_name) result.qualities.push_back(scores.at(k, 0));
  }
  if (result.points.empty()) reject(file, "holds no matches");
  return result;
}

}  // namespace bifocal::io
