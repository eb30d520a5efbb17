// SPDX-License-Identifier: BSD-3-Clause
#include "contradictions.hpp"

#include <fmt/format.h>
#include <bifocal/colmap/rotation_cycles.hpp>

#include <filesystem>
#include <nlohmann/json.hpp>

namespace bifocal::cli {
namespace {

Contradictions described(const std::vector<colmap::ContradictingPair>& pairs) {
  Contradictions out;
  for (const colmap::ContradictingPair& p : pairs) {
    out.pairs.push_back({{"image1", p.name1},
                         {"image2", p.name2},
                         {"inliers", p.inliers},
                         {"probability", p.probability}});
    out.texts.push_back(fmt::format("{}, {}: the rotation contradicts other pairs ({} inliers)",
                                    p.name1, p.name2, p.inliers));
  }
  return out;
}

}  // namespace

Contradictions find_contradictions(const std::string& database) {
  return described(colmap::contradicting_pairs(std::filesystem::path(database)));
}

Contradictions print_contradictions(const std::string& database, bool is_strict) {
  const std::filesystem::path file(database);
  const std::vector<colmap::ContradictingPair> pairs = colmap::contradicting_pairs(file);
  Contradictions found = described(pairs);
  for (const std::string& text : found.texts)
    warn(fmt::format("{}{}", text, is_strict ? ": left out" : ""));
  if (is_strict && !pairs.empty()) {
    colmap::Database opened(file, colmap::Access::write);
    erase_geometries(opened, pairs);
  }
  return found;
}

}  // namespace bifocal::cli
