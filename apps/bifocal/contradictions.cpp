// SPDX-License-Identifier: BSD-3-Clause
#include "contradictions.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace bifocal::cli {

Contradictions print_contradictions(const std::string& database, bool drops) {
  const std::filesystem::path file(database);
  const std::vector<colmap::ContradictingPair> pairs = colmap::contradicting_pairs(file);
  Contradictions found = described(pairs);
  for (const std::string& text : found.texts)
    warn(fmt::format("{}{}", text, drops ? ": left out" : ""));
  if (drops && !pairs.empty()) {
    colmap::Database opened(file, colmap::Access::write);
    erase_geometries(opened, pairs);
  }
  return found;
}

}  // namespace bifocal::cli
