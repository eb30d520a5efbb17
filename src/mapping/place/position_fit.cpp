// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/place/position_fit.hpp"

#include <algorithm>
#include <cmath>

#include "mapping/doubts.hpp"
#include "math/median.hpp"

namespace bifocal::mapping {
namespace {

// Medians of chi-squared distributions with two degrees of freedom and with one.
constexpr double kMedian2 = 1.3863, kMedian1 = 0.4549;
constexpr double kAgreement = 2;                 // factor of the deviations up to which they agree
constexpr double kOutlier = 4;                   // standard deviations
constexpr double kMostOutliers = 0.2;            // share
constexpr double kMostTilt = 15 * kRadPerDeg;    // by the gravity of the images
constexpr double kUpsideDown = 90 * kRadPerDeg;  // by the axes of the images
constexpr double kLeastShare = 0.05;   // of the expected deviations, of positions that state none
constexpr double kModelShare = 0.005;  // of the distances from the middle, of a model's errors
constexpr double kLeastWidth = 0.01;   // of the extent: distance from a line
constexpr double kFar = 10;  // medians of the distances: such points are no part of the extent
// Deviations of a similarity that positions determine. Positions that are noise alone, as of a
// phone around a small object, have a scale with a deviation of 0.3 and more.
constexpr double kMostScale = 0.15, kMostRotation = 20 * kRadPerDeg;
constexpr std::size_t kFewPositions = 6;  // whose errors show no deviation

double stated(const Vec3& deviations) {
  return std::sqrt(0.5 * (deviations[0] * deviations[0] + deviations[1] * deviations[1]));
}

std::vector<Placed> placed_views(const Scene& scene, const std::vector<MapPosition>& positions,
                                 std::vector<int>& views) {
  std::vector<const MapPosition*> by_view(scene.views.size(), nullptr);
  for (const MapPosition& p : positions)
    if (p.centre) by_view[static_cast<std::size_t>(p.image)] = &p;
  std::vector<Placed> placed;
  for (std::size_t i = 0; i < by_view.size(); ++i) {
    if (by_view[i] == nullptr || !scene.views[i].is_registered) continue;
    Vec3 deviations = by_view[i]->deviations;
    for (std::size_t k = 0; k < 3; ++k)
      if (!(deviations[k] > 0)) deviations[k] = k < 2 ? kHorizontalDeviation : kVerticalDeviation;
    views.push_back(static_cast<int>(i));
    placed.push_back({centre_of(scene.views[i].cam_from_world), *by_view[i]->centre, deviations});
  }
  return placed;
}

// Distances from the middle, by the medians of the coordinates.
std::vector<double> distances_of(const std::vector<Placed>& placed, Vec3 Placed::*part) {
  Vec3 middle{};
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> values;
    for (const Placed& p : placed) values.push_back((p.*part)[k]);
    middle[k] = upper_median(values);
  }
  std::vector<double> distances;
  for (const Placed& p : placed) distances.push_back(norm(difference(p.*part, middle)));
  return distances;
}

// Whether most points are on a line. Single wrong positions have no influence.
bool are_on_line(const std::vector<Placed>& placed) {
  for (Vec3 Placed::*part : {&Placed::from, &Placed::to}) {
    const std::vector<double> distances = distances_of(placed, part);
    std::vector<double> sorted = distances, weights;
    const double most = kFar * upper_median(sorted);
    std::vector<Vec3> points;
    double extent = 0;
    for (std::size_t i = 0; i < placed.size(); ++i) {
      points.push_back(placed[i].*part);
      weights.push_back(distances[i] <= most ? 1 : 0);
      if (distances[i] <= most) extent = std::max(extent, distances[i]);
    }
    if (!(extent_across(points, weights) > kLeastWidth * extent)) return true;
  }
  return false;
}

// Adds the deviation of a model without positions, which may bend, and sets the expected errors.
void expect(std::vector<Placed>& placed, PositionFit& fit) {
  std::vector<double> distances = distances_of(placed, &Placed::to), horizontal, vertical;
  const double model = kModelShare * upper_median(distances);
  for (Placed& p : placed) {
    for (double& d : p.deviations) d = std::hypot(d, model);
    horizontal.push_back(stated(p.deviations));
    vertical.push_back(p.deviations[2]);
  }
  fit.stated_horizontal = upper_median(horizontal);
  fit.stated_vertical = upper_median(vertical);
}

// Returns false if the positions determine no similarity.
bool set_similarity(const std::vector<Placed>& placed, std::uint64_t seed, PositionFit& fit) {
  const std::optional<RobustSimilarity> found = robust_similarity(placed, seed);
  if (!found) return false;
  fit.similarity = found->similarity;
  fit.deviations = found->deviations;
  fit.errors.clear();
  std::vector<double> horizontal, vertical;
  for (const Placed& p : placed) {
    const Vec3 e = difference(p.to, moved(fit.similarity, p.from));
    fit.errors.push_back(e);
    horizontal.push_back(e[0] * e[0] + e[1] * e[1]);
    vertical.push_back(e[2] * e[2]);
  }
  // Seven numbers of the similarity are taken from three of each position.
  const auto n = static_cast<double>(placed.size());
  const double freedom = 3 * n / std::max(1.0, 3 * n - 7);
  fit.horizontal = std::sqrt(freedom * upper_median(horizontal) / kMedian2);
  fit.vertical = std::sqrt(freedom * upper_median(vertical) / kMedian1);
  return true;
}

// Sets deviations to the size of the errors, between stated and expected deviation.
void assume_deviations(const std::vector<MapPosition>& positions, const PositionFit& fit,
                       std::vector<Placed>& placed) {
  const double horizontal = std::max(fit.horizontal, kLeastShare * kHorizontalDeviation),
               vertical = std::max(fit.vertical, kLeastShare * kVerticalDeviation);
  for (const MapPosition& p : positions) {
    const auto found = std::ranges::lower_bound(fit.views, p.image);
    if (!p.centre || found == fit.views.end() || *found != p.image) continue;
    Vec3& deviations = placed[static_cast<std::size_t>(found - fit.views.begin())].deviations;
    for (std::size_t k = 0; k < 3; ++k) {
      const double error = k < 2 ? horizontal : vertical;
      deviations[k] =
          p.deviations[k] > 0 ? std::clamp(error, p.deviations[k], deviations[k]) : error;
    }
  }
}

void set_outliers(const std::vector<Placed>& placed, PositionFit& fit) {
  for (const Placed& p : placed)
    fit.is_outlier.push_back(error_of(fit.similarity, p) > kOutlier * kOutlier);
  const double share = static_cast<double>(fit.outliers()) / static_cast<double>(placed.size());
  const double ratio =
      std::max(fit.horizontal / fit.stated_horizontal, fit.vertical / fit.stated_vertical);
  fit.ratio = std::max(ratio / kAgreement, share / kMostOutliers);
}

bool are_small(const SimilarityDeviations& d) {
  return d.scale <= kMostScale &&
         std::max({d.rotation[0], d.rotation[1], d.rotation[2]}) <= kMostRotation;
}

// Downwards in the axes of a camera: as stated, or the axis y of an upright photograph, or the
// direction of a photograph of the ground.
Vec3 down_of(const Mat3& R, const MapPosition& position, bool& is_stated) {
  is_stated = position.gravity.has_value();
  if (is_stated) return *position.gravity;
  return std::abs(R[5]) > std::abs(R[8]) ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
}

// Positions that are mirrored, as by an exchange, turn a flat model upside down.
void set_tilt(const Scene& scene, const std::vector<MapPosition>& positions, PositionFit& fit) {
  std::vector<double> tilts;
  bool are_stated = true;
  for (const MapPosition& p : positions) {
    const View& view = scene.view(p.image);
    if (!p.centre || !view.is_registered) continue;
    // Columns are the axes of the positions in the camera.
    const Mat3 R = times(view.cam_from_world.R, transposed(fit.similarity.R));
    bool is_stated = false;
    const Vec3 down = down_of(R, p, is_stated);
    are_stated = are_stated && is_stated;
    tilts.push_back(angle_between(down, {-R[2], -R[5], -R[8]}));
  }
  fit.tilt = upper_median(tilts);
  const bool are_near = fit.ratio <= 1;
  fit.ratio = std::max(fit.ratio, fit.tilt / (are_stated ? kMostTilt : kUpsideDown));
  fit.agrees = fit.ratio <= 1;
  fit.is_tilted_alone = are_near && !fit.agrees;
}

// The mean direction of stated gravity; empty if fewer than half of the views state it.
std::optional<Vec3> stated_down(const Scene& scene) {
  Vec3 down{};
  int stated = 0, registered = 0;
  for (const MapPosition& p : scene.graph->positions) {
    const View& view = scene.view(p.image);
    if (!view.is_registered) continue;
    ++registered;
    if (!p.gravity) continue;
    ++stated;
    down = sum(down, transposed_times(view.cam_from_world.R, *p.gravity));
  }
  if (2 * stated < registered || !(norm(down) > 0)) return {};
  return unit(down);
}

}  // namespace

