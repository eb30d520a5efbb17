// SPDX-License-Identifier: BSD-3-Clause
#include "adjustment/surroundings.hpp"
#include "runtime/integers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace bifocal::bench {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
// Of a street, m.
constexpr double kCameraSpacing = 0.7, kStreetHalfWidth = 10, kStreetReach = 30;
// Of landmarks, m.
constexpr double kLandmarkRadius = 10, kLandmarkHeight = 14, kLandmarkSpacing = 60;
constexpr double kLandmarkReach = 1.1;  // rad
constexpr double kLinkShare = 0.1;      // of the cameras see two landmarks
constexpr double kNearest = 2, kFarthest = 250, kLeastFacing = 0.25;

Vec3 minus(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

double azimuth(const Vec3& from, const Vec3& to) {
  const double angle = std::atan2(to[1] - from[1], to[0] - from[0]);
  return angle < 0 ? angle + kTurn : angle;
}

// World axes: z is up. Camera axes: x to the right, y down, z forward.
Pose looking_at(const Vec3& centre, const Vec3& target) {
  const Vec3 z = unit(minus(target, centre));
  const Vec3 x = unit(cross(z, {0, 0, 1})), y = cross(z, x);
  Pose pose;
  pose.R = {x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]};
  const Vec3 t = times(pose.R, centre);
  pose.t = {-t[0], -t[1], -t[2]};
  return pose;
}

// A spiral with one landmark per square of the spacing.
Vec3 landmark_centre(int i) {
  const double golden = std::numbers::pi * (3 - std::sqrt(5.0));
  const double radius = kLandmarkSpacing * std::sqrt(static_cast<double>(i));
  return {radius * std::cos(golden * i), radius * std::sin(golden * i), 0};
}

// The nearest one with a smaller index.
int neighbour_of(const std::vector<Vec3>& centres, int landmark) {
  int nearest = 0;
  for (int i = 1; i < landmark; ++i)
    if (norm(minus(centres[at(i)], centres[at(landmark)])) <
        norm(minus(centres[at(nearest)], centres[at(landmark)])))
      nearest = i;
  return nearest;
}

}  // namespace

Ring::Range Ring::around(double key) const {
  const auto first = std::ranges::lower_bound(keys, key - reach);
  const auto last = std::ranges::upper_bound(keys, key + reach);
  return {static_cast<std::size_t>(first - keys.begin()),
          std::min(static_cast<std::size_t>(last - first), keys.size() / 3)};
}

Surroundings::Surroundings(const AdjustShape& shape, Dice& dice)
    : is_street_(shape.landmarks == 0) {
  if (is_street_)
    add_street(shape.cameras, dice);
  else
    add_landmarks(shape, dice);
  fill_rings();
}

void Surroundings::add_camera(const Vec3& centre, const Vec3& target, Dice& dice) {
  const double f = 1000 * std::exp(std::clamp(0.25 * dice.normal(), -0.25, 0.6));
  const double k1 = std::clamp(-0.05 + 0.03 * dice.normal(), -0.1, 0.02);
  const double k2 = std::clamp(0.01 + 0.01 * dice.normal(), 0.0, 0.03);
  cameras_.push_back({.model = "RADIAL", .params = {f, 0, 0, k1, k2}});
  images_.push_back(
      {.cam_from_world = looking_at(centre, target), .camera = static_cast<int>(images_.size())});
  centres_.push_back(centre);
}

// A circle. A vehicle with three cameras takes turns: ahead, to the left and to the right.
void Surroundings::add_street(int count, Dice& dice) {
  radius_ = std::max(40.0, count * kCameraSpacing / kTurn);
  rings_.push_back({.period = kTurn * radius_, .reach = kStreetReach});
  for (int i = 0; i < count; ++i) {
    const double s = kCameraSpacing * i, angle = s / radius_;
    const double lateral = radius_ + 0.3 * dice.normal();
    const Vec3 centre = {lateral * std::cos(angle), lateral * std::sin(angle),
                         1.8 + 0.05 * dice.normal()};
    const double side = (i % 3 == 0 ? 0 : i % 3 == 1 ? 0.9 : -0.9) + 0.03 * dice.normal();
    const double heading = angle + kTurn / 4 + side;
    const Vec3 target = {centre[0] + 10 * std::cos(heading), centre[1] + 10 * std::sin(heading),
                         centre[2] + 2 + 0.3 * dice.normal()};
    add_camera(centre, target, dice);
    members_.push_back({Landmark{0, s}, Landmark{}});
  }
}

