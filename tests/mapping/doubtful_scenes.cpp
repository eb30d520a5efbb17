// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/doubtful_scenes.hpp"

#include <bifocal/colmap/database.hpp>
#include <bifocal/colmap/verify.hpp>
#include <bifocal/device.hpp>
#include <bifocal/geometry.hpp>

#include <cmath>
#include <iterator>
#include <map>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "mapping/scenes.hpp"

namespace bifocal::test {
namespace {

constexpr int kWidth = 1000, kHeight = 750;
constexpr double kCentreX = 0.5 * (kWidth - 1), kCentreY = 0.5 * (kHeight - 1);  // px
constexpr std::size_t kFewestMatches = 30;
constexpr int kShutterRounds = 8;
constexpr double kShake = 0.005;  // rad while the rows are read

class Random {
 public:
  explicit Random(std::uint32_t seed) : bits_(seed) {}
  double uniform(double lo, double hi) {
    return lo + (hi - lo) * static_cast<double>(bits_()) / 4294967296.0;
  }
  double normal() {
    return std::sqrt(-2 * std::log(uniform(1e-12, 1))) * std::cos(uniform(0, 2 * std::numbers::pi));
  }
  Vec3 in_box(const Vec3& lo, const Vec3& hi) {
    return {uniform(lo[0], hi[0]), uniform(lo[1], hi[1]), uniform(lo[2], hi[2])};
  }
  std::size_t below(std::size_t count) { return bits_() % count; }