std::size_t PositionFit::outliers() const {
  return static_cast<std::size_t>(std::ranges::count(is_outlier, true));
}

std::optional<PositionFit> fit_positions(const Scene& scene,
                                         const std::vector<MapPosition>& positions,
                                         std::uint64_t seed) {
  PositionFit fit;
  std::vector<Placed> placed = placed_views(scene, positions, fit.views);
  if (placed.size() < 3 || are_on_line(placed)) return {};
  expect(placed, fit);
  if (!set_similarity(placed, seed, fit)) return {};
  const bool is_determined_as_expected = are_small(fit.deviations);
  assume_deviations(positions, fit, placed);
  if (!set_similarity(placed, seed, fit)) return {};
  for (const Placed& p : placed) fit.assumed.push_back(p.deviations);
  set_outliers(placed, fit);
  const bool is_determined =
      placed.size() < kFewPositions ? is_determined_as_expected : are_small(fit.deviations);
  if (fit.ratio <= 1 && !is_determined) return {};
  set_tilt(scene, positions, fit);
  return fit;
}

std::optional<Similarity> level_similarity(const Scene& scene, const PositionFit& fit,
                                           std::uint64_t seed) {
  const std::optional<Vec3> down = stated_down(scene) ? stated_down(scene) : down_of_flight(scene);
  if (!down) return {};
  const Vec3 up = scaled(*down, -1), other = std::abs(up[0]) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 x = unit(cross(other, up)), y = cross(up, x);
  const Mat3 R = {x[0], x[1], x[2], y[0], y[1], y[2], up[0], up[1], up[2]};
  std::vector<Placed> flat;
  for (std::size_t i = 0; i < fit.views.size(); ++i) {
    const Vec3 c = centre_of(scene.view(fit.views[i]).cam_from_world), from = times(R, c),
               to = sum(moved(fit.similarity, c), fit.errors[i]);
    flat.push_back({{from[0], from[1], 0}, {to[0], to[1], 0}, fit.assumed[i]});
  }
  const std::optional<RobustSimilarity> found = robust_similarity(flat, seed);
  if (!found) return {};
  // A rotation about the vertical alone.
  const Mat3& F = found->similarity.R;
  if (!(F[8] > 0)) return {};
  const double length = std::hypot(F[0], F[3]), c = F[0] / length, s = F[3] / length;
  Similarity level{found->similarity.scale, times(Mat3{c, -s, 0, s, c, 0, 0, 0, 1}, R),
                   found->similarity.t};
  std::vector<double> heights;
  level.t[2] = 0;
  for (std::size_t i = 0; i < fit.views.size(); ++i) {
    const Vec3 centre = centre_of(scene.view(fit.views[i]).cam_from_world);
    heights.push_back(sum(moved(fit.similarity, centre), fit.errors[i])[2] -
                      moved(level, centre)[2]);
  }
  level.t[2] = upper_median(heights);
  return level;
}

std::optional<std::vector<MapPosition>> exchanged_positions(const ViewGraph& graph) {
  if (!graph.origin) return {};
  const TangentPlane plane(*graph.origin);
  std::vector<MapPosition> out = graph.positions;
  for (MapPosition& p : out) {
    if (!p.centre) continue;
    GeoPoint place = plane.geo(*p.centre);
    std::swap(place.latitude_deg, place.longitude_deg);
    if (!(std::abs(place.latitude_deg) <= 90)) return {};
    p.centre = plane.enu(place);
  }
  return out;
}

}  // namespace bifocal::mapping
