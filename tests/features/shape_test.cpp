// SPDX-License-Identifier: BSD-3-Clause
// Affine shapes of single points, compared with plain double-precision code and known ellipses, and
// affine shapes in images.
#include <bifocal/features.hpp>
#include <bifocal/device.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <set>
#include <tuple>

#include "features/descriptor_oracle.hpp"
#include "features/pictures.hpp"
#include "support/targets.hpp"

namespace bifocal::test {
namespace {

// A symmetric matrix by its eigenvalues and the direction of the first eigenvector.
struct Axes {
  double first, second, angle;
};
Axes axes_of(double xx, double xy, double yy) {
  const double mean = (xx + yy) / 2, off = std::hypot((xx - yy) / 2, xy);
  return {mean + off, mean - off, 0.5 * std::atan2(2 * xy, xx - yy)};
}
using Symmetric = std::array<double, 3>;
Symmetric matrix_of(const Axes& a) {
  const double c = std::cos(a.angle), s = std::sin(a.angle);
  return {a.first * c * c + a.second * s * s, (a.first - a.second) * c * s,
          a.first * s * s + a.second * c * c};
}
Symmetric power_of(const Symmetric& m, double exponent) {
  Axes a = axes_of(m[0], m[1], m[2]);
  a.first = std::pow(a.first, exponent), a.second = std::pow(a.second, exponent);
  return matrix_of(a);
}
// Returns a m a.
Symmetric between(const Symmetric& a, const Symmetric& m) {
  const double p00 = m[0] * a[0] + m[1] * a[1], p01 = m[0] * a[1] + m[1] * a[2],
               p10 = m[1] * a[0] + m[2] * a[1], p11 = m[1] * a[1] + m[2] * a[2];
  return {a[0] * p00 + a[1] * p10, a[0] * p01 + a[1] * p11, a[1] * p01 + a[2] * p11};
}
Symmetric unit(Symmetric m) {
  const double scale = std::sqrt(m[0] * m[2] - m[1] * m[1]);
  for (double& v : m) v /= scale;
  return m;
}

Symmetric plain_moments(const Level& l, double x, double y, double sigma, const Symmetric& A) {
  Symmetric sum{};
  const auto place = [&](double u, double v) {
    return std::pair(x + sigma * (A[0] * u + A[1] * v), y + sigma * (A[1] * u + A[2] * v));
  };
  const auto value = [&](double u, double v) {
    return bilinear(l, place(u, v).first, place(u, v).second);
  };
  for (double v = -5.7; v < 6; v += 0.6) {
    for (double u = -5.7; u < 6; u += 0.6) {
      const auto [px, py] = place(u, v);
      if (px < 0 || py < 0 || px > l.width - 1 || py > l.height - 1) continue;
      const double gx = value(u + 0.6, v) - value(u - 0.6, v),
                   gy = value(u, v + 0.6) - value(u, v - 0.6);
      const double weight = std::exp(-(u * u + v * v) / (2 * 3 * 3));
      sum[0] += weight * gx * gx, sum[1] += weight * gx * gy, sum[2] += weight * gy * gy;
    }
  }
  return sum;
}

Symmetric plain_shape(const Level& l, double x, double y, double sigma, int rounds = 10) {
  Symmetric A{1, 0, 1};
  for (int k = 0; k < rounds; ++k) {
    const Symmetric m = plain_moments(l, x, y, sigma, A);
    const Axes before = axes_of(m[0], m[1], m[2]);
    A = unit(power_of(between(A, power_of(m, -1)), 0.5));
    const Axes after = axes_of(A[0], A[1], A[2]);
    if (after.first > 6 * after.second) break;
    if (before.second > 0.9 * before.first) return A;
  }
  return {1, 0, 1};
}

TEST(Shape, equals_plain_code) {
  const Waves waves(80, 70);
  for_each_target([&](const std::string& target) {
    int shaped = 0;
    for (const float sigma : {1.6F, 2.4F, 3.3F}) {
      for (const auto& [x, y] : {std::pair(31.3F, 32.8F),
                                 {40.2F, 20.1F},
                                 {60.7F, 45.0F},
                                 {3.3F, 66.1F},
                                 {15.9F, 50.2F}}) {
        const KeypointShape got = affine_shape(waves.level, x, y, sigma);
        const Symmetric want = plain_shape(waves.level, x, y, sigma);
        shaped += want != Symmetric{1, 0, 1};
        EXPECT_NEAR(got.xx, want[0], 2e-3) << target << ", " << sigma << " at " << x << " " << y;
        EXPECT_NEAR(got.xy, want[1], 2e-3) << target << ", " << sigma << " at " << x << " " << y;
        EXPECT_NEAR(got.yy, want[2], 2e-3) << target << ", " << sigma << " at " << x << " " << y;
      }
    }
    EXPECT_GE(shaped, 8) << target;
  });
}

// In the frame in which a blob is round, its gradients have no dominant direction. An ellipse
// longer than six times its width gives no shape; nor does an edge or a uniform image.
TEST(Shape, of_a_blob_is_its_ellipse) {
  Plane plane(120, 110);
  const Level level{plane.data.data(), 120, 110, plane.stride, 127};
  for (const double ratio : {1.0, 1.3, 2.0, 3.5, 4.5, 6.5}) {
    for (double angle = 0.05; angle < kPi; angle += 0.5) {
      const Symmetric ellipse = matrix_of({std::sqrt(ratio), 1 / std::sqrt(ratio), angle});
      const Symmetric inverse = power_of(ellipse, -2);
      for (int y = 0; y < 110; ++y) {
        for (int x = 0; x < 120; ++x) {
          const double u = x - 60.3, v = y - 54.8;
          const double far = inverse[0] * u * u + 2 * inverse[1] * u * v + inverse[2] * v * v;
          plane.row(y)[x] = static_cast<float>(0.3 + 0.5 * std::exp(-0.5 * far / (5.0 * 5.0)));
        }
      }
      const KeypointShape got = affine_shape(level, 60.3F, 54.8F, 3.5F);
      const Symmetric want = ratio < 6 ? ellipse : Symmetric{1, 0, 1};
      EXPECT_NEAR(got.xx, want[0], 0.02) << ratio << ", " << angle;
      EXPECT_NEAR(got.xy, want[1], 0.02) << ratio << ", " << angle;
      EXPECT_NEAR(got.yy, want[2], 0.02) << ratio << ", " << angle;
    }
  }
  for (const bool is_edge : {true, false}) {
    for (int y = 0; y < 110; ++y)
      for (int x = 0; x < 120; ++x)
        plane.row(y)[x] = is_edge ? 0.5F + 0.3F * std::tanh(0.2F * float(x - 60)) : 0.5F;
    const KeypointShape round = affine_shape(level, 60, 54, 3);
    EXPECT_TRUE(round.xx == 1 && round.xy == 0 && round.yy == 1);
  }
}

// A ramp I along g becomes a ramp I(A (u, v)) along A g.
TEST(Shape, orientation_follows_the_frame) {
  for (double degrees = 3; degrees < 360; degrees += 23) {
    Waves ramp;
    const double gx = std::cos(degrees * kPi / 180), gy = std::sin(degrees * kPi / 180);
    for (int y = 0; y < 64; ++y)
      for (int x = 0; x < 64; ++x)
        ramp.plane.row(y)[x] = static_cast<float>(0.005 * (x * gx + y * gy));
    for (const KeypointShape& A : {KeypointShape{}, {2, 0, 0.5F}, {1.25F, -0.75F, 1.25F}}) {
      const auto directions = dominant_directions(orientation_histogram(ramp.level, 32, 32, 2, A));
      ASSERT_EQ(directions.size(), 1U) << degrees;
      const double want = turned(A.xx * gx + A.xy * gy, A.xy * gx + A.yy * gy, 360);
      EXPECT_LT(std::abs(std::remainder(directions[0] - want, 360)), 1.5) << degrees;
    }
  }
}

TEST(Shape, description_equals_plain_code) {
  const Waves waves;
  for_each_target([&](const std::string& target) {
    for (const KeypointShape& A : {KeypointShape{2, 0, 0.5F}, {1.25F, -0.75F, 1.25F}}) {
      for (const auto& [x, y, sigma, angle] : {std::array{32.3F, 31.8F, 1.6F, 10.0F},
                                               {30.1F, 33.0F, 2.4F, 77.0F},
                                               {5.5F, 58.0F, 3.0F, 213.0F}}) {
        const Description got = describe(waves.level, x, y, sigma, angle, A);
        const std::vector<double> want = plain_description(waves.level, x, y, sigma, angle, A);
        const double scale = *std::max_element(want.begin(), want.end());
        for (std::size_t i = 0; i < want.size(); ++i)
          EXPECT_NEAR(got[i], want[i], 2e-3 * scale) << target << " bin " << i;
      }
    }
  });
}

// A round shape changes no description, to the bit.
TEST(Shape, of_a_circle_changes_no_description) {
  const Waves waves;
  for (float angle = 0; angle < 360; angle += 7.3F)
    EXPECT_EQ(describe(waves.level, 30.2F, 33.1F, 2.2F, angle),
              describe(waves.level, 30.2F, 33.1F, 2.2F, angle, {1, 0, 1}));
}

struct Ellipses {
  std::vector<Blob> blobs;  // round blobs
  Mat3 M{};                 // affine map of the blobs
};
// Renders the blobs under an affine map, which makes ellipses, without resampling.
ImageU8 picture_of(const Ellipses& e, int width, int height) {
  const double det = e.M[0] * e.M[4] - e.M[1] * e.M[3];
  ImageU8 image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double p = x - e.M[2], q = y - e.M[5];
      const double u = (e.M[4] * p - e.M[1] * q) / det, v = (e.M[0] * q - e.M[3] * p) / det;
      double value = 128;
      for (const Blob& b : e.blobs) {
        const double far = (u - b.x) * (u - b.x) + (v - b.y) * (v - b.y);
        value += b.height * std::exp(-0.5 * far / (b.sigma * b.sigma));
      }
      image.at(x, y) = static_cast<std::uint8_t>(std::clamp(std::lround(value), 0L, 255L));
    }
  }
  return image;
}
Ellipses squeezed(unsigned seed, double tilt) {
  Ellipses e;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 240; ++i)
    e.blobs.push_back({unit(random) * 260, unit(random) * 220, 3 * std::pow(2.5, unit(random)),
                       (unit(random) < 0.5 ? -1 : 1) * (15 + 25 * unit(random))});
  const double c = std::cos(0.6), s = std::sin(0.6);
  e.M = {c / tilt, s / tilt, 40, -s, c, 130, 0, 0, 1};
  return e;
}

