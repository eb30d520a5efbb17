// SPDX-License-Identifier: BSD-3-Clause
#include "collection/collect/survey.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

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
// Variance of the neighbours' offsets across their main direction, relative to along it. Dense
// photographs of one strip have neighbours of the same strip alone, and no pair joins two strips.
constexpr double kLeastWidth = 0.05;

bool has_camera(const io::Exif& exif) { return !exif.make.empty() || !exif.model.empty(); }

double aspect_of(const io::PictureHead& head) {
  return std::max(head.width, head.height) / double(std::min(head.width, head.height));
}

// The partners of one photograph, seen from it.
struct Surroundings {
  int count = 0;
  double reach_m = 0;             // of the farthest partner
  double xx = 0, xy = 0, yy = 0;  // sums over the offsets to the partners

  void add(const GeoPosition& from, const GeoPosition& to) {
    ++count;
    reach_m = std::max(reach_m, distance_m(from, to));
    const double y = to.latitude_deg - from.latitude_deg;
    const double x = std::remainder(to.longitude_deg - from.longitude_deg, 360.0) *
                     std::cos(from.latitude_deg * std::numbers::pi / 180);
    xx += x * x, xy += x * y, yy += y * y;
  }
  // Returns the ratio of the eigenvalues of the sums; 0 if all offsets are 0.
  [[nodiscard]] double width() const {
    const double middle = (xx + yy) / 2, half = std::hypot((xx - yy) / 2, xy);
    return middle > 0 ? std::max(0.0, middle - half) / (middle + half) : 0;
  }
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
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
  std::vector<Surroundings> around(positions.size());
  for (const ImagePair& p : near_pairs(positions, near)) {
    components.join(p);
    const auto a = static_cast<std::size_t>(p.image1), b = static_cast<std::size_t>(p.image2);
    around[a].add(*positions[a], *positions[b]);
    around[b].add(*positions[b], *positions[a]);
  }
  std::vector<double> reaches, widths;
  for (std::size_t i = 0; i < around.size(); ++i) {
    if (around[i].count < std::min(kLeastNeighbours, near.most)) return false;
    if (components.of(static_cast<int>(i)) != 0) return false;
    reaches.push_back(around[i].reach_m);
    widths.push_back(around[i].width());
  }
  return median(std::move(reaches)) >= kLeastReach_m && median(std::move(widths)) >= kLeastWidth;
}

}  // namespace bifocal::collection
