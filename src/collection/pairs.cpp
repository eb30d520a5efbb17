// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/pair_selection.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>

#include "runtime/parallel.hpp"

namespace bifocal {
namespace {

constexpr double kEarthRadius_m = 6371008.8;  // IUGG mean radius

[[noreturn]] void refuse_selection(const std::string& message) {
  throw Error(ErrorCode::usage, message);
}

// Position of an image on the unit sphere.
struct Place {
  double x, y, z;
  int image;
};

Place place_of(const GeoPosition& p, int image) {
  constexpr double kRadian = std::numbers::pi / 180;
  const double latitude = p.latitude_deg * kRadian, longitude = p.longitude_deg * kRadian;
  return {std::cos(latitude) * std::cos(longitude), std::cos(latitude) * std::sin(longitude),
          std::sin(latitude), image};
}

double chord2(const Place& a, const Place& b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z);
}

std::vector<Place> places_of(std::span<const std::optional<GeoPosition>> positions) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (!positions[i]) continue;
    const auto [latitude, longitude] = *positions[i];
    if (!(std::abs(latitude) <= 90) || !(std::abs(longitude) <= 180))
      refuse_selection(
          fmt::format("near_pairs: image {}: no place on Earth has latitude {} and longitude {}", i,
                      latitude, longitude));
    places.push_back(place_of(*positions[i], static_cast<int>(i)));
  }
  return places;
}

}  // namespace

void tidy_pairs(std::vector<ImagePair>& pairs) {
  const auto key = [](const ImagePair& p) { return std::tuple(p.image1, p.image2); };
  for (ImagePair& p : pairs)
    if (p.image1 > p.image2) std::swap(p.image1, p.image2);
  std::erase_if(pairs, [](const ImagePair& p) { return p.image1 == p.image2; });
  std::sort(pairs.begin(), pairs.end(),
            [&](const ImagePair& a, const ImagePair& b) { return key(a) < key(b); });
  const auto same = [&](const ImagePair& a, const ImagePair& b) { return key(a) == key(b); };
  pairs.erase(std::unique(pairs.begin(), pairs.end(), same), pairs.end());
}

ImageComponents::ImageComponents(int images) : parent_(static_cast<std::size_t>(images)) {
  std::iota(parent_.begin(), parent_.end(), 0);
}

int ImageComponents::of(int image) {
  const auto parent = [this](int i) -> int& { return parent_[static_cast<std::size_t>(i)]; };
  while (parent(image) != image) image = parent(image) = parent(parent(image));
  return image;
}

bool ImageComponents::join(const ImagePair& pair) {
  const auto [low, high] = std::minmax({of(pair.image1), of(pair.image2)});
  parent_[static_cast<std::size_t>(high)] = low;
  return low != high;
}

std::vector<ImagePair> sequential_pairs(int images, const SequentialOptions& options) {
  check_options(options);
  std::vector<ImagePair> pairs;
  for (int i = 0; i < images; ++i) {
    for (int k = 1; k <= options.overlap && k < images - i; ++k) pairs.push_back({i, i + k});
    if (!options.quadratic) continue;
    for (int k = 0; k < std::min(options.overlap, 31) && (std::int64_t{1} << k) < images - i; ++k)
      pairs.push_back({i, i + (1 << k)});
  }
  tidy_pairs(pairs);
  return pairs;
}

double distance_m(const GeoPosition& a, const GeoPosition& b) {
  const double half = std::sqrt(chord2(place_of(a, 0), place_of(b, 0))) / 2;
  return 2 * kEarthRadius_m * std::asin(std::min(1.0, half));
}

std::vector<ImagePair> near_pairs(std::span<const std::optional<GeoPosition>> positions,
                                  const NearOptions& options) {
  check_options(options);
  std::vector<Place> places = places_of(positions);
  // The positions are sorted along the polar axis, so that only positions within one chord along
  // this axis can be near.
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::tuple(a.z, a.image) < std::tuple(b.z, b.image);
  });
  const double angle = std::min(std::numbers::pi, options.max_distance_m / kEarthRadius_m);
  // The chord is enlarged by a rounding error, so that images at the same position are near
  // at any distance.
  const double chord = 2 * std::sin(angle / 2) + 1e-12;
  std::vector<std::vector<ImagePair>> found(places.size());
  runtime::parallel_each(places.size(), [&](std::size_t k) {
    const Place& from = places[k];
    const auto below = [](const Place& p, double z) { return p.z < z; };
    auto p = std::lower_bound(places.begin(), places.end(), from.z - chord, below);
    std::vector<std::pair<double, int>> near;
    for (; p != places.end() && p->z <= from.z + chord; ++p) {
      const double d2 = chord2(from, *p);
      if (p->image != from.image && d2 <= chord * chord) near.emplace_back(d2, p->image);
    }
    std::sort(near.begin(), near.end());
    if (near.size() > static_cast<std::size_t>(options.most))
      near.resize(static_cast<std::size_t>(options.most));
    for (const auto& [d2, image] : near) found[k].push_back({from.image, image});
  });
  std::vector<ImagePair> pairs;
  for (const auto& list : found) pairs.insert(pairs.end(), list.begin(), list.end());
  tidy_pairs(pairs);
  return pairs;
}

}  // namespace bifocal