// A plane seen under a tilt of 2.2 gives matches that circles do not give, and shapes that follow
// the map: M A1^2 M' is proportional to A2^2.
TEST(Shape, gives_matches_under_a_tilt) {
  Ellipses e = squeezed(4, 2.2);
  const ImageU8 tilted = picture_of(e, 210, 310);
  const Mat3 M = e.M;
  e.M = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const ImageU8 straight = picture_of(e, 260, 220);
  int right[2] = {};
  double worst_half = 0;
  for (const bool affine : {false, true}) {
    const SiftOptions options{.contrast_threshold = 0.01, .affine_shape = affine};
    const Features f = detect_sift(straight, options), g = detect_sift(tilted, options);
    EXPECT_EQ(f.shapes.size(), affine ? f.keypoints.size() : 0);
    std::vector<double> off;
    for (const Match& m : match(f, g)) {
      const auto i = std::size_t(m.index1), j = std::size_t(m.index2);
      const Keypoint &a = f.keypoints[i], &b = g.keypoints[j];
      if (std::hypot(M[0] * a.x + M[1] * a.y + M[2] - b.x, M[3] * a.x + M[4] * a.y + M[5] - b.y) >
          2)
        continue;
      ++right[affine];
      if (!affine) continue;
      const KeypointShape &A = f.shapes[i], &B = g.shapes[j];
      EXPECT_NEAR(A.xx * A.yy - A.xy * A.xy, 1, 1e-4);
      const Symmetric square = between({A.xx, A.xy, A.yy}, {1, 0, 1});
      const double p00 = M[0] * square[0] + M[1] * square[1],
                   p01 = M[0] * square[1] + M[1] * square[2],
                   p10 = M[3] * square[0] + M[4] * square[1],
                   p11 = M[3] * square[1] + M[4] * square[2];
      const Symmetric want = power_of(
          unit({p00 * M[0] + p01 * M[1], p00 * M[3] + p01 * M[4], p10 * M[3] + p11 * M[4]}), 0.5);
      off.push_back(std::hypot(B.xx - want[0], B.xy - want[1], B.yy - want[2]));
    }
    if (off.empty()) continue;
    std::ranges::sort(off);
    worst_half = off[off.size() / 2];
  }
  std::printf("%d right matches of circles, %d of shapes, half of these off by %.3f at most\n",
              right[0], right[1], worst_half);
  EXPECT_GT(right[1], 40);
  EXPECT_GT(right[1], 4 * right[0]);
  EXPECT_LT(worst_half, 0.3);  // 0.58 for circles
}