 private:
  std::mt19937 bits_;
};

struct Shot {
  Pose pose;
  double focal = 0;        // px
  double table_angle = 0;  // rad
  // Motion from the first row to the last one: of the centre, and about the camera's axes, rad.
  Vec3 moved = {}, turned = {};
};

struct Scenery {
  std::vector<Vec3> points;
  std::vector<bool> is_on_table;  // one a point, or empty
  std::vector<Vec2> static_px = {};
  std::vector<Shot> shots;
  double k = 0, noise = 0.5;
  double given_focal = 0;
  bool has_prior = false, has_own_cameras = false;
  double far = 1e9;  // points beyond this distance are not seen
};

Vec3 rotated(const Vec3& X, double angle) {
  return {std::cos(angle) * X[0] + std::sin(angle) * X[2], X[1],
          -std::sin(angle) * X[0] + std::cos(angle) * X[2]};
}

Vec3 turned_by(const Vec3& turn, const Vec3& X) {
  const double angle = norm(turn);
  if (angle == 0) return X;
  const Vec3 axis = unit(turn), side = cross(axis, X);
  const double along = (1 - std::cos(angle)) * dot(axis, X);
  Vec3 out;
  for (std::size_t i = 0; i < 3; ++i)
    out[i] = std::cos(angle) * X[i] + std::sin(angle) * side[i] + along * axis[i];
  return out;
}

// Coordinates in the frame of the camera at a row, which is counted from the middle one.
Vec3 in_camera(const Shot& shot, Vec3 X, double row) {
  const double time = row / kHeight;
  for (std::size_t i = 0; i < 3; ++i) X[i] -= time * shot.moved[i];
  X = times(shot.pose.R, X);
  for (std::size_t i = 0; i < 3; ++i) X[i] += shot.pose.t[i];
  return turned_by({time * shot.turned[0], time * shot.turned[1], time * shot.turned[2]}, X);
}

// Point of the image relative to its centre, px, where the row is that of the point; NaN: not seen.
Vec2 projected(const Scenery& scene, const Shot& shot, const Vec3& world) {
  const Vec2 none = {std::nan(""), std::nan("")};
  const bool moves = norm(shot.moved) + norm(shot.turned) > 0;
  Vec2 px{};
  for (int round = 0; round < (moves ? kShutterRounds : 1); ++round) {
    const Vec3 X = in_camera(shot, world, px[1]);
    if (X[2] < 0.1 || norm(X) > scene.far) return none;
    const double x = X[0] / X[2], y = X[1] / X[2], r2 = x * x + y * y, s = 1 + scene.k * r2;
    if (1 + 3 * scene.k * r2 < 0) return none;
    px = {shot.focal * s * x, shot.focal * s * y};
    if (std::abs(px[1]) > 2 * kHeight) return none;
  }
  return px;
}

// Features of a shot by the number of their points; overlays come after the points.
std::map<std::size_t, Vec2> seen(const Scenery& scene, const Shot& shot, Random& random) {
  std::map<std::size_t, Vec2> out;
  const auto add = [&](std::size_t k, double x, double y) {
    if (x >= 0 && x < kWidth && y >= 0 && y < kHeight && random.uniform(0, 1) < 0.9)
      out[k] = {x + scene.noise * random.normal(), y + scene.noise * random.normal()};
  };
  for (std::size_t k = 0; k < scene.points.size(); ++k) {
    const bool turns = !scene.is_on_table.empty() && scene.is_on_table[k];
    const Vec2 px = projected(scene, shot,
                              turns ? rotated(scene.points[k], shot.table_angle) : scene.points[k]);
    if (!std::isnan(px[0])) add(k, px[0] + kCentreX, px[1] + kCentreY);
  }
  for (std::size_t k = 0; k < scene.static_px.size(); ++k)
    add(scene.points.size() + k, scene.static_px[k][0], scene.static_px[k][1]);
  return out;
}

void write_images(const Scenery& scene, const std::vector<std::map<std::size_t, Vec2>>& images,
                  colmap::Database& database) {
  for (std::size_t i = 0; i < images.size(); ++i) {
    const auto id = static_cast<colmap::Id>(i + 1);
    const colmap::Id camera_id = scene.has_own_cameras ? id : 1;
    if (camera_id == id) {
      colmap::ModelCamera camera{id,   colmap::model_number("SIMPLE_RADIAL"), kWidth, kHeight, {},
                                 false};
      camera.params = {scene.given_focal, kCentreX, kCentreY, 0};
      camera.has_prior_focal_length = scene.has_prior;
      database.write(camera);
    }
    database.write(colmap::Image{id, "image" + std::to_string(id) + ".jpg", camera_id});
    colmap::Keypoints keypoints;
    for (const auto& [point, px] : images[i])
      for (const double v : px) keypoints.data.push_back(static_cast<float>(v));
    database.write_keypoints(id, keypoints);
  }
}

void write_matches(const std::vector<std::map<std::size_t, Vec2>>& images, Random& random,
                   colmap::Database& database) {
  for (std::size_t a = 0; a < images.size(); ++a)
    for (std::size_t b = a + 1; b < images.size(); ++b) {
      std::vector<colmap::IndexPair> matches;
      std::uint32_t i = 0;
      for (const auto& [point, px] : images[a]) {
        const auto found = images[b].find(point);
        if (found != images[b].end() && random.uniform(0, 1) < 0.8)
          matches.push_back(
              {i, random.uniform(0, 1) < 0.1
                      ? static_cast<std::uint32_t>(random.below(images[b].size()))
                      : static_cast<std::uint32_t>(std::distance(images[b].begin(), found))});
        ++i;
      }
      if (matches.size() < kFewestMatches) continue;
      database.write_matches(static_cast<colmap::Id>(a + 1), static_cast<colmap::Id>(b + 1),
                             matches);
    }
}

void orbit_shots(Scenery& scene, int count, double arc, double distance, double focal,
                 Random& random) {
  for (int i = 0; i < count; ++i) {
    const double angle = arc * i / count + random.uniform(-0.02, 0.02);
    const double r = distance * random.uniform(0.9, 1.1);
    scene.shots.push_back(
        {looking({r * std::sin(angle), random.uniform(-0.2, 0.2) * distance, -r * std::cos(angle)},
                 random.in_box({-0.1, -0.1, -0.1}, {0.1, 0.1, 0.1})),
         focal});
  }
}

void add_box(Scenery& scene, int count, const Vec3& lo, const Vec3& hi, Random& random) {
  for (int i = 0; i < count; ++i) scene.points.push_back(random.in_box(lo, hi));
}

// Known with an error of at most 4 %, or guessed.
void choose_focal(Scenery& scene, double focal, bool is_known, Random& random) {
  scene.has_prior = is_known;
  scene.given_focal = is_known ? focal * random.uniform(0.96, 1.04) : 1.2 * kWidth;
}

// Ordinary scenes, whose focal length is chosen already.
void add_ordinary(Take take, double focal, int count, Scenery& scene, Random& random) {
  switch (take) {
    case Take::orbit:
      add_box(scene, 400, {-1, -1, -1}, {1, 1, 1}, random);
      add_box(scene, 200, {-6, -3, -6}, {6, 3, 6}, random);
      orbit_shots(scene, count, random.uniform(0.12, 0.3) * count, 3.5, focal, random);
      break;
    case Take::walk:
      for (int i = 0; i < 60 * (count + 10); ++i)
        scene.points.push_back({(i % 2 == 0 ? 1 : -1) * random.uniform(3, 5), random.uniform(-2, 2),
                                random.uniform(0, 0.6 * count + 12)});
      for (int i = 0; i < count; ++i)
        scene.shots.push_back(
            {looking({random.uniform(-0.3, 0.3), random.uniform(-0.1, 0.1), 0.6 * i},
                     {(i % 3 - 1) * 2.0, 0, 0.6 * i + 5}),
             focal});
      scene.far = 15;
      break;
    case Take::aerial:
      for (int i = 0; i < 1200; ++i) {
        const double x = random.uniform(-8, 8), y = random.uniform(-8, 8);
        scene.points.push_back(
            {x, y, 0.5 * std::sin(1.3 * x) * std::cos(y) + random.uniform(0, 0.8)});
      }
      for (int i = 0; i < 2 * count; ++i) {
        const Vec3 centre = {(i % count) * 8.0 / count - 4 + random.uniform(-0.1, 0.1),
                             (i < count ? -1.0 : 1.0) + random.uniform(-0.1, 0.1), -6};
        scene.shots.push_back({looking(centre, {centre[0] + random.uniform(-0.8, 0.8),
                                                centre[1] + random.uniform(-0.8, 0.8), 0}),
                               focal});
      }
      break;
    case Take::indoor:
      for (int i = 0; i < 900; ++i) {
        Vec3 X = random.in_box({-3, -1.5, -3}, {3, 1.5, 3});
        X[random.below(2) * 2] = random.below(2) == 0 ? -3 : 3;
        scene.points.push_back(X);
      }
      for (int i = 0; i < 2 * count; ++i) {
        const double angle = std::numbers::pi * i / count;
        scene.shots.push_back({looking(random.in_box({-1, -0.3, -1}, {1, 0.3, 1}),
                                       {3 * std::sin(angle), 0, 3 * std::cos(angle)}),
                               focal});
      }
      break;
    default:
      break;
  }
}

// A flight or a walk whose camera moves and rotates while it reads the rows. The camera of a flight
// moves by up to 7 % of its height, in one direction of the image or back in the second strip.
void add_rolling_shutter(std::uint32_t seed, double focal, int count, Scenery& scene,
                         Random& random) {
  const bool flies = seed / 2 % 2 == 0, comes_back = seed / 4 % 2 == 0;
  add_ordinary(flies ? Take::aerial : Take::walk, focal, count, scene, random);
  const double heading = random.uniform(0, 2 * std::numbers::pi),
               way = flies ? random.uniform(0.005, 0.07) * 6 : random.uniform(0.02, 0.3);
  for (std::size_t i = 0; i < scene.shots.size(); ++i) {
    Shot& shot = scene.shots[i];
    const double sign = flies && comes_back && 2 * i >= scene.shots.size() ? -1 : 1;
    shot.moved = flies ? Vec3{sign * way * std::cos(heading), sign * way * std::sin(heading), 0}
                       : Vec3{0, 0, way};
    shot.turned = random.in_box({-kShake, -kShake, -kShake}, {kShake, kShake, kShake});
  }
}

void add_doubtful(Take take, double focal, int count, Scenery& scene, Random& random) {
  switch (take) {
    case Take::tripod:
      add_box(scene, 1500, {-8, -3, -8}, {8, 3, 8}, random);
      for (int i = 0; i < count; ++i)
        scene.shots.push_back({looking({0, 0, 0}, {std::sin(0.15 * i), random.uniform(-0.1, 0.1),
                                                   std::cos(0.15 * i)}),
                               focal});
      break;
    case Take::zoom:
      add_box(scene, 1000, {-4, -3, 4}, {4, 3, 12}, random);
      for (int i = 0; i < count; ++i)
        scene.shots.push_back({looking({0, 0, 0}, {0, 0, 1}), focal * (1 + 0.12 * i)});
      scene.has_own_cameras = true;
      choose_focal(scene, focal, false, random);
      break;
    case Take::plane:
      add_box(scene, 600, {-3, -2, 0}, {3, 2, 0}, random);
      orbit_shots(scene, count, 0.08 * count, 4, focal, random);
      choose_focal(scene, focal, false, random);
      break;
    case Take::overlay:
      add_box(scene, 300, {-1, -1, -1}, {1, 1, 1}, random);
      for (int i = 0; i < 150; ++i)
        scene.static_px.push_back({random.uniform(50, 950), random.uniform(620, 740)});
      orbit_shots(scene, count, 0.12 * count, 3.5, focal, random);
      break;
    case Take::turntable:
      add_box(scene, 250, {-1, -1, -1}, {1, 1, 1}, random);
      scene.is_on_table.assign(250, true);
      add_box(scene, 250, {-4, -3, 3}, {4, 3, 6}, random);
      scene.is_on_table.resize(scene.points.size(), false);
      for (int i = 0; i < count; ++i)
        scene.shots.push_back({looking({0, -0.5, -4}, {0, 0, 0}), focal, 0.1 * i});
      break;
    case Take::tele_lens:
      add_box(scene, 300, {-1, -1, -1}, {1, 1, 1}, random);
      orbit_shots(scene, std::min(count, 8), 0.2, 35, 12000, random);
      choose_focal(scene, focal, false, random);
      break;
    case Take::slider:
    case Take::known_slider:
      add_box(scene, 600, {-4, -2, 4}, {6, 2, 9}, random);
      for (int i = 0; i < count; ++i) {
        const double x = 0.3 * i;
        scene.shots.push_back({looking({x, 0, 0}, {x, 0, 1}), focal});
      }
      choose_focal(scene, focal, take == Take::known_slider, random);
      break;
    default:
      break;
  }
}

Scenery scenery_of(Take take, std::uint32_t seed, Random& random) {
  Scenery scene;
  const double focal = random.uniform(700, 1400);
  const int count = 6 + static_cast<int>(random.below(10));
  scene.k = random.uniform(-0.12, 0.04), scene.noise = random.uniform(0.3, 0.8);
  choose_focal(scene, focal, seed % 2 == 0, random);
  add_ordinary(take, focal, count, scene, random);
  add_doubtful(take, focal, count, scene, random);
  if (take == Take::rolling_shutter) add_rolling_shutter(seed, focal, count, scene, random);
  return scene;
}

}  // namespace

double make_database(const std::filesystem::path& file, Take take, std::uint32_t seed) {
  Random random(1000 * static_cast<std::uint32_t>(take) + seed);
  const Scenery scene = scenery_of(take, seed, random);
  std::vector<std::map<std::size_t, Vec2>> images;
  for (const Shot& shot : scene.shots) images.push_back(seen(scene, shot, random));
  {
    colmap::Database database(file, colmap::Access::create);
    write_images(scene, images, database);
    write_matches(images, random, database);
  }
  (void)colmap::verify(DeviceSet("cpu"), file, {});
  return scene.shots.front().focal;
}

}  // namespace bifocal::test
