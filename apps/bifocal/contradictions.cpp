// SPDX-License-Identifier: BSD-3-Clause
#include "contradictions.hpp"

#include <fmt/format.h>
#include <bifocal/colmap/rotation_cycles.hpp>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

namespace bifocal::cli {
namespace {

Contradictions described(const colmap::Database& database,
                         const std::vector<colmap::ContradictingPair>& pairs) {
  Contradictions out;
  if (pairs.empty()) return out;
  std::map<colmap::Id, std::string> names;
  for (const colmap::Image& image : database.images()) names[image.id] = image.name;
  for (const colmap::ContradictingPair& p : pairs) {
    const std::string &a = names[p.image1], &b = names[p.image2];
    out.pairs.push_back(
        {{"image1", a}, {"image2", b}, {"inliers", p.inliers}, {"probability", p.probability}});
    out.texts.push_back(fmt::format(
        "{}, {}: the rotation contradicts those of other pairs ({} inliers)", a, b, p.inliers));
  }
  return out;
}

// A reader of a write-ahead log leaves the log's files beside the database. Without a log the
// database is read as a file that nobody writes to.
colmap::Access reading(const std::string& database) {
  std::error_code none;
  const auto logged = std::filesystem::file_size(database + "-wal", none);
  return none || logged == 0 ? colmap::Access::frozen : colmap::Access::read;
}

}  // namespace

Contradictions find_contradictions(const std::string& database) {
  const colmap::Database opened(database, reading(database));
  return described(opened, contradicting_pairs(opened));
}

Contradictions tell_contradictions(const std::string& database, bool is_strict) {
  colmap::Database opened(database, is_strict ? colmap::Access::write : reading(database));
  const std::vector<colmap::ContradictingPair> pairs = contradicting_pairs(opened);
  Contradictions found = described(opened, pairs);
  for (const std::string& text : found.texts)
    tell(fmt::format("{}{}", text, is_strict ? ": left out" : ""));
  if (is_strict && !pairs.empty()) erase_geometries(opened, pairs);
  return found;
}

}  // namespace bifocal::cli
