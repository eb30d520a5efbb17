// SPDX-License-Identifier: BSD-3-Clause
// made_town FOLDER TRUTH COUNT SEED: renders COUNT JPEG photographs of 1600 x 1200 of a synthetic
// town, for the time from photographs to a model. A camera of 1280 px focal length walks around a
// ring between two rows of houses with unique textures and looks 50 and 15 degrees to the left and
// to the right of its direction. File k is the same in every run with the same COUNT and
// SEED. TRUTH becomes a text file with the true poses (true_poses.hpp).
#include <bifocal/error.hpp>
#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>
#include <bifocal/io.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "runtime/parallel.hpp"
#include "true_poses.hpp"

namespace {

using namespace bifocal;

constexpr int kWidth = 1600, kHeight = 1200, kQuality = 90;
constexpr double kFocal = 1280, kNoise = 2;             // px, grey values
constexpr double kStep = 0.6, kHouse = 5, kStreet = 6;  // m: images, facades, half the street
constexpr double kFar = 45;                             // m
constexpr double kDegree = std::numbers::pi / 180;

// A vertical wall over the segment from a to b of the ground plan. y points down, the ground is 0.
struct Wall {
  std::array<double, 2> a{}, b{};
  double height = 0;  // m
  std::uint32_t number = 0;
};

double hashed(std::uint32_t x, std::uint32_t y, std::uint32_t wall) {
  std::uint32_t h = x * 0x9e3779b1u ^ y * 0x85ebca6bu ^ wall * 0xc2b2ae35u;
  h = (h ^ (h >> 15)) * 0x2c1b3c6du;
  h = (h ^ (h >> 12)) * 0x297a2d39u;
  return double(h ^ (h >> 15)) / 4294967295.0;
}

// Value noise in octaves larger than a pixel. u and v in m.
double texture(double u, double v, std::uint32_t wall, double pixel) {
  double sum = 0, weight = 0.06;
  int octave = 0;
  for (double size = 1.28; size > 0.008; size /= 2, ++octave) {
    const double visible = std::clamp(size / (2 * pixel) - 0.5, 0.0, 1.0);
    if (visible == 0) break;
    const double x = u / size + 1000, y = v / size + 1000;
    const double i = std::floor(x), j = std::floor(y), s = x - i, t = y - j;
    const double p = s * s * (3 - 2 * s), q = t * t * (3 - 2 * t);
    const auto ui = static_cast<std::uint32_t>(i), uj = static_cast<std::uint32_t>(j);
    const std::uint32_t layer = wall * 16 + static_cast<std::uint32_t>(octave);
    const double top = std::lerp(hashed(ui, uj, layer), hashed(ui + 1, uj, layer), p);
    const double low = std::lerp(hashed(ui, uj + 1, layer), hashed(ui + 1, uj + 1, layer), p);
    sum += weight * visible * (std::lerp(top, low, q) - 0.5);
    weight = std::min(weight * 2, 0.4);
  }
  return 0.5 + sum;
}

// Two closed rows of facades, with walls between facades of different distance from the street.
std::vector<Wall> houses(double radius, std::mt19937& random) {
  std::uniform_real_distribution<double> offset(-1.5, 1.5), height(5, 11);
  std::vector<Wall> walls;
  for (const double side : {-1.0, 1.0}) {
    const double middle = radius + side * kStreet;
    const int count = std::max(3, static_cast<int>(2 * std::numbers::pi * middle / kHouse));
    std::vector<double> radii(static_cast<std::size_t>(count)), heights(radii.size());
    for (double& r : radii) r = middle + offset(random);
    for (double& h : heights) h = height(random);
    const auto at = [&](double k, double r) {
      const double angle = 2 * std::numbers::pi * k / count;
      return std::array{r * std::cos(angle), r * std::sin(angle)};
    };
    for (std::size_t k = 0; k < radii.size(); ++k) {
      const std::size_t next = (k + 1) % radii.size();
      const auto number = static_cast<std::uint32_t>(walls.size() + 1);
      const double here = double(k), there = double(k + 1);
      walls.push_back({at(here, radii[k]), at(there, radii[k]), heights[k], number});
      walls.push_back({at(there, radii[k]), at(there, radii[next]),
                       std::max(heights[k], heights[next]), number + 1});
    }
  }
  return walls;
}

Pose camera_pose(int k, int count, double radius, std::mt19937& random) {
  std::normal_distribution<double> away(0, 0.3), tilt(0, 2 * kDegree);
  constexpr std::array kViews{-50.0, 15.0, 50.0, -15.0};
  const double angle = 2 * std::numbers::pi * k / count, r = radius + away(random);
  const double heading = angle + std::numbers::pi / 2 +
                         kViews[static_cast<std::size_t>(k % 4)] * kDegree + tilt(random);
  const Vec3 centre{r * std::cos(angle), -1.6 + 0.3 * away(random), r * std::sin(angle)};
  const double pitch = -6 * kDegree + tilt(random), roll = tilt(random);
  // The rows of the level camera are its x, y and z axes in the world.
  const Mat3 level{std::sin(heading), 0, -std::cos(heading), 0, 1, 0,
                   std::cos(heading), 0, std::sin(heading)};
  const Mat3 up{1, 0, 0, 0, std::cos(pitch), std::sin(pitch), 0, -std::sin(pitch), std::cos(pitch)};
  const Mat3 aside{std::cos(roll), -std::sin(roll), 0, std::sin(roll), std::cos(roll), 0, 0, 0, 1};
  return mapping::pose_at(times(aside, times(up, level)), centre);
}

// Grey value from 0 to 1 along a ray from c, whose depth along the optical axis is 1.
double traced(const Vec3& c, const Vec3& d, const std::vector<Wall>& walls) {
  double nearest = kFar, u = 0;
  const Wall* hit = nullptr;
  for (const Wall& w : walls) {
    const double ex = w.b[0] - w.a[0], ez = w.b[1] - w.a[1];
    const double ax = w.a[0] - c[0], az = w.a[1] - c[2];
    const double determinant = d[2] * ex - d[0] * ez;
    const double along = (d[2] * ax - d[0] * az) / -determinant;
    const double depth = (ax * -ez + az * ex) / determinant;
    if (!(depth > 0.1 && depth < nearest && along >= 0 && along <= 1)) continue;
    if (const double y = c[1] + depth * d[1]; y < -w.height) continue;
    nearest = depth, u = along * std::hypot(ex, ez), hit = &w;
  }
  const double ground = d[1] > 0 ? -c[1] / d[1] : kFar;
  if (ground < nearest)
    return texture(c[0] + ground * d[0], c[2] + ground * d[2], 0,
                   2 * ground * ground / (kFocal * -c[1]));
  if (!hit) return 0.9;
  const double length = std::hypot(hit->b[0] - hit->a[0], hit->b[1] - hit->a[1]);
  const double facing = std::abs(d[0] * (hit->b[1] - hit->a[1]) - d[2] * (hit->b[0] - hit->a[0])) /
                        (length * std::hypot(d[0], d[2]));
  return texture(u, c[1] + nearest * d[1], hit->number, nearest / kFocal / std::max(facing, 0.05));
}

void render(const Pose& pose, const std::vector<Wall>& all, std::uint32_t number,
            const std::filesystem::path& file) {
  const Vec3 c = mapping::centre_of(pose);
  // Walls with an end near enough and less than 70 degrees away from the optical axis.
  const auto is_ahead = [&](const std::array<double, 2>& end) {
    const double x = end[0] - c[0], z = end[1] - c[2], length = std::hypot(x, z);
    return length < kFar && pose.R[6] * x + pose.R[8] * z > std::cos(70 * kDegree) * length;
  };
  std::vector<Wall> walls;
  std::ranges::copy_if(all, std::back_inserter(walls),
                       [&](const Wall& w) { return is_ahead(w.a) || is_ahead(w.b); });
  ImageU8 image(kWidth, kHeight, 3);
  std::mt19937 random(number);
  std::normal_distribution<double> noise(0, kNoise);
  const double gain = std::uniform_real_distribution<double>(0.85, 1.1)(random);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const Vec3 ray{(x - 0.5 * (kWidth - 1)) / kFocal, (y - 0.5 * (kHeight - 1)) / kFocal, 1};
      const double grey = traced(c, mapping::transposed_times(pose.R, ray), walls);
      const double v = 255 * gain * grey + noise(random);
      for (int k = 0; k < 3; ++k)
        image.pixels[static_cast<std::size_t>((y * kWidth + x) * 3 + k)] =
            static_cast<std::uint8_t>(std::clamp(v, 0.0, 255.0));
    }
  write_file(file, encode_jpeg(image, kQuality));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "made_town FOLDER TRUTH COUNT SEED\n");
    return 2;
  }
  try {
    const std::filesystem::path out = argv[1];
    const int count = std::stoi(argv[3]);
    std::mt19937 random(static_cast<std::uint32_t>(std::stoul(argv[4])));
    const double radius = std::max(15.0, count * kStep / (2 * std::numbers::pi));
    const std::vector<Wall> walls = houses(radius, random);
    std::vector<Pose> poses;
    std::string truth;
    for (int k = 0; k < count; ++k) {
      poses.push_back(camera_pose(k, count, radius, random));
      truth += bench::true_pose(fmt::format("{:05}.jpg", k), poses.back());
    }
    std::filesystem::create_directories(out);
    bifocal::runtime::parallel_for(count, [&](int k) {
      render(poses[static_cast<std::size_t>(k)], walls, static_cast<std::uint32_t>(k),
             out / fmt::format("{:05}.jpg", k));
    });
    write_file(argv[2], truth);
  } catch (const std::exception& e) {
    fmt::print(stderr, "made_town: {}\n", e.what());
    return 3;
  }
  return 0;
}
