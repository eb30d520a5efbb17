// SPDX-License-Identifier: BSD-3-Clause
#include "collection/collect/survey.hpp"

#include <algorithm>
#include <cmath>

#include <bifocal/error.hpp>

#include "runtime/parallel.hpp"

namespace bifocal::collection {
namespace {

constexpr std::size_t kLeastOthers = 10;  // of which 90 % are photographs
constexpr double kSameAspect = 0.01;
constexpr std::size_t kFewPhotographs = 60;  // all of their pairs take seconds
constexpr int kLeastNeighbours = 8;
// Receivers without corrections err by some metres. Nearer photographs are in no known order.
constexpr double kLeastReach_m = 20;

bool has_camera(const io::Exif& exif) { return !exif.make.empty() || !exif.model.empty(); }

double aspect_of(const io::PictureHead& head) {
  return std::max(head.width, head.height) / double(std::min(head.width, head.height));
}

}  // namespace

Heads heads_of(std::span<const PhotographFile> files) {
  Heads heads(files.size());
  runtime::parallel_each(files.size(), [&](std::size_t i) {
    try {
      heads[i] = io::read_head(files[i].file);
    } catch (const Error&) {  // it is left out later, with the reason
    }
    if (heads[i] && (heads[i]->width < 1 || heads[i]->height < 1)) heads[i].reset();
  });
  return heads;
}

std::set<std::string> mosaics_among(std::span<const PhotographFile> files, const Heads& heads) {
  std::vector<double> aspects;  // of photographs
  for (const auto& head : heads)
    if (head && has_camera(head->exif) && head->exif.position) aspects.push_back(aspect_of(*head));
  if (heads.size() <= kLeastOthers || 10 * aspects.size() < 9 * (heads.size() - 1)) return {};
  std::set<std::string> mosaics;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (!heads[i] || has_camera(heads[i]->exif) || heads[i]->exif.position) continue;
    const double own = aspect_of(*heads[i]);
    const auto is_similar = [&](double other) {
      return std::abs(own - other) <= kSameAspect * other;
    };
    if (std::ranges::none_of(aspects, is_similar)) mosaics.insert(files[i].name);
  }
  return mosaics;
}

bool is_map(std::span<const PhotographFile> files, const Heads& heads,
            const std::set<std::string>& mosaics, const NearOptions& near) {
  std::vector<std::optional<GeoPosition>> positions;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (!heads[i] || mosaics.contains(files[i].name)) continue;
    positions.push_back(heads[i]->exif.position);
  }
  if (positions.size() <= kFewPhotographs ||
      !std::ranges::all_of(positions, [](const auto& p) { return p.has_value(); }))
    return false;
  ImageComponents components(static_cast<int>(positions.size()));
  std::vector<int> neighbours(positions.size());
  std::vector<double> reach(positions.size());  // m, of the farthest partner
  for (const ImagePair& p : near_pairs(positions, near)) {
    components.join(p);
    const double m = distance_m(*positions[static_cast<std::size_t>(p.image1)],
                                *positions[static_cast<std::size_t>(p.image2)]);
    for (const int i : {p.image1, p.image2}) {
      const auto k = static_cast<std::size_t>(i);
      ++neighbours[k];
      reach[k] = std::max(reach[k], m);
    }
  }
  if (std::ranges::min(neighbours) < std::min(kLeastNeighbours, near.most)) return false;
  for (int i = 0; i < static_cast<int>(positions.size()); ++i)
    if (components.of(i) != 0) return false;
  const auto middle = reach.begin() + std::ssize(reach) / 2;
  std::ranges::nth_element(reach, middle);
  return *middle >= kLeastReach_m;
}

}  // namespace bifocal::collection
