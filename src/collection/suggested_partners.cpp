// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/pairs.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "runtime/parallel.hpp"

namespace bifocal {
namespace {

struct Neighbour {
  int image = 0, inliers = 0;
};

}  // namespace

std::vector<std::vector<int>> suggested_partners(int images, std::span<const PairInliers> tried,
                                                 int most) {
  // tried_with[i]: partners of image i, right or wrong; verified ones have inliers.
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
  std::vector<std::vector<int>> result(tried_with.size());
  runtime::parallel_for(static_cast<int>(result.size()), [&](int i) {
    const auto& own = tried_with[static_cast<std::size_t>(i)];
    std::map<int, int> found;  // of an image, how well it is reached
    for (const Neighbour& near : own) {
      for (const Neighbour& far : tried_with[static_cast<std::size_t>(near.image)]) {
        const int worse = std::min(near.inliers, far.inliers);
        if (worse > 0 && far.image != i) found[far.image] = std::max(found[far.image], worse);
      }
    }
    for (const Neighbour& near : own) found.erase(near.image);
    std::vector<std::pair<int, int>> best;
    for (const auto& [image, worse] : found) best.emplace_back(-worse, image);
    std::sort(best.begin(), best.end());
    best.resize(std::min(best.size(), static_cast<std::size_t>(std::max(most, 0))));
    for (const auto& [worse, image] : best) result[static_cast<std::size_t>(i)].push_back(image);
  });
  return result;
}

}  // namespace bifocal
