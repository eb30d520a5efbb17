// SPDX-License-Identifier: BSD-3-Clause
// PatchMatch with slanted planes on synthetic scenes, on every device.
#include <gtest/gtest.h>

#include <bifocal/device.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>

#include "stereo/matcher_devices.hpp"
#include "stereo/slanted/slanted.hpp"
#include "support/long_tests.hpp"

namespace bifocal {
namespace {

using stereo::PlaneMap, stereo::SlantedPlanes;

constexpr int kWidth = 240, kHeight = 180;
constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

// Brightness of a plane as a smooth function of a pixel of image 1.
class Texture {
 public:
  explicit Texture(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> angle(0, 2 * std::numbers::pi), length(5, 30);
    for (Wave& w : waves_) {
      const double a = angle(random), f = 2 * std::numbers::pi / length(random);
      w = {f * std::cos(a), f * std::sin(a), angle(random)};
    }
  }
  [[nodiscard]] double at(double x, double y) const {
    double sum = 0;
    for (const Wave& w : waves_) sum += std::sin(w.x * x + w.y * y + w.phase);
    return 128 + 12 * sum;
  }

 private:
  struct Wave {
    double x, y, phase;
  };
  Wave waves_[40];
};

// A camera that moved to the right and forward and rotated a little, in front of a plane of inverse
// depth w + wx (x - 120) + wy (y - 90).
struct Scene {
  Intrinsics camera{200, 200, 119.5, 89.5};
  Pose pose;
  double w, wx, wy;
  ImageU8 image1{kWidth, kHeight}, image2{kWidth, kHeight};

  Scene(double w0, double along, double down, unsigned seed) : w(w0), wx(along), wy(down) {
    constexpr double kTurn = 0.04;
    pose.R = {std::cos(kTurn), 0, std::sin(kTurn), 0, 1, 0, -std::sin(kTurn), 0, std::cos(kTurn)};
    pose.t = {-0.9, 0.1, -0.42};
    const Texture texture(seed);
    const Mat3 inverse = inverse_of(map());
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        const Vec3 p = times(inverse, Vec3{double(x), double(y), 1});
        image1.at(x, y) = byte(texture.at(x, y));
        image2.at(x, y) = byte(texture.at(p[0] / p[2], p[1] / p[2]));
      }
    }
  }
  [[nodiscard]] double inverse_depth(double x, double y) const {
    return w + wx * (x - 120) + wy * (y - 90);
  }
  // Returns the homography from image 1 to image 2.
  [[nodiscard]] Mat3 map() const {
    const Mat3 K = camera.matrix(), H = times(K, times(pose.R, inverse_of(K)));
    const Vec3 e = times(K, pose.t), n = {wx, wy, w - 120 * wx - 90 * wy};
    Mat3 out = H;
    for (std::size_t i = 0; i < 9; ++i) out[i] += e[i / 3] * n[i % 3];
    return out;
  }
  [[nodiscard]] Vec2 seen(double x, double y) const {
    const Vec3 p = times(map(), Vec3{x, y, 1});
    return {p[0] / p[2], p[1] / p[2]};
  }
  // Returns the displacement of a point in px per unit of inverse depth.
  [[nodiscard]] double motion(double x, double y) const {
    Scene other = *this;
    other.w += 1e-4;
    const Vec2 a = seen(x, y), b = other.seen(x, y);
    return std::hypot(a[0] - b[0], a[1] - b[1]) / 1e-4;
  }

 private:
  static std::uint8_t byte(double v) {
    return static_cast<std::uint8_t>(std::clamp(std::lround(v), 0L, 255L));
  }
  static Mat3 inverse_of(const Mat3& m) {
    Mat3 out;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        const std::size_t a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
        out[3 * i + j] = m[3 * a + c] * m[3 * b + d] - m[3 * a + d] * m[3 * b + c];
      }
    }
    const double determinant = m[0] * out[0] + m[1] * out[3] + m[2] * out[6];
    for (double& v : out) v /= determinant;
    return out;
  }
};

SlantedPlanes planes_of(Queue& queue, const Scene& s) {
  const ImageF none(kWidth, kHeight, 1, kUnknown);
  const PlaneMap no_seeds{none, none, none};
  return stereo::match_slanted(queue, {s.image1, s.camera, no_seeds},
                               {s.image2, s.camera, no_seeds}, s.pose,
                               {.farthest = 0, .nearest = 0.6});
}

// Visits the pixels whose patch lies well inside image 2.
void for_each_seen(const Scene& s, const std::function<void(int x, int y)>& visit) {
  for (int y = 8; y < kHeight - 8; ++y) {
    for (int x = 8; x < kWidth - 8; ++x) {
      const Vec2 p = s.seen(x, y);
      if (p[0] > 8 && p[1] > 8 && p[0] < kWidth - 9 && p[1] < kHeight - 9) visit(x, y);
    }
  }
}