// A camera stands 16 to 80 m from its landmark, most often in front. One in ten looks from behind
// one landmark at the next one.
void Surroundings::add_landmarks(const AdjustShape& shape, Dice& dice) {
  std::vector<double> popularity;
  for (int i = 0; i < shape.landmarks; ++i) {
    landmarks_.push_back(landmark_centre(i));
    popularity.push_back((i == 0 ? 0 : popularity.back()) + std::pow(i + 1.0, -0.7));
    rings_.push_back({.period = kTurn, .reach = kLandmarkReach});
  }
  const bool is_sparse = shape.cameras < 40 * shape.landmarks;
  for (int i = 0; i < shape.cameras; ++i) {
    const auto place = std::ranges::lower_bound(popularity, dice.uniform() * popularity.back());
    const int own = std::min(static_cast<int>(place - popularity.begin()), shape.landmarks - 1);
    const Vec3& centre = landmarks_[at(own)];
    if (shape.landmarks > 1 && dice.uniform() < kLinkShare) {
      const int other = own == 0 ? 1 : neighbour_of(landmarks_, own);
      const Vec3& next = landmarks_[at(other)];
      const Vec3 along = unit(minus(centre, next)), across = cross(along, {0, 0, 1});
      const double back = kLandmarkRadius * dice.uniform(2, 4);
      const double lateral = kLandmarkRadius * dice.uniform(-1.5, 1.5);
      Vec3 eye, target;
      for (std::size_t k = 0; k < 3; ++k) {
        eye[k] = centre[k] + back * along[k] + lateral * across[k];
        target[k] = (centre[k] + next[k]) / 2;
      }
      eye[2] = 1.7 + 0.3 * dice.normal(), target[2] = 6 + dice.normal();
      add_camera(eye, target, dice);
      members_.push_back(
          {Landmark{own, azimuth(centre, eye)}, Landmark{other, azimuth(next, eye)}});
      continue;
    }
    const double front = own * 2.4 + (is_sparse ? 0.4 : 0.9) * dice.normal();
    const double angle = is_sparse || dice.uniform() < 0.6 ? front : dice.uniform(0, kTurn);
    const double distance =
        kLandmarkRadius * (1.6 + std::min(6.4, std::exp(0.2 + 0.5 * dice.normal())));
    const Vec3 eye = {centre[0] + distance * std::cos(angle),
                      centre[1] + distance * std::sin(angle), 1.7 + 0.3 * dice.normal()};
    const Vec3 target = {centre[0] + 2.5 * dice.normal(), centre[1] + 2.5 * dice.normal(),
                         6 + 1.5 * dice.normal()};
    add_camera(eye, target, dice);
    members_.push_back({Landmark{own, azimuth(centre, eye)}, Landmark{}});
  }
}

void Surroundings::fill_rings() {
  for (std::size_t r = 0; r < rings_.size(); ++r) {
    std::vector<std::pair<double, int>> found;
    for (std::size_t c = 0; c < members_.size(); ++c)
      for (const Landmark& member : members_[c])
        if (member.ring == static_cast<int>(r)) found.emplace_back(member.key, static_cast<int>(c));
    std::ranges::sort(found);
    for (int round = -1; round <= 1; ++round)
      for (const auto& [key, camera] : found) {
        rings_[r].keys.push_back(key + round * rings_[r].period);
        rings_[r].cameras.push_back(camera);
      }
  }
}

SurfacePoint Surroundings::point_near(int camera, Dice& dice) const {
  return is_street_ ? street_point(camera, dice) : landmark_point(camera, dice);
}

// A point of a facade on either side of the street.
SurfacePoint Surroundings::street_point(int camera, Dice& dice) const {
  const double s = members_[at(camera)][0].key + dice.uniform(0, kStreetReach);
  const double angle = s / radius_, side = dice.uniform() < 0.5 ? -1 : 1;
  const double lateral = radius_ + side * kStreetHalfWidth * dice.uniform(0.8, 1.3);
  const Vec3 relief = dice.normal3(0.3);
  SurfacePoint point{.ring = 0, .key = std::fmod(s, rings_[0].period)};
  point.position = {lateral * std::cos(angle), lateral * std::sin(angle), dice.uniform(0, 10)};
  point.normal =
      unit({-side * std::cos(angle) + relief[0], -side * std::sin(angle) + relief[1], relief[2]});
  return point;
}

SurfacePoint Surroundings::landmark_point(int camera, Dice& dice) const {
  const auto& [first, second] = members_[at(camera)];
  const Landmark& member = second.ring >= 0 && dice.uniform() < 0.5 ? second : first;
  const Vec3& centre = landmarks_[at(member.ring)];
  const double angle = member.key + 0.6 * dice.normal();
  const double radius = kLandmarkRadius * (1 + 0.15 * dice.normal());
  const Vec3 relief = dice.normal3(0.3);
  SurfacePoint point{.ring = member.ring, .key = angle - kTurn * std::floor(angle / kTurn)};
  point.position = {centre[0] + radius * std::cos(angle), centre[1] + radius * std::sin(angle),
                    dice.uniform(0, kLandmarkHeight)};
  point.normal = unit({std::cos(angle) + relief[0], std::sin(angle) + relief[1], relief[2]});
  return point;
}

bool Surroundings::sees(int camera, const SurfacePoint& point, double* xy) const {
  const Vec3 ray = minus(point.position, centres_[at(camera)]);
  if (-dot(point.normal, ray) < kLeastFacing * norm(ray)) return false;
  const Vec3 X = times(images_[at(camera)].cam_from_world.R, ray);
  if (X[2] < kNearest || X[2] > kFarthest) return false;
  const std::vector<double>& params = cameras_[at(camera)].params;
  const double x = X[0] / X[2], y = X[1] / X[2], q = x * x + y * y;
  // Distortion is monotonous within the image only.
  if (std::abs(x) * params[0] > kWidth / 2 || std::abs(y) * params[0] > kHeight / 2) return false;
  const double scale = params[0] * (1 + q * (params[3] + q * params[4]));
  xy[0] = scale * x, xy[1] = scale * y;
  return true;
}

double Surroundings::cosine(int camera1, int camera2, const Vec3& point) const {
  return dot(unit(minus(point, centres_[at(camera1)])), unit(minus(point, centres_[at(camera2)])));
}

}  // namespace bifocal::bench
