// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/pair_selection.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "runtime/parallel.hpp"

namespace bifocal {
namespace {

struct Neighbour {
  int image = 0, inliers = 0;
};

// Returns the images that share a verified partner with image i and have not been tried with
// it, best first.
std::vector<int> reached(const std::vector<std::vector<Neighbour>>& tried_with, std::size_t i) {
  const auto& own = tried_with[i];
  std::map<int, int> found;  // score by image: inliers of the weaker of the two pairs
  for (const Neighbour& near : own) {
    for (const Neighbour& far : tried_with[static_cast<std::size_t>(near.image)]) {
      const int worse = std::min(near.inliers, far.inliers);
      if (worse > 0 && far.image != static_cast<int>(i))
        found[far.image] = std::max(found[far.image], worse);
    }
  }
  for (const Neighbour& near : own) found.erase(near.image);
  std::vector<std::pair<int, int>> ranked;
  for (const auto& [image, worse] : found) ranked.emplace_back(-worse, image);
  std::sort(ranked.begin(), ranked.end());
  std::vector<int> images;
  for (const auto& [worse, image] : ranked) images.push_back(image);
  return images;
}

}  // namespace

std::vector<std::vector<int>> suggested_partners(int images, std::span<const PairInliers> tried,
                                                 int most) {
  // tried_with[i]: all tried partners of image i, correct or not; verified partners have inliers.
  std::vector<std::vector<Neighbour>> tried_with(static_cast<std::size_t>(std::max(images, 0)));
  const auto of = [&](int image) -> std::vector<Neighbour>& {
    if (image < 0 || image >= images)
      throw Error(ErrorCode::usage,
                  fmt::format("suggested_partners: image {}: there are {}", image, images));
    return tried_with[static_cast<std::size_t>(image)];
  };
  for (const auto& [pair, inliers] : tried) {
    of(pair.image1).push_back({pair.image2, inliers});
    of(pair.image2).push_back({pair.image1, inliers});
  }
  std::vector<std::vector<int>> best(tried_with.size());
  runtime::parallel_each(best.size(), [&](std::size_t i) { best[i] = reached(tried_with, i); });
  std::vector<std::vector<int>> result(best.size());
  std::vector<std::size_t> next(best.size());
  std::set<std::pair<int, int>> proposed;
  for (int round = 0; round < most; ++round) {
    for (std::size_t i = 0; i < best.size(); ++i) {
      const int own = static_cast<int>(i);
      for (bool done = false; !done && next[i] < best[i].size(); ++next[i]) {
        const int other = best[i][next[i]];
        done = proposed.emplace(std::minmax(own, other)).second;
        if (done) result[i].push_back(other);
      }
    }
  }
  return result;
}

}  // namespace bifocal
