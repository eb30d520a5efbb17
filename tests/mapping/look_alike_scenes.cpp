// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/look_alike_scenes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

namespace bifocal::test {
namespace {

constexpr int kWidth = 1000, kHeight = 800, kFewestMatches = 30;
constexpr double kFocal = 900, kNoise = 0.7;  // px

class Random {
 public:
  explicit Random(std::uint32_t seed) : bits_(seed) {}
  double uniform(double lo, double hi) {
    return lo + (hi - lo) * static_cast<double>(bits_()) / 4294967296.0;
  }
  double normal() {
    return std::sqrt(-2 * std::log(uniform(1e-12, 1))) *
           std::cos(2 * std::numbers::pi * uniform(0, 1));
  }

 private:
  std::mt19937 bits_;
};

// A detail of a side is on every side. Details of side -1 exist once.
struct Point {
  Vec3 X;
  Vec3 normal;  // of the surface; 0: seen from everywhere
  int side = -1, detail = 0;
};

struct Scenery {
  int sides = 1;
  bool is_ring = true;  // the last side is next to the first one
  std::vector<Point> points;
  std::vector<Pose> poses;

  void add(const Vec3& X, const Vec3& normal, int side, int detail) {
    points.push_back({X, normal, side, detail});
  }
};

Vec3 turned(const Vec3& X, double angle) {
  return {std::cos(angle) * X[0] + std::sin(angle) * X[2], X[1],
          -std::sin(angle) * X[0] + std::cos(angle) * X[2]};
}

void add_ring_of_cameras(Scenery& scene, int images, double distance, Random& random) {
  for (int i = 0; i < images; ++i) {
    const double r = distance * random.uniform(0.95, 1.05);
    scene.poses.push_back(
        looking(turned({0, random.uniform(-0.5, 0.5), -r}, 2 * std::numbers::pi * i / images),
                {random.uniform(-0.3, 0.3), random.uniform(-0.2, 0.2), random.uniform(-0.3, 0.3)}));
  }
}

void add_background(Scenery& scene, Random& random) {
  for (int k = 0; k < 1500; ++k)
    scene.add(turned({0, random.uniform(-8, 8), -random.uniform(9, 25)},
                     random.uniform(0, 2 * std::numbers::pi)),
              {}, -1, k);
}

void add_tower(Scenery& scene, bool is_alike, Random& random) {
  scene.sides = 4;
  for (int k = 0; k < 400; ++k) {
    const Vec3 X = {random.uniform(-1, 1), random.uniform(-2, 2), -1 + random.uniform(-0.2, 0)};
    for (int side = 0; side < 4; ++side) {
      const double angle = side * std::numbers::pi / 2;
      scene.add(turned(X, angle), turned({0, 0, -1}, angle), is_alike ? side : -1,
                is_alike ? k : 10000 + 4 * k + side);
    }
  }
}

void add_cup(Scenery& scene, Random& random) {
  scene.sides = 2;
  for (int k = 0; k < 1000; ++k) {
    const double angle = random.uniform(0, std::numbers::pi), y = random.uniform(-1.5, 1.5);
    for (int side = 0; side < 2; ++side) {
      const Vec3 normal = turned({0, 0, -1}, angle + side * std::numbers::pi);
      scene.add({1.2 * normal[0], y, 1.2 * normal[2]}, normal, side, k);
    }
  }
}

void add_facade_row(Scenery& scene, LookAlike kind, int images, Random& random) {
  std::vector<double> places = {0};  // of the images, in windows
  while (static_cast<int>(places.size()) < images)
    places.push_back(places.back() +
                     (kind == LookAlike::facade_row ? 0.5 : random.uniform(0.3, 0.8)));
  const bool is_alike = kind != LookAlike::plain_row;
  scene.sides = static_cast<int>(std::ceil(places.back())) + 12, scene.is_ring = false;
  for (int k = 0; k < 60; ++k) {
    const Vec3 X = {random.uniform(0, 1), random.uniform(-2, 2), random.uniform(-0.3, 0.3)};
    for (int side = 0; side < scene.sides; ++side)
      scene.add({X[0] + side - 6, X[1], X[2]}, {0, 0, -1}, is_alike ? side : -1,
                is_alike ? k : 100000 + 60 * side + k);
  }
  for (int k = 0; k < 20 * scene.sides; ++k)  // street
    scene.add({random.uniform(-6, scene.sides - 6), random.uniform(2, 2.2), random.uniform(-2, 0)},
              {}, -1, k);
  for (const double x : places)
    scene.poses.push_back(looking({x, random.uniform(-0.1, 0.1), -5 + random.uniform(-0.2, 0.2)},
                                  {x + random.uniform(-0.4, 0.4), 0, 0}));
}

Scenery scenery_of(LookAlike kind, int images, Random& random) {
  Scenery scene;
  switch (kind) {
    case LookAlike::tower:
    case LookAlike::plain_tower:
      add_tower(scene, kind == LookAlike::tower, random);
      add_background(scene, random);
      add_ring_of_cameras(scene, images, 7, random);
      break;
    case LookAlike::cup:
    case LookAlike::bare_cup:
      add_cup(scene, random);
      if (kind == LookAlike::cup) add_background(scene, random);
      add_ring_of_cameras(scene, images, 6, random);
      break;
    case LookAlike::facade_row:
    case LookAlike::uneven_row:
    case LookAlike::plain_row:
      add_facade_row(scene, kind, images, random);
      break;
  }
  return scene;
}

using Features = std::map<std::pair<int, int>, std::uint32_t>;  // by side and detail

// Whether the object, which stands on the axis, hides a point of the background.
bool is_hidden(const Vec3& centre, const Vec3& X) {
  const double dx = X[0] - centre[0], dz = X[2] - centre[2], length = std::hypot(dx, dz);
  const double along = -(centre[0] * dx + centre[2] * dz) / length;
  return along > 0 && along < length && std::abs(centre[0] * dz - centre[2] * dx) < 1.2 * length;
}

Features add_image(const Scenery& scene, std::size_t number, ViewGraph& graph, Random& random) {
  const Pose& pose = scene.poses[number];
  const Vec3 c = times(transposed(pose.R), pose.t), centre = {-c[0], -c[1], -c[2]};
  Features features;
  MapImage& image = graph.images.emplace_back();
  image.id = static_cast<colmap::Id>(number + 1), image.camera_id = 1;
  image.name = fmt::format("{:04}.jpg", number);
  for (const Point& point : scene.points) {
    Vec3 X = times(pose.R, point.X);
    for (std::size_t i = 0; i < 3; ++i) X[i] += pose.t[i];
    const Vec3 to = {centre[0] - point.X[0], centre[1] - point.X[1], centre[2] - point.X[2]};
    const bool is_background = norm(point.normal) == 0;
    if (X[2] < 0.5 || (!is_background && dot(to, point.normal) < 0.3 * norm(to))) continue;
    if (is_background && scene.is_ring && is_hidden(centre, point.X)) continue;
    const double x = kFocal * X[0] / X[2] + 0.5 * (kWidth - 1),
                 y = kFocal * X[1] / X[2] + 0.5 * (kHeight - 1);
    if (x < 0 || x > kWidth - 1 || y < 0 || y > kHeight - 1) continue;
    features[{point.side, point.detail}] = static_cast<std::uint32_t>(image.features.size());
    image.features.push_back({x + kNoise * random.normal(), y + kNoise * random.normal()});
  }
  return features;
}

// Matches of side s of one image with side s + shift of the other one.
std::vector<colmap::IndexPair> matches_of(const Scenery& scene, const Features& one,
                                          const Features& two, int shift) {
  std::vector<colmap::IndexPair> matches;
  for (const auto& [key, index] : one) {
    auto [side, detail] = key;
    if (side < 0 && shift != 0) continue;
    if (side >= 0) side += shift;
    if (scene.is_ring && side >= 0) side %= scene.sides;
    const auto found = two.find({side, detail});
    if (found != two.end()) matches.push_back({index, found->second});
  }
  return matches;
}

void add_pairs(const Scenery& scene, const std::vector<Features>& features, Random& random,
               LookAlikeScene& out) {
  for (std::size_t a = 0; a < features.size(); ++a)
    for (std::size_t b = a + 1; b < features.size(); ++b) {
      std::vector<colmap::IndexPair> best;
      int best_shift = 0;
      for (int shift = scene.is_ring ? 0 : 1 - scene.sides; shift < scene.sides; ++shift) {
        std::vector<colmap::IndexPair> now = matches_of(scene, features[a], features[b], shift);
        if (now.size() > best.size()) best = std::move(now), best_shift = shift;
      }
      const auto& other = out.scene.graph.images[b].features;
      std::erase_if(best, [&](const auto&) { return random.uniform(0, 1) < 0.4; });
      if (best.size() < kFewestMatches) continue;
      for (colmap::IndexPair& match : best)
        if (random.uniform(0, 1) < 0.02)
          match.index2 =
              static_cast<std::uint32_t>(random.uniform(0, static_cast<double>(other.size())));
      out.wrong_pairs += best_shift != 0 ? 1 : 0;
      out.scene.graph.pairs.push_back({static_cast<int>(a), static_cast<int>(b),
                                       colmap::Configuration::calibrated, std::move(best),
                                       std::nullopt});
    }
}

}  // namespace

LookAlikeScene look_alike(LookAlike kind, int images, std::uint32_t seed, bool is_ordered) {
  Random random(seed);
  const Scenery scene = scenery_of(kind, images, random);
  LookAlikeScene out;
  out.scene.poses = scene.poses, out.scene.focal_length = kFocal;
  colmap::ModelCamera camera{1, colmap::model_number("SIMPLE_RADIAL"), kWidth, kHeight, {}, true};
  camera.params = {kFocal, 0.5 * (kWidth - 1), 0.5 * (kHeight - 1), 0};
  camera.has_prior_focal_length = true;
  out.scene.graph.cameras = {camera};
  std::vector<Features> features;
  for (std::size_t i = 0; i < scene.poses.size(); ++i)
    features.push_back(add_image(scene, i, out.scene.graph, random));
  add_pairs(scene, features, random, out);
  if (!is_ordered)
    for (std::size_t i = out.scene.graph.images.size(); --i > 0;)
      std::swap(out.scene.graph.images[i].name,
                out.scene.graph
                    .images[static_cast<std::size_t>(random.uniform(0, static_cast<double>(i + 1)))]
                    .name);
  return out;
}

}  // namespace bifocal::test
