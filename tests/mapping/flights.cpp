// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/flights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include "mapping/algebra.hpp"

namespace bifocal::test {
namespace {

constexpr double kDegree = std::numbers::pi / 180, kTilt = 2 * kDegree;
constexpr double kAlong = 0.2, kAcross = 0.3;  // of the footprint, between neighbours
constexpr double kWrongBy = 50;                // m
constexpr int kPointsPerImage = 120;
constexpr double kDetected = 0.7;  // fraction of the images that see a point in which it is found
constexpr std::size_t kFewestMatches = 30;
const double kNaN = std::nan("");

using Random = std::mt19937;

double uniform(Random& random, double lo, double hi) {
  return lo + (hi - lo) * static_cast<double>(random()) / 4294967296.0;
}
double normal(Random& random) {
  const double u = uniform(random, 1e-12, 1), v = uniform(random, 0, 1);
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

Hills make_hills(Random& random) {
  constexpr std::array kWavelengths{310.0, 240.0, 190.0, 140.0}, kAmplitudes{9.0, 7.0, 4.0, 2.5};
  Hills hills;
  const double start = uniform(random, 0, std::numbers::pi);
  for (std::size_t i = 0; i < hills.waves.size(); ++i) {
    const double direction = start + 0.8 * static_cast<double>(i);
    const double k = 2 * std::numbers::pi / kWavelengths[i];
    hills.waves[i] = {k * std::cos(direction), k * std::sin(direction),
                      uniform(random, 0, 2 * std::numbers::pi), kAmplitudes[i]};
  }
  return hills;
}

// Pose of a camera that looks down, with its upper border towards `heading`.
Pose nadir_pose(const Vec3& centre, double heading, double pitch, double roll) {
  const double s = std::sin(heading), c = std::cos(heading);
  const Mat3 down{c, -s, 0, -s, -c, 0, 0, 0, -1};
  const Mat3 up{1, 0, 0, 0, std::cos(pitch), std::sin(pitch), 0, -std::sin(pitch), std::cos(pitch)};
  const Mat3 aside{std::cos(roll), 0, -std::sin(roll), 0, 1, 0, std::sin(roll), 0, std::cos(roll)};
  return mapping::pose_at(times(aside, times(up, down)), centre);
}

void add_images(const FlightSettings& settings, Flight& flight, Random& random) {
  const int strips = std::max(1, static_cast<int>(std::lround(std::sqrt(settings.images / 2.0))));
  const int length = (settings.images + strips - 1) / strips;
  const double step = kAlong * settings.above * settings.height / flight.camera.params[0],
               gap = kAcross * settings.above * settings.width / flight.camera.params[0];
  for (int k = 0; k < settings.images; ++k) {
    const int strip = k / length, at = k % length;
    const bool comes_back = strip % 2 == 1;
    const Vec3 centre{gap * (strip - 0.5 * (strips - 1)) + normal(random),
                      (comes_back ? -1 : 1) * step * (at - 0.5 * (length - 1)) + normal(random),
                      settings.above + normal(random)};
    FlightImage& image = flight.images.emplace_back();
    image.name = fmt::format("{:05}.jpg", k);
    image.heading = (comes_back ? std::numbers::pi : 0) + kTilt * normal(random);
    const double pitch = kTilt * normal(random), roll = kTilt * normal(random);
    image.cam_from_world = nadir_pose(centre, image.heading, pitch, roll);
    image.gps = centre;
    for (double& v : image.gps) v += settings.gps_noise * normal(random);
    const double way = uniform(random, 0, 2 * std::numbers::pi);
    if (uniform(random, 0, 1) < settings.wrong_gps)
      image.gps[0] += kWrongBy * std::cos(way), image.gps[1] += kWrongBy * std::sin(way);
    image.gps[2] += settings.drift * k / std::max(1, settings.images - 1);
  }
}

// The largest distances of cameras from the origin to the east and to the north.
std::array<double, 2> extent(const Flight& flight) {
  std::array<double, 2> out{};
  for (const FlightImage& image : flight.images)
    for (std::size_t i = 0; i < 2; ++i)
      out[i] = std::max(out[i], std::abs(mapping::centre_of(image.cam_from_world)[i]));
  return out;
}

void add_targets(const FlightSettings& settings, Flight& flight, Random& random) {
  const std::array<double, 2> half = extent(flight);
  constexpr std::array<std::array<double, 2>, 3> kControl{{{-0.9, -0.8}, {0.9, -0.7}, {-0.1, 0.9}}};
  for (int k = 0; k < 13; ++k) {
    FlightTarget& target = flight.targets.emplace_back();
    target.is_check = k >= 3;
    target.name = target.is_check ? fmt::format("check{}", k - 2) : fmt::format("control{}", k + 1);
    const int cell = k - 3;
    double east = 0.4 * (cell % 5 - 2), north = cell / 5 == 0 ? -0.45 : 0.45;
    if (!target.is_check) east = kControl[std::size_t(k)][0], north = kControl[std::size_t(k)][1];
    east = half[0] * (east + uniform(random, -0.08, 0.08));
    north = half[1] * (north + uniform(random, -0.08, 0.08));
    target.position = target.stated = {east, north, flight.hills.height(east, north)};
    for (double& v : target.stated)
      if (!target.is_check) v += settings.control_noise * normal(random);
    for (std::size_t i = 0; i < flight.images.size(); ++i) {
      const Vec2 px = seen_at(flight, i, target.position);
      const Vec2 mark{px[0] + settings.mark_noise * normal(random),
                      px[1] + settings.mark_noise * normal(random)};
      if (mark[0] >= 0 && mark[0] <= settings.width - 1 && mark[1] >= 0 &&
          mark[1] <= settings.height - 1)
        target.marks.push_back({i, mark});
    }
  }
}

Mat3 fundamental(const Intrinsics& K, const Pose& a, const Pose& b) {
  const Mat3 R = times(b.R, transposed(a.R));
  const Vec3 t = mapping::difference(b.t, times(R, a.t));
  return times(transposed(K.inverse_matrix()),
               times(cross_matrix(t), times(R, K.inverse_matrix())));
}

// Points, and the features of every image by the number of their point.
struct Sightings {
  std::vector<Vec3> points;
  std::vector<std::map<std::uint32_t, Vec2>> images;
};

Sightings sightings_of(const Flight& flight, double noise, Random& random) {
  const std::array<double, 2> half = extent(flight);
  const double margin = 60;
  Sightings out{{}, std::vector<std::map<std::uint32_t, Vec2>>(flight.images.size())};
  const auto count = static_cast<std::uint32_t>(kPointsPerImage * flight.images.size() + 600);
  for (std::uint32_t k = 0; k < count; ++k) {
    const double east = uniform(random, -half[0] - margin, half[0] + margin),
                 north = uniform(random, -half[1] - margin, half[1] + margin);
    out.points.push_back({east, north, flight.hills.height(east, north)});
    for (std::size_t i = 0; i < out.images.size(); ++i) {
      const Vec2 px = seen_at(flight, i, out.points.back());
      if (std::isnan(px[0]) || uniform(random, 0, 1) > kDetected) continue;
      out.images[i][k] = {px[0] + noise * normal(random), px[1] + noise * normal(random)};
    }
  }
  return out;
}

std::vector<colmap::IndexPair> common(const std::map<std::uint32_t, Vec2>& a,
                                      const std::map<std::uint32_t, Vec2>& b) {
  std::vector<colmap::IndexPair> out;
  std::uint32_t i = 0, j = 0;
  auto q = b.begin();
  for (const auto& [point, px] : a) {
    while (q != b.end() && q->first < point) ++q, ++j;
    if (q != b.end() && q->first == point) out.push_back({i, j});
    ++i;
  }
  return out;
}

}  // namespace

double Hills::height(double east, double north) const {
  double sum = 0;
  for (const Wave& w : waves)
    sum += w.amplitude * std::sin(w.east * east + w.north * north + w.phase);
  return sum;
}

Vec3 Hills::hit(const Vec3& c, const Vec3& d, double start) const {
  double z = start;
  Vec3 X{};
  for (int round = 0; round < 40; ++round) {  // contracts: slope times tangent of the view is < 0.6
    const double t = (z - c[2]) / d[2], before = z;
    X = {c[0] + t * d[0], c[1] + t * d[1], z};
    z = height(X[0], X[1]);
    if (std::abs(z - before) < 1e-5) break;
  }
  return X;
}

Vec2 seen_at(const Flight& flight, std::size_t image, const Vec3& point) {
  const Vec3 X = mapping::moved(flight.images[image].cam_from_world, point);
  const std::vector<double>& p = flight.camera.params;
  const double x = X[0] / X[2], y = X[1] / X[2], q = x * x + y * y, s = 1 + p[3] * q;
  const Vec2 px{p[0] * s * x + p[1], p[0] * s * y + p[2]};
  // Beyond the angle where the radius is largest the lens would fold the world back.
  const bool is_inside = X[2] > 0 && 1 + 3 * p[3] * q > 0 && px[0] >= 0 && px[1] >= 0 &&
                         px[0] <= static_cast<double>(flight.camera.width - 1) &&
                         px[1] <= static_cast<double>(flight.camera.height - 1);
  return is_inside ? px : Vec2{kNaN, kNaN};
}

Flight flight(const FlightSettings& settings) {
  Random random(settings.seed);
  Flight out;
  out.hills = make_hills(random);
  out.camera = {.id = 1,
                .model = colmap::model_number("SIMPLE_RADIAL"),
                .width = settings.width,
                .height = settings.height,
                .params = {0.8 * settings.width, 0.5 * (settings.width - 1),
                           0.5 * (settings.height - 1), settings.radial},
                .has_prior_focal_length = true};
  add_images(settings, out, random);
  add_targets(settings, out, random);
  return out;
}

ViewGraph view_graph(const Flight& flight, const FlightMatches& settings) {
  Random random(settings.seed + 1000);
  const std::vector<std::map<std::uint32_t, Vec2>> sightings =
      sightings_of(flight, settings.noise, random).images;
  const std::vector<double>& p = flight.camera.params;
  ViewGraph graph;
  graph.cameras = {flight.camera};
  graph.cameras[0].params[0] *= settings.focal_factor;
  graph.cameras[0].params[3] = 0;
  for (std::size_t i = 0; i < sightings.size(); ++i) {
    graph.images.push_back({static_cast<colmap::Id>(i + 1), flight.images[i].name, 1, {}});
    for (const auto& [point, px] : sightings[i]) graph.images[i].features.push_back(px);
  }
  for (std::size_t a = 0; a < sightings.size(); ++a)
    for (std::size_t b = a + 1; b < sightings.size(); ++b) {
      MapPair pair{static_cast<int>(a), static_cast<int>(b), colmap::Configuration::uncalibrated,
                   common(sightings[a], sightings[b]), std::nullopt};
      if (pair.inliers.size() < kFewestMatches) continue;
      for (colmap::IndexPair& match : pair.inliers)
        if (uniform(random, 0, 1) < settings.wrong_matches)
          match.index2 = static_cast<std::uint32_t>(random() % sightings[b].size());
      pair.F = fundamental({p[0], p[0], p[1], p[2]}, flight.images[a].cam_from_world,
                           flight.images[b].cam_from_world);
      graph.pairs.push_back(std::move(pair));
    }
  return graph;
}

colmap::Model true_model(const Flight& flight, const FlightMatches& settings) {
  Random random(settings.seed + 1000);
  const Sightings sightings = sightings_of(flight, settings.noise, random);
  colmap::Model model;
  model.cameras = {flight.camera};
  std::vector<colmap::ModelPoint> points(sightings.points.size());
  for (std::size_t k = 0; k < points.size(); ++k) points[k] = {.id = k, .xyz = sightings.points[k]};
  for (std::size_t i = 0; i < flight.images.size(); ++i) {
    colmap::ModelImage& image = model.images.emplace_back();
    image.id = static_cast<colmap::Id>(i + 1), image.name = flight.images[i].name;
    image.camera_id = 1;
    image.cam_from_world = colmap::model_pose(flight.images[i].cam_from_world);
    for (const auto& [point, px] : sightings.images[i]) {
      points[point].track.push_back(
          {image.id, static_cast<std::uint32_t>(image.observations.size())});
      image.observations.push_back({px[0], px[1], point});
    }
  }
  for (const colmap::ModelPoint& point : points)
    if (point.track.size() >= 3) model.points.push_back(point);
  for (colmap::ModelImage& image : model.images)
    for (colmap::ModelObservation& seen : image.observations)
      if (points[seen.point_id].track.size() < 3) seen.point_id = colmap::kNoPoint;
  return model;
}

std::string control_list(const Flight& flight) {
  const TangentPlane plane(kFlightOrigin);
  std::string out = "EPSG:4326\n";
  for (const FlightTarget& target : flight.targets) {
    const GeoPoint at = plane.geo(target.stated);
    for (const FlightMark& mark : target.marks)
      out += fmt::format("{:.9f} {:.9f} {:.4f} {:.2f} {:.2f} {} {}\n", at.longitude_deg,
                         at.latitude_deg, at.altitude_m, mark.px[0], mark.px[1],
                         flight.images[mark.image].name, target.name);
  }
  return out;
}

}  // namespace bifocal::test
