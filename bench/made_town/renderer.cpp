// SPDX-License-Identifier: BSD-3-Clause
#include "renderer.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numbers>
#include <random>

#include "mapping/algebra.hpp"

namespace bifocal::bench {
namespace {

constexpr double kNoise = 2;                              // grey values
constexpr double kBar = 0.05, kPitch = 0.3, kPost = 1.2;  // m: width and distances of bars
constexpr double kSky = 0.9, kNear = 0.1;
constexpr int kRays = 4;  // along each side of a pixel on an edge

// The nearest surface on a ray.
struct Sample {
  double grey = kSky;  // 0 to 1
  double depth = std::numeric_limits<double>::quiet_NaN();
  Vec3 normal{};            // in the world; 0: sky
  std::size_t surface = 0;  // number of the surface and of its reflection
};

double hashed(std::uint32_t x, std::uint32_t y, std::uint32_t wall) {
  std::uint32_t h = x * 0x9e3779b1u ^ y * 0x85ebca6bu ^ wall * 0xc2b2ae35u;
  h = (h ^ (h >> 15)) * 0x2c1b3c6du;
  h = (h ^ (h >> 12)) * 0x297a2d39u;
  return double(h ^ (h >> 15)) / 4294967295.0;
}

// Whether a bar of the fence is at u and `below` its upper edge, m. Bars are upright or level.
bool has_bar(const Wall& fence, double u, double below) {
  if (fence.number % 2 == 0) std::swap(u, below);
  return std::fmod(u, kPitch) < kBar || std::fmod(below, kPost) < kBar;
}

class Tracer {
 public:
  Tracer(const Town& town, const Pose& pose, double focal)
      : town_(town), eye_(mapping::centre_of(pose)), focal_(focal) {
    // Walls with an end near enough and less than 70 degrees away from the optical axis.
    const auto is_ahead = [&](const std::array<double, 2>& end) {
      const double x = end[0] - eye_[0], z = end[1] - eye_[2], length = std::hypot(x, z);
      return length < town.far &&
             pose.R[6] * x + pose.R[8] * z > std::cos(70 * std::numbers::pi / 180) * length;
    };
    std::ranges::copy_if(town.walls, std::back_inserter(ahead_),
                         [&](const Wall& w) { return is_ahead(w.a) || is_ahead(w.b); });
  }

  // Traces the ray d from the eye. The depth of d along the optical axis is 1.
  [[nodiscard]] Sample traced(const Vec3& d) const { return traced(eye_, d, kNear, ahead_); }

 private:
  // Traces the ray from c beyond the depth `near`. For a reflection c is the mirrored eye, from
  // which depth counts.
  [[nodiscard]] Sample traced(const Vec3& c, const Vec3& d, double near,
                              const std::vector<Wall>& walls) const {
    double nearest = town_.far, u = 0;
    const Wall* hit = nullptr;
    for (const Wall& w : walls) {
      const double ex = w.b[0] - w.a[0], ez = w.b[1] - w.a[1];
      const double ax = w.a[0] - c[0], az = w.a[1] - c[2];
      const double determinant = d[2] * ex - d[0] * ez;
      const double along = (d[2] * ax - d[0] * az) / -determinant;
      const double depth = (ax * -ez + az * ex) / determinant;
      if (!(depth > near && depth < nearest && along >= 0 && along <= 1)) continue;
      const double y = c[1] + depth * d[1], length = along * std::hypot(ex, ez);
      if (y < -w.height) continue;
      if (w.look == Look::bars && !has_bar(w, length, y + w.height)) continue;
      nearest = depth, u = length, hit = &w;
    }
    const double ground = d[1] > 0 ? -c[1] / d[1] : town_.far;
    if (ground < nearest)
      return {texture(c[0] + ground * d[0], c[2] + ground * d[2], 0,
                      2 * ground * ground / (focal_ * -c[1])),
              ground,
              {0, -1, 0},
              1};
    if (!hit) return {};
    return on_wall(*hit, c, d, nearest, u);
  }

