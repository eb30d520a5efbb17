// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/place/read_positions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collection/colmap/flight_records.hpp"
#include "collection/colmap/state.hpp"
#include "math/median.hpp"

namespace bifocal::mapping {
namespace {

using colmap::PosePrior;
using colmap::PriorCoordinates;

GeoPoint geo_point(const Vec3& position) { return {position[0], position[1], position[2]}; }

// Of positions that can be; farther ones have no differences of metres.
constexpr double kLeastAltitude_m = -1e6, kMostAltitude_m = 1e9, kMostCoordinate = 1e12;

// A place on the Earth has a latitude of at most 90 degrees.
bool is_on_earth(const Vec3& position) {
  return std::abs(position[0]) <= 90 && std::abs(position[1]) <= 180;
}

// The coordinate system of most positions.
PriorCoordinates coordinates_of(const std::vector<PosePrior>& priors) {
  std::ptrdiff_t wgs84 = 0, cartesian = 0;
  for (const PosePrior& prior : priors) {
    if (!prior.position) continue;
    wgs84 += prior.coordinates == PriorCoordinates::wgs84 ? 1 : 0;
    cartesian += prior.coordinates == PriorCoordinates::cartesian ? 1 : 0;
  }
  return wgs84 >= cartesian ? PriorCoordinates::wgs84 : PriorCoordinates::cartesian;
}

// COLMAP's extractor takes gravity from EXIF's orientation, also of photographs that look down: it
// is an axis of the image.
bool is_of_orientation(const Vec3& gravity) {
  return gravity[2] == 0 && (std::abs(gravity[0]) == 1 || std::abs(gravity[1]) == 1);
}

// The middle of places, rounded to about 10 cm.
GeoPoint middle_of(const std::vector<Vec3>& places) {
  Vec3 middle{};
  for (std::size_t k = 0; k < 3; ++k) {
    const double step = k < 2 ? 1e6 : 10;
    std::vector<double> values;
    for (const Vec3& place : places) values.push_back(place[k]);
    middle[k] = std::round(step * upper_median(values)) / step;
  }
  return geo_point(middle);
}

// Returns why a position is not used; empty if it is.
std::string fault_of(const PosePrior& prior, PriorCoordinates wanted) {
  if (prior.coordinates != wanted)
    return "its coordinate system differs from that of the other rows, or is not defined";
  if (wanted != PriorCoordinates::wgs84)
    return std::ranges::all_of(*prior.position,
                               [](double v) { return std::abs(v) <= kMostCoordinate; })
               ? ""
               : fmt::format("a coordinate above {}", kMostCoordinate);
  if (!((*prior.position)[2] >= kLeastAltitude_m && (*prior.position)[2] <= kMostAltitude_m))
    return fmt::format("altitude {} m: no place on Earth", (*prior.position)[2]);
  if (is_on_earth(*prior.position)) return {};
  return fmt::format("latitude {} and longitude {}: no place on Earth{}", (*prior.position)[0],
                     (*prior.position)[1],
                     is_on_earth({(*prior.position)[1], (*prior.position)[0], 0})
                         ? "; they may be exchanged"
                         : "");
}

}  // namespace

void read_positions(const colmap::Database& database, ViewGraph& graph) {
  std::unordered_map<colmap::Id, int> places;
  for (std::size_t i = 0; i < graph.images.size(); ++i)
    places.emplace(graph.images[i].id, static_cast<int>(i));
  std::unordered_map<int, MapPosition> positions;
  const auto of_image = [&](colmap::Id id) -> MapPosition* {
    const auto found = places.find(id);
    if (found == places.end()) return nullptr;
    return &positions.try_emplace(found->second, MapPosition{.image = found->second}).first->second;
  };
  colmap::Faults faults(database, &graph.damaged_rows);
  const std::vector<PosePrior> priors = database.pose_priors(&graph.damaged_rows);
  const PriorCoordinates wanted = coordinates_of(priors);
  std::vector<Vec3> on_earth;
  for (const PosePrior& prior : priors) {
    MapPosition* p = of_image(prior.image);
    if (p == nullptr) continue;
    if (prior.gravity && !is_of_orientation(*prior.gravity)) p->gravity = prior.gravity;
    if (!prior.position) continue;
    if (const std::string fault = fault_of(prior, wanted); !fault.empty()) {
      faults.add(colmap::row_name("pose_priors", "image", prior.image), fault);
      continue;
    }
    p->centre = prior.position;
    if (wanted == PriorCoordinates::wgs84) on_earth.push_back(*prior.position);
    if (prior.covariance)
      for (std::size_t k = 0; k < 3; ++k) p->deviations[k] = std::sqrt((*prior.covariance)[4 * k]);
  }
  for (const colmap::FlightRecord& record : colmap::flight_records(database, &graph.damaged_rows))
    if (MapPosition* p = of_image(record.image)) p->altitude = record.relative_altitude_m;
  if (!on_earth.empty()) graph.origin = middle_of(on_earth);
  for (std::size_t i = 0; i < graph.images.size(); ++i) {
    const auto found = positions.find(static_cast<int>(i));
    if (found == positions.end()) continue;
    if (graph.origin && found->second.centre)
      found->second.centre = TangentPlane(*graph.origin).enu(geo_point(*found->second.centre));
    graph.positions.push_back(found->second);
  }
}

}  // namespace bifocal::mapping
