// SPDX-License-Identifier: BSD-3-Clause
#include "contradictions.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace bifocal::cli {

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