// A frontal wall, an oblique wall, a floor.
std::vector<Scene> scenes() {
  return {Scene(0.2, 0, 0, 1), Scene(0.25, 0.0018, 0, 2), Scene(0.2, 0, 0.0022, 3)};
}

TEST(Slanted, finds_frontal_and_oblique_planes_without_seeds) {
  test::for_each_device([](Queue& queue) {
    const std::vector<Scene> all = scenes();
    for (const Scene& s : std::span(all).first(test::short_or_long(std::size_t{1}, all.size()))) {
      const SlantedPlanes found = planes_of(queue, s);
      int seen = 0, right = 0, agreeing = 0;
      double slope_error = 0;
      for_each_seen(s, [&](int x, int y) {
        ++seen;
        const double error =
            std::abs(found.planes.w.at(x, y) - s.inverse_depth(x, y)) * s.motion(x, y);
        if (error > 0.5) return;
        ++right;
        agreeing += found.distance.at(x, y) <= 1;
        slope_error += s.motion(x, y) *
                       std::hypot(found.planes.wx.at(x, y) - s.wx, found.planes.wy.at(x, y) - s.wy);
      });
      std::printf("%d seen, %.1f %% right, %.1f %% of these confirmed, slopes to %.3f px\n", seen,
                  100.0 * right / seen, 100.0 * agreeing / right, slope_error / right);
      EXPECT_GT(right, 0.95 * seen);
      EXPECT_GT(agreeing, 0.95 * right);
      EXPECT_LT(slope_error / right, 0.05);
    }
  });
}

// Returns 1 - correlation of 36 samples in double, through the homography of the plane.
double reference_cost(const Scene& s, int x, int y) {
  const auto sample = [&](double u, double v) {
    const int left = int(std::floor(u)), top = int(std::floor(v));
    const auto at = [&](int i, int j) {
      return double(
          s.image2.at(std::clamp(left + i, 0, kWidth - 1), std::clamp(top + j, 0, kHeight - 1)));
    };
    const double right = u - left, down = v - top;
    return (1 - down) * ((1 - right) * at(0, 0) + right * at(1, 0)) +
           down * ((1 - right) * at(0, 1) + right * at(1, 1));
  };
  double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  for (int j = -5; j <= 5; j += 2) {
    for (int i = -5; i <= 5; i += 2) {
      const Vec2 p = s.seen(x + i, y + j);
      const double one = s.image1.at(x + i, y + j), two = sample(p[0], p[1]);
      a += one / 36, b += two / 36, aa += one * one / 36, bb += two * two / 36,
          ab += one * two / 36;
    }
  }
  return 1 - (ab - a * b) / std::sqrt((aa - a * a + 4) * (bb - b * b + 4));
}

TEST(Slanted, no_plane_costs_more_than_the_true_one) {
  Queue queue;
  for (const Scene& s : scenes()) {
    const SlantedPlanes found = planes_of(queue, s);
    int seen = 0, worse = 0;
    for_each_seen(s, [&](int x, int y) {
      ++seen;
      worse += found.cost.at(x, y) > reference_cost(s, x, y) + 0.02;
    });
    std::printf("%.2f %% of %d cost more\n", 100.0 * worse / seen, seen);
    EXPECT_LT(worse, 0.02 * seen);
  }
}

TEST(Slanted, keeps_correct_seeds) {
  Queue queue;
  const Scene s(0.25, 0.0018, 0, 2);
  const ImageF none(kWidth, kHeight, 1, kUnknown);
  PlaneMap seeds{none, none, none};
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      seeds.w.at(x, y) = float(s.inverse_depth(x, y));
      seeds.wx.at(x, y) = float(s.wx);
      seeds.wy.at(x, y) = float(s.wy);
    }
  }
  const SlantedPlanes found = stereo::match_slanted(queue, {s.image1, s.camera, seeds},
                                                    {s.image2, s.camera, {none, none, none}},
                                                    s.pose, {.farthest = 0, .nearest = 0.6});
  for_each_seen(s, [&](int x, int y) {
    EXPECT_LT(std::abs(found.planes.w.at(x, y) - s.inverse_depth(x, y)) * s.motion(x, y), 0.5);
  });
}

// A flat image has no variation to correlate.
TEST(Slanted, accepts_no_pixel_of_flat_images) {
  Queue queue;
  Scene s(0.2, 0, 0, 1);
  std::ranges::fill(s.image1.pixels, std::uint8_t{90});
  std::ranges::fill(s.image2.pixels, std::uint8_t{90});
  const SlantedPlanes found = planes_of(queue, s);
  EXPECT_GT(*std::ranges::min_element(found.cost.pixels), 0.9F);
}

}  // namespace
}  // namespace bifocal
