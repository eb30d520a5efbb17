// SPDX-License-Identifier: BSD-3-Clause
#include "synthetic/rooms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "synthetic/random.hpp"

namespace bifocal::synthetic {
namespace {

Vec3 times_transposed(const Mat3& A, const Vec3& v) {
  return {A[0] * v[0] + A[3] * v[1] + A[6] * v[2], A[1] * v[0] + A[4] * v[1] + A[7] * v[2],
          A[2] * v[0] + A[5] * v[1] + A[8] * v[2]};
}

// Returns a random number in [0, 1) for a lattice point.
double hashed(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t seed) {
  std::uint32_t h = seed ^ (x * 0x8da6b343U) ^ (y * 0xd8163841U) ^ (z * 0xcb1ab31fU);
  h = (h ^ (h >> 16)) * 0x7feb352dU;
  h = (h ^ (h >> 15)) * 0x846ca68bU;
  return double(h ^ (h >> 16)) / 4294967296.0;
}

// Interpolates trilinearly between lattice points.
double noise(const Vec3& p, std::uint32_t seed) {
  std::uint32_t lattice[3];
  double f[3];
  for (std::size_t k = 0; k < 3; ++k) {
    const double floor = std::floor(p[k]);
    lattice[k] = static_cast<std::uint32_t>(static_cast<std::int64_t>(floor));
    f[k] = p[k] - floor;
  }
  double sum = 0;
  for (std::uint32_t corner = 0; corner < 8; ++corner) {
    double w = 1;
    for (std::uint32_t k = 0; k < 3; ++k) w *= corner >> k & 1 ? f[k] : 1 - f[k];
    sum += w * hashed(lattice[0] + (corner & 1), lattice[1] + (corner >> 1 & 1),
                      lattice[2] + (corner >> 2), seed);
  }
  return sum;
}

// Returns the grey value of a surface, 0 to 255, with grains of sizes from 1 to 1/64.
double brightness(const Vec3& p, std::uint32_t seed) {
  double sum = 0, frequency = 1.03;
  for (std::uint32_t octave = 0; octave < 7; ++octave) {
    sum += noise({p[0] * frequency, p[1] * frequency, p[2] * frequency}, seed + octave) - 0.5;
    frequency *= 2.07;
  }
  return std::clamp(128 + 90 * sum, 0.0, 255.0);
}

struct Hit {
  double along = std::numeric_limits<double>::infinity();  // rays
  std::uint32_t box = 0;
};

// Finds the nearest surface along a ray from inside the room, outside of all boxes in it.
Hit hit(const Room& room, const Vec3& from, const Vec3& ray) {
  Hit best;
  for (std::uint32_t b = 0; b < room.boxes.size(); ++b) {
    double enter = 0, leave = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < 3; ++k) {
      const double one = (room.boxes[b].low[k] - from[k]) / ray[k],
                   two = (room.boxes[b].high[k] - from[k]) / ray[k];
      enter = std::max(enter, std::min(one, two));
      leave = std::min(leave, std::max(one, two));
    }
    if (enter > leave) continue;
    const double along = b == 0 ? leave : enter;
    if (along > 0 && along < best.along) best = {along, b};
  }
  return best;
}

}  // namespace

Room make_room(std::uint32_t seed) {
  std::mt19937_64 random(seed);
  Room room{{{{-4, -2.5, -3}, {4, 2.5, 11}}}, seed * 7919U + 1};
  for (int i = 0; i < 9; ++i) {
    const double wide = uniform(random, 0.5, 1.6), tall = uniform(random, 1, 4),
                 x = uniform(random, -4, 4 - wide), z = uniform(random, 4, 9.5);
    room.boxes.push_back({{x, 2.5 - tall, z}, {x + wide, 2.5, z + wide}});
  }
  return room;
}

RoomView render(const Room& room, const Intrinsics& camera, const Pose& cam_from_world, int width,
                int height) {
  constexpr int kSamples = 2;  // a pixel's side
  const Mat3& R = cam_from_world.R;
  Vec3 centre = times_transposed(R, cam_from_world.t);
  for (double& v : centre) v = -v;
  RoomView view{ImageU8(width, height), ImageF(width, height)};
  const auto ray_of = [&](double x, double y) {
    return times_transposed(R, {(x - camera.cx) / camera.fx, (y - camera.cy) / camera.fy, 1});
  };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      view.depth.at(x, y) = static_cast<float>(hit(room, centre, ray_of(x, y)).along);
      double sum = 0;
      for (int j = 0; j < kSamples; ++j) {
        for (int i = 0; i < kSamples; ++i) {
          const Vec3 ray = ray_of(x + (i + 0.5) / kSamples - 0.5, y + (j + 0.5) / kSamples - 0.5);
          const Hit h = hit(room, centre, ray);
          const Vec3 p = {centre[0] + h.along * ray[0], centre[1] + h.along * ray[1],
                          centre[2] + h.along * ray[2]};
          sum += brightness(p, room.seed + 97 * h.box);
        }
      }
      view.picture.at(x, y) = static_cast<std::uint8_t>(std::lround(sum / (kSamples * kSamples)));
    }
  }
  return view;
}

TrueMatches true_matches(const RoomView& view1, const RoomView& view2, const Intrinsics& camera1,
                         const Intrinsics& camera2, const Pose& cam2_from_cam1) {
  constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
  const int width = view1.depth.width, height = view1.depth.height;
  TrueMatches out{ImageF(width, height, 1, kUnknown), ImageF(width, height, 1, kUnknown)};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double z = view1.depth.at(x, y);
      Vec3 p = times(cam2_from_cam1.R,
                     Vec3{(x - camera1.cx) / camera1.fx * z, (y - camera1.cy) / camera1.fy * z, z});
      for (std::size_t k = 0; k < 3; ++k) p[k] += cam2_from_cam1.t[k];
      const double u = camera2.fx * p[0] / p[2] + camera2.cx,
                   v = camera2.fy * p[1] / p[2] + camera2.cy;
      if (!(p[2] > 0) ||
          !(u >= 0 && v >= 0 && u <= view2.depth.width - 1.0 && v <= view2.depth.height - 1.0))
        continue;
      const double seen =
          view2.depth.at(static_cast<int>(std::lround(u)), static_cast<int>(std::lround(v)));
      if (p[2] > 1.03 * seen) continue;
      out.x.at(x, y) = static_cast<float>(u);
      out.y.at(x, y) = static_cast<float>(v);
    }
  }
  return out;
}

}  // namespace bifocal::synthetic
