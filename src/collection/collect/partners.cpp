// SPDX-License-Identifier: BSD-3-Clause
#include "collection/collect/partners.hpp"

#include <algorithm>
#include <cmath>

namespace bifocal::collection {
namespace {

constexpr std::size_t kPlaces = 256;
constexpr double kSamePlace = 0.002;     // of the longer side
constexpr double kTwinSimilarity = 0.5;  // below it, positions are not compared
constexpr double kTwinShare = 0.5;  // fraction of the features of each image; 1 % agree by chance

using Positions = std::vector<std::array<float, 2>>;

Positions places_of(const Features& features, double side) {
  std::vector<Keypoint> all = features.keypoints;
  const std::size_t count = std::min(kPlaces, all.size());
  std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(count),
                            [](const Keypoint& a, const Keypoint& b) { return a.sigma > b.sigma; });
  Positions places;
  for (std::size_t i = 0; i < count; ++i)
    places.push_back({static_cast<float>(all[i].x / side), static_cast<float>(all[i].y / side)});
  return places;
}

// Returns the fraction of the positions `of` with a position in `in` nearby.
double share_in(const Positions& of, const Positions& in) {
  std::size_t found = 0;
  for (const auto& a : of)
    found += std::ranges::any_of(in, [&](const auto& b) {
      return std::abs(a[0] - b[0]) < kSamePlace && std::abs(a[1] - b[1]) < kSamePlace;
    });
  return of.empty() ? 0 : static_cast<double>(found) / static_cast<double>(of.size());
}

}  // namespace

Partners::Partners(int images, const std::function<Features(int)>& features,
                   const std::function<double(int)>& side, const RetrievalOptions& options,
                   int least)
    : places_(static_cast<std::size_t>(images)),
      index_(
          images,
          [&](int i) {
            Features own = features(i);
            if (own.size() < least) return Features();
            Positions& places = places_[static_cast<std::size_t>(i)];
            if (places.empty()) places = places_of(own, side(i));
            return own;
          },
          options) {}

bool Partners::are_twins(int image1, int image2) const {
  if (index_.similarity(image1, image2) < kTwinSimilarity) return false;
  const Positions &a = places_[static_cast<std::size_t>(image1)],
                  &b = places_[static_cast<std::size_t>(image2)];
  return share_in(a, b) >= kTwinShare && share_in(b, a) >= kTwinShare;
}

bool Partners::is_new(int image, int other, const std::vector<int>& known) const {
  return !are_twins(image, other) &&
         std::ranges::none_of(known, [&](int k) { return k == other || are_twins(k, other); });
}

Partners::Found Partners::of(int image, int count) const {
  // The most similar twin and the first in order: copies of one image are linked.
  constexpr int kMostTwins = 2;
  Found found;
  for (int wanted = count; std::ssize(found.partners) < count; wanted *= 2) {
    const std::vector<int> similar = index_.nearest(image, wanted);
    found = {};
    for (const int other : similar) {
      if (std::ssize(found.partners) == count) break;
      if (is_new(image, other, found.partners)) {
        found.partners.push_back(other);
      } else if (are_twins(image, other)) {
        if (std::ssize(found.twins) < kMostTwins)
          found.twins.push_back(other);
        else
          found.twins.back() = std::min(found.twins.back(), other);
      }
    }
    if (std::ssize(similar) < wanted) break;  // all images were returned
  }
  return found;
}

}  // namespace bifocal::collection
