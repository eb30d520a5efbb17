// SPDX-License-Identifier: BSD-3-Clause
#include "synthetic/wallpaper.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "support/texture.hpp"
#include "synthetic/random.hpp"

namespace bifocal::synthetic {
namespace {

constexpr int kColumns = 640, kRows = 480, kTexture = 512;
constexpr double kDistance = 4, kBoard = 3;  // depths of the wall and of the board

// Samples an image that repeats in both directions.
double sampled(const ImageU8& image, double x, double y) {
  const double left = std::floor(x), top = std::floor(y), u = x - left, v = y - top;
  const auto at = [&](double i, double j) {
    const auto wrapped = [](double k, int size) {
      return static_cast<int>(k - size * std::floor(k / size));
    };
    return double(image.at(wrapped(i, image.width), wrapped(j, image.height)));
  };
  return (1 - v) * ((1 - u) * at(left, top) + u * at(left + 1, top)) +
         v * ((1 - u) * at(left, top + 1) + u * at(left + 1, top + 1));
}

struct Scene {
  WallpaperOptions options;
  ImageU8 pattern, stains, board;
  double board_begin, board_end;  // along x

  // Returns the grey value of the point at which a ray meets the board or the wall.
  [[nodiscard]] double grey(const Vec3& centre, const Vec3& ray) const {
    constexpr double kPx = 150;  // px of a texture per unit of length
    const auto meets = [&](double depth) {
      const double s = (depth - centre[2]) / ray[2];
      return Vec2{centre[0] + s * ray[0], centre[1] + s * ray[1]};
    };
    if (options.has_second_plane) {
      const Vec2 x = meets(kBoard);
      if (x[0] > board_begin && x[0] < board_end && std::abs(x[1]) < 0.9)
        return sampled(board, kPx * x[0], kPx * x[1]);
    }
    const Vec2 x = meets(kDistance);
    const double scale = kTexture / options.period;
    const double repeated = sampled(pattern, scale * x[0], scale / 1.3 * x[1]) - 128,
                 single = sampled(stains, kPx * x[0], kPx * x[1]) - 128;
    return 128 + 0.8 * repeated + 0.8 * options.variation * single;
  }
};

ImageU8 rendered(const Scene& scene, const Intrinsics& camera, const Pose& cam_from_world,
                 std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, 2);
  const Mat3 R = transposed(cam_from_world.R);
  Vec3 centre = times(R, cam_from_world.t);
  for (double& v : centre) v = -v;
  ImageU8 image(kColumns, kRows);
  for (int y = 0; y < kRows; ++y)
    for (int x = 0; x < kColumns; ++x) {
      const Vec3 ray = times(R, Vec3{(x - camera.cx) / camera.fx, (y - camera.cy) / camera.fy, 1});
      image.at(x, y) = static_cast<std::uint8_t>(
          std::clamp(std::round(scene.grey(centre, ray) + noise(random)), 0.0, 255.0));
    }
  return image;
}

// Returns the homography of the plane at a depth of camera 1.
Mat3 homography_of(const WallpaperPair& pair, double depth) {
  Mat3 H = pair.truth.R;
  for (std::size_t i = 0; i < 3; ++i) H[3 * i + 2] += pair.truth.t[i] / depth;
  const Intrinsics& k = pair.camera;
  const Mat3 K = {k.fx, 0, k.cx, 0, k.fy, k.cy, 0, 0, 1},
             to_ray = {1 / k.fx, 0, -k.cx / k.fx, 0, 1 / k.fy, -k.cy / k.fy, 0, 0, 1};
  return times(times(K, H), to_ray);
}

ImageU8 blobs(int size, std::mt19937_64& random) {
  return test::texture(size, size, static_cast<unsigned>(random()));
}

}  // namespace

WallpaperPair make_wallpaper(const WallpaperOptions& o) {
  std::mt19937_64 random(o.seed);
  Scene scene{o, blobs(kTexture, random), blobs(1024, random), blobs(512, random), 0, 0};
  WallpaperPair pair;
  const double seen = kColumns / pair.camera.fx * kDistance,
               shift = (random() % 2 ? 1 : -1) * uniform(random, 0.2, 0.8) * seen;
  scene.board_begin = shift / 2 - 0.35, scene.board_end = shift / 2 + 0.35;
  const Vec3 axis = random_direction(random);
  pair.truth.R = rotation_about(axis, uniform(random, 0.02, 0.12));
  const Vec3 centre = {shift, uniform(random, -0.3, 0.3), uniform(random, -0.4, 0.4)};
  pair.truth.t = times(pair.truth.R, centre);
  for (double& v : pair.truth.t) v = -v;
  pair.wall = homography_of(pair, kDistance);
  pair.board = homography_of(pair, kBoard);
  pair.image1 = rendered(scene, pair.camera, {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {}}, random);
  pair.image2 = rendered(scene, pair.camera, pair.truth, random);
  return pair;
}

}  // namespace bifocal::synthetic
