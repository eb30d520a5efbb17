// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/contradictions.hpp"

#include <fmt/format.h>
#include <bifocal/colmap/database.hpp>

namespace bifocal::jobs {

std::vector<colmap::ContradictingPair> found_contradictions(const std::filesystem::path& database,
                                                            bool drops) {
  std::vector<colmap::ContradictingPair> pairs = colmap::contradicting_pairs(database);
  if (drops && !pairs.empty()) {
    colmap::Database opened(database, colmap::Access::write);
    erase_geometries(opened, pairs);
  }
  return pairs;
}

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

}  // namespace bifocal::jobs
