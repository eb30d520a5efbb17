// SPDX-License-Identifier: BSD-3-Clause
// Model choice by `auto`: photographs paired with blurred, compressed, slanted and rotated copies
// of themselves, which have no depth, and photographs of scenes with depth.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <bifocal/io.hpp>
#include <bifocal/two_photographs.hpp>

#include <array>
#include <cmath>
#include <numbers>

#include "support/data.hpp"
#include "support/long_tests.hpp"
#include "synthetic/accuracy.hpp"
#include "synthetic/random.hpp"
#include "support/needs_problem.hpp"

namespace bifocal {
namespace {

constexpr const char* kPictures[] = {"graf/img1.png", "wall/img1.png",   "boat/img1.pgm",
                                     "bark/img1.png", "leuven/img1.png", "ubc/img1.png"};

ImageU8 photograph(const std::string& name) {
  return to_grey(read_image(test::data("oxford_affine/" + name)));
}

std::uint8_t level(double v) { return static_cast<std::uint8_t>(std::clamp(v, 0.0, 255.0) + 0.5); }

ImageU8 blurred(const ImageU8& in, double sigma) {
  const int reach = static_cast<int>(3 * sigma);
  ImageU8 out = in;
  for (const bool rows : {true, false}) {
    const ImageU8 from = out;
    for (int y = 0; y < in.height; ++y) {
      for (int x = 0; x < in.width; ++x) {
        double sum = 0, weights = 0;
        for (int k = -reach; k <= reach; ++k) {
          const int u = rows ? x + k : x, v = rows ? y : y + k;
          if (u < 0 || v < 0 || u >= in.width || v >= in.height) continue;
          const double w = std::exp(-0.5 * k * k / (sigma * sigma));
          sum += w * from.at(u, v);
          weights += w;
        }
        out.at(x, y) = level(sum / weights);
      }
    }
  }
  return out;
}

// Simulates the loss of JPEG: cosine coefficients of 8 x 8 blocks are rounded to steps that grow
// with the frequency.
ImageU8 compressed(const ImageU8& in, double step) {
  std::array<std::array<double, 8>, 8> basis{};  // [frequency][place]
  for (size_t k = 0; k < 8; ++k) {
    for (size_t x = 0; x < 8; ++x)
      basis[k][x] = (k ? 0.5 : std::sqrt(0.125)) *
                    std::cos((2.0 * double(x) + 1) * double(k) * std::numbers::pi / 16);
  }
  ImageU8 out = in;
  for (int top = 0; top + 8 <= in.height; top += 8) {
    for (int left = 0; left + 8 <= in.width; left += 8) {
      std::array<double, 64> block{};
      for (size_t k = 0; k < 64; ++k) {
        double c = 0;
        for (size_t i = 0; i < 64; ++i)
          c += basis[k / 8][i / 8] * basis[k % 8][i % 8] *
               in.at(left + int(i % 8), top + int(i / 8));
        const double unit = step * (1 + double(k / 8 + k % 8));
        c = unit * std::round(c / unit);
        for (size_t i = 0; i < 64; ++i) block[i] += c * basis[k / 8][i / 8] * basis[k % 8][i % 8];
      }
      for (size_t i = 0; i < 64; ++i) out.at(left + int(i % 8), top + int(i / 8)) = level(block[i]);
    }
  }
  return out;
}

Intrinsics camera_of(const ImageU8& image) {
  return {double(image.width), double(image.width), image.width / 2.0, image.height / 2.0};
}

// Returns K (R + t [0 0 1]) K^-1: a rotation about y, and optionally a translation that keeps the
// centre of a plane at depth 1 in view.
Mat3 moved(const Intrinsics& k, double degrees, bool around_plane) {
  const double c = std::cos(degrees * std::numbers::pi / 180),
               s = std::sin(degrees * std::numbers::pi / 180);
  const Mat3 A = {c, 0, around_plane ? 0 : s, 0, 1, 0, -s, 0, around_plane ? 1 : c};
  const double f = k.fx, x = k.cx, y = k.cy;
  Mat3 H{};  // K A K^-1 with fx = fy
  for (size_t i = 0; i < 3; ++i) {
    const double p = i == 2 ? 0 : f * A[3 * i], q = i == 2 ? 0 : f * A[3 * i + 1],
                 r = i == 2 ? 0 : f * A[3 * i + 2],
                 o = i == 0   ? x
                     : i == 1 ? y
                              : 1;
    const double a = (p + o * A[6]) / f, b = (q + o * A[7]) / f;
    H[3 * i] = a;
    H[3 * i + 1] = b;
    H[3 * i + 2] = r + o * A[8] - a * x - b * y;
  }
  return H;
}

ImageU8 with_noise(ImageU8 image, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, 4);
  for (auto& v : image.pixels) v = level(v + noise(random));
  return image;
}

struct Tally {
  int pairs = 0, depth = 0;
  void add(const std::string& name, const PairResult& r) {
    ++pairs;
    const bool called_depth = r.outcome == Outcome::ok && r.kind != ModelKind::homography;
    depth += called_depth;
    fmt::print("{}: {}\n", name, r.reason);
  }
};

TEST(ModelChoice, copies_of_a_picture_are_no_scenes_with_depth) {
  BIFOCAL_NEEDS_DATA("oxford_affine");
  Tally tally;
  for (const std::string name : kPictures) {
    const ImageU8 first = photograph(name);
    const Intrinsics k = camera_of(first);
    const ImageU8 slanted = warp(first, moved(k, 55, true), first.width, first.height);
    const PairOptions options{.dense = false};
    tally.add(name + " blurred 4", estimate_pair(first, blurred(first, 4), options));
    tally.add(name + " slanted",
              estimate_pair(first, with_noise(blurred(slanted, 0.6), 1), options));
    if (!test::is_long()) continue;
    tally.add(name + " blurred 6", estimate_pair(first, blurred(first, 6), options));
    tally.add(name + " compressed", estimate_pair(first, compressed(first, 40), options));
  }
  fmt::print("{} of {} called a scene with depth\n", tally.depth, tally.pairs);
  EXPECT_EQ(tally.depth, 0);
}

TEST(ModelChoice, identical_images_are_reported) {
  BIFOCAL_NEEDS_DATA("oxford_affine");
  const ImageU8 first = photograph("boat/img1.pgm");
  PairOptions options;
  for (const bool calibrated : {false, true}) {
    if (calibrated) options.camera1 = options.camera2 = camera_of(first);
    const PairResult r = estimate_pair(first, compressed(first, 8), options);
    EXPECT_EQ(r.kind, ModelKind::homography);
    EXPECT_NE(r.reason.find("the same image"), std::string::npos) << r.reason;
  }
}

TEST(ModelChoice, a_rotated_camera_has_no_translation) {
  BIFOCAL_NEEDS_DATA("oxford_affine");
  for (const std::string name : kPictures) {
    const ImageU8 first = photograph(name);
    const Intrinsics k = camera_of(first);
    const ImageU8 second =
        with_noise(warp(first, moved(k, 12, false), first.width, first.height), 2);
    PairOptions options;
    options.camera1 = options.camera2 = k;
    const PairResult r = estimate_pair(first, second, options);
    ASSERT_EQ(r.outcome, Outcome::ok) << r.reason;
    EXPECT_EQ(r.kind, ModelKind::homography);
    EXPECT_NE(r.reason.find("only rotated"), std::string::npos) << r.reason;
    ASSERT_TRUE(r.cam2_from_cam1.has_value());
    EXPECT_EQ(r.cam2_from_cam1->t, (Vec3{0, 0, 0}));
    const double a = 12 * std::numbers::pi / 180, c = std::cos(a), s = std::sin(a);
    EXPECT_LT(synthetic::rotation_error_deg(r.cam2_from_cam1->R, {c, 0, s, 0, 1, 0, -s, 0, c}),
              0.05);
    EXPECT_FALSE(r.dense.has_value());
    options.kind = ModelRequest::essential;
    EXPECT_EQ(estimate_pair(first, second, options).outcome, Outcome::rotation_only);
  }
}

TEST(ModelChoice, scenes_with_depth_are_no_planes) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::shared_focal);
  const std::pair<const char*, const char*> pairs[] = {
      {"strecha/Herz-Jesus-P8/0003_half.jpg", "strecha/Herz-Jesus-P8/0004_half.jpg"},
      {"middlebury_2003/cones/im2.png", "middlebury_2003/cones/im6.png"},
      {"middlebury_2003/teddy/im2.png", "middlebury_2003/teddy/im6.png"},
      {"middlebury_2014_q/Piano/im0.png", "middlebury_2014_q/Piano/im1.png"},
      {"opencv_samples/aloeL.jpg", "opencv_samples/aloeR.jpg"},
      {"kitti_pair_no_gt/kittiL.png", "kitti_pair_no_gt/kittiR.png"}};
  for (const auto& [first, second] : pairs) {
    BIFOCAL_NEEDS_DATA(first);
    const ImageU8 a = read_image(test::data(first)), b = read_image(test::data(second));
    PairOptions options{.dense = false};
    EXPECT_EQ(estimate_pair(a, b, options).kind, ModelKind::fundamental) << first;
    options.camera1 = options.camera2 = camera_of(a);
    const PairResult r = estimate_pair(a, b, options);
    EXPECT_EQ(r.kind, ModelKind::essential) << r.reason;
  }
}

}  // namespace
}  // namespace bifocal