// Compares an image with a rotated or mirrored version: the fraction of points found in both, the
// fraction of points that match, and the number of points with equal shapes.
struct Alike {
  double points = 0, matches = 0;
  int shapes = 0, count = 0;
};
template <class Move, class Reshape>
Alike alike(const Features& f, const Features& g, Move move, Reshape reshape) {
  Alike result;
  const auto off = [&](const Keypoint& a, const Keypoint& b) {
    const auto [x, y] = move(double(a.x), double(a.y));
    return std::abs(a.sigma - b.sigma) > 0.02 * a.sigma ? 9 : std::hypot(x - b.x, y - b.y);
  };
  for (std::size_t i = 0; i < f.keypoints.size(); ++i) {
    double least = 1e9;
    for (std::size_t j = 0; j < g.keypoints.size(); ++j) {
      if (off(f.keypoints[i], g.keypoints[j]) > 0.3) continue;
      if (f.shapes.empty()) {
        least = 0;
        continue;
      }
      const KeypointShape want = reshape(f.shapes[i]), got = g.shapes[j];
      least =
          std::min<double>(least, std::hypot(want.xx - got.xx, want.xy - got.xy, want.yy - got.yy));
    }
    result.count += least < 1e9;
    result.shapes += least < 0.02;
  }
  for (const Match& m : match(f, g))
    result.matches += m.distance < 3000 && off(f.keypoints[std::size_t(m.index1)],
                                               g.keypoints[std::size_t(m.index2)]) < 0.1;
  result.points = 1.0 * result.count / f.size();
  result.matches /= f.size();
  return result;
}