  [[nodiscard]] Sample on_wall(const Wall& wall, const Vec3& c, const Vec3& d, double depth,
                               double u) const {
    const double ex = wall.b[0] - wall.a[0], ez = wall.b[1] - wall.a[1];
    const double length = std::hypot(ex, ez);
    const double facing = std::abs(d[0] * ez - d[2] * ex) / (length * std::hypot(d[0], d[2]));
    const double pixel = depth / focal_ / std::max(facing, 0.05), y = c[1] + depth * d[1];
    Vec3 normal{ez / length, 0, -ex / length};
    if (dot(normal, d) > 0) normal = mapping::scaled(normal, -1);
    Sample sample{0, depth, normal, wall.number + std::size_t{2}};
    const bool is_mirrored = c != eye_;
    if (wall.look == Look::plain) {
      sample.grey = 0.4 + 0.4 * hashed(0, 0, wall.number) + 0.004 * u - 0.002 * y;
    } else if (wall.look == Look::mirror && !is_mirrored) {
      const Vec3 point{wall.a[0], 0, wall.a[1]};
      const double before = dot(normal, mapping::difference(c, point));
      const Vec3 eye = mapping::difference(c, mapping::scaled(normal, 2 * before));
      const Vec3 ray = mapping::difference(d, mapping::scaled(normal, 2 * dot(normal, d)));
      const Sample seen = traced(eye, ray, depth + kNear, town_.walls);
      sample.grey = 0.04 + 0.86 * seen.grey;
      sample.surface += seen.surface * std::size_t{0x100000000};
    } else {
      const double grey = texture(u, y, wall.number, pixel);
      sample.grey = wall.look == Look::bars ? 0.1 + 0.4 * grey : grey;
    }
    return sample;
  }

  const Town& town_;
  Vec3 eye_;
  double focal_;
  std::vector<Wall> ahead_;
};

}  // namespace

double texture(double u, double v, std::uint32_t wall, double pixel, double largest) {
  double sum = 0, weight = 0.06;
  int octave = 0;
  for (double size = largest; size > 0.008; size /= 2, ++octave) {
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

Rendered render(const Town& town, const Pose& pose, const Lens& lens, std::uint32_t number) {
  const int width = lens.width, height = lens.height;
  const Tracer tracer(town, pose, lens.focal());
  const auto traced = [&](double x, double y) {
    const Vec3 ray{(x - 0.5 * (width - 1)) / lens.focal(), (y - 0.5 * (height - 1)) / lens.focal(),
                   1};
    return tracer.traced(mapping::transposed_times(pose.R, ray));
  };
  Image<Sample> samples(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) samples.at(x, y) = traced(x, y);

  const auto is_edge = [&](int x, int y) {
    const auto differs = [&](int i, int j) {
      return samples.at(std::clamp(i, 0, width - 1), std::clamp(j, 0, height - 1)).surface !=
             samples.at(x, y).surface;
    };
    return differs(x - 1, y) || differs(x + 1, y) || differs(x, y - 1) || differs(x, y + 1);
  };
  const auto mean_grey = [&](int x, int y) {
    double sum = 0;
    for (int k = 0; k < kRays * kRays; ++k)
      sum += traced(x + (k % kRays + 0.5) / kRays - 0.5, y + (k / kRays + 0.5) / kRays - 0.5).grey;
    return sum / (kRays * kRays);
  };

  Rendered out{ImageU8(width, height, 3), {}, {}};
  std::mt19937 random(number);
  std::normal_distribution<double> noise(0, kNoise);
  const double gain = std::uniform_real_distribution<double>(0.85, 1.1)(random);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const Sample& s = samples.at(x, y);
      const double grey = town.is_smooth && is_edge(x, y) ? mean_grey(x, y) : s.grey;
      const double v = 255 * gain * grey + noise(random);
      for (int k = 0; k < 3; ++k)
        out.rgb.at(x, y, k) = static_cast<std::uint8_t>(std::clamp(v, 0.0, 255.0));
      out.depth.push_back(static_cast<float>(s.depth));
      for (const double n : times(pose.R, s.normal))
        out.normal.push_back(static_cast<std::int8_t>(std::lround(127 * n)));
    }
  return out;
}

}  // namespace bifocal::bench