TEST(Shape, follows_rotated_and_mirrored_images) {
  const ImageU8 image = random_blobs(420, 380, 2);
  ImageU8 mirror(image.width, image.height);
  for (int y = 0; y < image.height; ++y)
    std::reverse_copy(image.row(y), image.row(y) + image.width, mirror.row(y));
  for (const bool pooled : {false, true}) {
    Alike turned[2], mirrored[2];
    for (const bool affine : {false, true}) {
      const SiftOptions options{.domain_size_pooling = pooled, .affine_shape = affine};
      const Features f = detect_sift(image, options);
      turned[affine] = alike(
          f, detect_sift(quarter_turn(image), options),
          [](double x, double y) { return std::pair(379 - y, x); },
          [](const KeypointShape& A) {
            return KeypointShape{A.yy, -A.xy, A.xx};
          });
      mirrored[affine] = alike(
          f, detect_sift(mirror, options), [](double x, double y) { return std::pair(419 - x, y); },
          [](const KeypointShape& A) {
            return KeypointShape{A.xx, -A.xy, A.yy};
          });
      for (const Alike& a : {turned[affine], mirrored[affine]})
        std::printf("%s: %.1f %% of points, %.1f %% of matches, shapes of %d in %d\n",
                    affine ? "shapes" : "circles", 100 * a.points, 100 * a.matches, a.shapes,
                    a.count);
    }
    for (const Alike* a : {turned, mirrored}) {
      EXPECT_GT(a[1].points, a[0].points - 0.01);
      // A mirrored image has different descriptions.
      if (a == turned) {
        EXPECT_GT(a[1].matches, a[0].matches - 0.01);
      }
      EXPECT_GT(a[1].shapes, 0.97 * a[1].count);
    }
  }
}

TEST(Shape, is_the_same_for_any_number_of_threads) {
  const ImageU8 image = random_blobs(231, 407, 6);
  const SiftOptions options{.domain_size_pooling = true, .affine_shape = true};
  const Features once = [&] {
    const ThreadLimit limit(1);
    return detect_sift(image, options);
  }();
  EXPECT_GT(once.size(), 300);
  for (int threads : {2, 4}) {
    const ThreadLimit limit(threads);
    EXPECT_TRUE(same(once, detect_sift(image, options))) << threads << " threads";
  }
}

TEST(Shape, does_not_change_the_points) {
  const ImageU8 image = random_blobs(220, 180, 2);
  const auto places = [](const Features& f) {
    std::set<std::tuple<float, float, float, float>> all;
    for (const Keypoint& k : f.keypoints) all.emplace(k.y, k.x, k.sigma, k.response);
    return all;
  };
  const Features round = detect_sift(image), f = detect_sift(image, {.affine_shape = true});
  EXPECT_TRUE(round.shapes.empty());
  EXPECT_EQ(places(f), places(round));
  int shaped = 0;
  for (const KeypointShape& A : f.shapes) shaped += !(A.xx == 1 && A.xy == 0 && A.yy == 1);
  EXPECT_GT(shaped, 0.8 * f.size());
  const Features few = detect_sift(image, {.max_features = 40, .affine_shape = true});
  ASSERT_EQ(few.shapes.size(), 40U);
  EXPECT_EQ(0, std::memcmp(few.shapes.data(), f.shapes.data(), 40 * sizeof(KeypointShape)));
}

}  // namespace
}  // namespace bifocal::test
