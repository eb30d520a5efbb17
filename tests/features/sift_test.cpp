// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/features.hpp>
#include <bifocal/device.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <tuple>

#include "features/pictures.hpp"
#include "support/targets.hpp"

namespace bifocal::test {
namespace {

// Returns the strongest feature; records a failure if none is found.
Keypoint strongest(const ImageU8& image, const SiftOptions& options) {
  const Features f = detect_sift(image, options);
  EXPECT_GT(f.size(), 0);
  return f.size() ? f.keypoints[0] : Keypoint{};
}

double turn_between(double a, double b) {
  const double d = std::fmod(std::abs(a - b), 360);
  return std::min(d, 360 - d);
}

// A difference of Gaussians of sigma and k sigma is largest on a blob of size k^(1/2) sigma, with k
// = 2^(1/3).
TEST(Sift, finds_the_centre_and_the_scale_of_a_blob) {
  double worst = 0, worst_scale = 0;
  for (const bool upsample : {true, false}) {
    for (const double size : {2.5, 3.7, 6.0, 9.1}) {
      for (const auto& [x, y] :
           {std::pair(60.0, 50.0), {60.5, 50.5}, {60.25, 50.75}, {61.1, 49.7}}) {
        for (const double height : {90.0, -90.0}) {
          SiftOptions options;
          options.upsample = upsample;
          const Keypoint k = strongest(blob_image(121, 101, {{x, y, size, height}}), options);
          const double off = std::hypot(k.x - x, k.y - y);
          EXPECT_LT(off, 0.05) << "blob of " << size << " at " << x << ", " << y << ", upsample "
                               << upsample;
          worst = std::max(worst, off);
          worst_scale = std::max(worst_scale, std::abs(std::log2(k.sigma / size) + 1.0 / 6));
        }
      }
    }
  }
  std::printf("worst centre %.4f px, worst scale %.3f octaves\n", worst, worst_scale);
  EXPECT_LT(worst_scale, 0.06);
}

struct Agreement {
  double share = 0;       // fraction of a's features that b also has
  double dx = 0, dy = 0;  // their mean displacement, px
};
// `move` maps the plane of a to the plane of b. After a rotation, octaves may sample another
// quarter of the pixels, so positions agree only to a fraction of the scale.
template <class Move>
Agreement compare(const Features& a, const Features& b, double turn_deg, Move move) {
  Agreement result;
  for (const Keypoint& k : a.keypoints) {
    const auto [x, y] = move(double(k.x), double(k.y));
    for (const Keypoint& q : b.keypoints) {
      if (std::hypot(q.x - x, q.y - y) < 0.25 * k.sigma &&
          std::abs(std::log2(q.sigma / k.sigma)) < 0.2 &&
          turn_between(q.angle_deg, k.angle_deg + turn_deg) < 5) {
        result.share += 1;
        result.dx += q.x - x;
        result.dy += q.y - y;
        break;
      }
    }
  }
  result.dx /= result.share;
  result.dy /= result.share;
  result.share /= a.size();
  return result;
}

// A shift of half a pixel anywhere would fail this test.
TEST(Sift, follows_a_rotated_image) {
  for (const bool upsample : {true, false}) {
    SiftOptions options;
    options.upsample = upsample;
    const ImageU8 original = random_blobs(200, 161, 4);
    const Features f = detect_sift(original, options);
    ASSERT_GT(f.size(), 60);
    ImageU8 image = original;
    for (int quarters = 1; quarters < 4; ++quarters) {
      image = quarter_turn(image);
      const Features g = detect_sift(image, options);
      const Agreement agreement = compare(f, g, 90 * quarters, [&](double x, double y) {
        for (int q = 0; q < quarters; ++q)
          std::tie(x, y) = std::pair((q % 2 ? 200 : 161) - 1 - y, x);
        return std::pair(x, y);
      });
      EXPECT_GT(agreement.share, 0.9) << quarters << " quarter turns, upsample " << upsample;
      EXPECT_NEAR(agreement.dx, 0, 0.02) << quarters << " quarter turns, upsample " << upsample;
      EXPECT_NEAR(agreement.dy, 0, 0.02) << quarters << " quarter turns, upsample " << upsample;
      EXPECT_NEAR(g.size(), f.size(), 0.03 * f.size());
      int right = 0;
      const std::vector<Match> matches = match(f, g);
      for (const Match& m : matches) right += m.distance < 3000;
      EXPECT_GT(right, 0.9 * f.size()) << "descriptors turn, too";
    }
  }
}

// Also compares ring buffers of rows with full buffers, because the part is short enough to need
// no ring.
TEST(Sift, follows_a_shifted_image) {
  const ImageU8 whole = random_blobs(180, 420, 9);
  const ImageView<const std::uint8_t> all = whole;
  const ImageView<const std::uint8_t> part(all.row(240) + 32, 140, 120, 1, all.stride);
  for (const auto& [layers, sigma] : {std::pair(3, 1.6), {1, 1.6}, {1, 2.6}, {5, 1.2}, {12, 1.6}}) {
    SiftOptions options;
    options.octave_layers = layers;
    options.sigma = sigma;
    options.contrast_threshold = 0.02;
    const Features f = detect_sift(part, options), g = detect_sift(all, options);
    Features inner;  // away from the border of the part
    for (const Keypoint& k : f.keypoints) {
      const double margin = 10 * k.sigma + 8;
      if (k.x > margin && k.y > margin && k.x < 139 - margin && k.y < 119 - margin) {
        inner.keypoints.push_back(k);
      }
    }
    ASSERT_GT(inner.size(), 5) << layers << " layers, sigma " << sigma;
    const Agreement agreement =
        compare(inner, g, 0, [](double x, double y) { return std::pair(x + 32, y + 240); });
    EXPECT_GT(agreement.share, 0.97) << layers << " layers, sigma " << sigma;
    EXPECT_NEAR(agreement.dx, 0, 0.01);
    EXPECT_NEAR(agreement.dy, 0, 0.01);
  }
}

TEST(Sift, orders_by_response_and_has_no_duplicates) {
  const Features f = detect_sift(random_blobs(220, 180, 2));
  ASSERT_GT(f.size(), 100);
  ASSERT_EQ(f.descriptors.size(), f.keypoints.size() * kDescriptorBytes);
  std::set<std::tuple<long, long, long, long>> places;
  for (std::size_t i = 0; i < f.keypoints.size(); ++i) {
    const Keypoint& k = f.keypoints[i];
    EXPECT_TRUE(k.x >= 0 && k.y >= 0 && k.x <= 219 && k.y <= 179 && k.sigma > 0.5F &&
                k.angle_deg >= 0 && k.angle_deg < 360);
    EXPECT_GE(k.response * 3, 0.04F);
    const Keypoint& before = f.keypoints[i ? i - 1 : 0];
    EXPECT_LE(k.response * k.sigma, before.response * before.sigma);
    EXPECT_TRUE(places
                    .emplace(std::lround(50 * k.x), std::lround(50 * k.y),
                             std::lround(20 * k.sigma), std::lround(k.angle_deg))
                    .second);
  }
}

TEST(Sift, cap_keeps_the_strongest) {
  const ImageU8 image = random_blobs(220, 180, 2);
  SiftOptions options;
  options.max_features = 0;
  const Features all = detect_sift(image, options);
  options.max_features = 40;
  const Features few = detect_sift(image, options);
  ASSERT_EQ(few.size(), 40);
  EXPECT_EQ(0, std::memcmp(few.keypoints.data(), all.keypoints.data(), 40 * sizeof(Keypoint)));
  EXPECT_TRUE(std::equal(few.descriptors.begin(), few.descriptors.end(), all.descriptors.begin()));
}

// Pooling keeps the points; the descriptors have the same length and follow a rotation of
// the image.
TEST(Sift, pools_domain_sizes) {
  const ImageU8 image = random_blobs(220, 180, 2);
  const SiftOptions pooled{.domain_size_pooling = true};
  const Features plain = detect_sift(image), f = detect_sift(image, pooled);
  ASSERT_EQ(f.size(), plain.size());
  const std::size_t bytes = std::size_t(f.size()) * sizeof(Keypoint);
  EXPECT_EQ(0, std::memcmp(f.keypoints.data(), plain.keypoints.data(), bytes));
  for (int i = 0; i < f.size(); ++i) {
    double squares = 0;
    for (std::size_t k = 0; k < 128; ++k)
      squares += std::pow(f.descriptors[128 * std::size_t(i) + k], 2);
    EXPECT_NEAR(std::sqrt(squares), 512, 6) << i;
  }
  int right = 0;
  const Features turned = detect_sift(quarter_turn(image), pooled);
  for (const Match& m : match(f, turned)) {
    const Keypoint &a = f.keypoints[std::size_t(m.index1)],
                   &b = turned.keypoints[std::size_t(m.index2)];
    right += m.distance < 3000 && std::hypot(179 - a.y - b.x, a.x - b.y) < 0.1;
  }
  EXPECT_GT(right, 0.85 * f.size());
}

TEST(Sift, is_the_same_for_any_number_of_threads) {
  const ImageU8 image = noise(331, 277, 6);
  SiftOptions options;
  for (const bool upsample : {true, false}) {
    options.upsample = upsample;
    const Features once = [&] {
      const ThreadLimit limit(1);
      return detect_sift(image, options);
    }();
    EXPECT_GT(once.size(), 50);
    for (int threads : {2, 4}) {
      const ThreadLimit limit(threads);
      EXPECT_TRUE(same(once, detect_sift(image, options))) << threads << " threads";
    }
  }
}

// Fused multiply-adds round differently, so at most 1 in 200 extrema near the threshold may appear
// or vanish. All remaining positions agree to a hundredth of a pixel.
TEST(Sift, is_nearly_the_same_on_every_target) {
  const ImageU8 image = random_blobs(200, 160, 12);
  const Features reference = detect_sift(image);
  for_each_target([&](const std::string& target) {
    const Features f = detect_sift(image);
    int near = 0, alike = 0;
    for (std::size_t i = 0; i < f.keypoints.size(); ++i) {
      for (std::size_t j = 0; j < reference.keypoints.size(); ++j) {
        const Keypoint &a = f.keypoints[i], &b = reference.keypoints[j];
        if (std::hypot(a.x - b.x, a.y - b.y) > 0.01 || turn_between(a.angle_deg, b.angle_deg) > 0.1)
          continue;
        ++near;
        int largest = 0;
        for (std::size_t k = 0; k < 128; ++k) {
          largest = std::max(
              largest, std::abs(f.descriptors[128 * i + k] - reference.descriptors[128 * j + k]));
        }
        alike += largest <= 2;
        break;
      }
    }
    EXPECT_GE(near, 0.995 * reference.size()) << target;
    EXPECT_GE(alike, 0.99 * reference.size()) << target;
    EXPECT_LE(f.size(), 1.005 * reference.size()) << target;
  });
}

TEST(Sift, takes_images_of_any_shape) {
  EXPECT_EQ(detect_sift(ImageView<const std::uint8_t>()).size(), 0);
  for (const auto& [width, height] : {std::pair(1, 1),
                                      {2, 1},
                                      {1, 2},
                                      {3, 3},
                                      {5, 7},
                                      {6, 6},
                                      {11, 11},
                                      {16, 16},
                                      {1, 3000},
                                      {3000, 1},
                                      {6, 5000},
                                      {5000, 6},
                                      {8, 300},
                                      {33, 17}}) {
    for (const bool upsample : {true, false}) {
      SiftOptions options;
      options.upsample = upsample;
      options.affine_shape = !upsample;
      for (const Keypoint& k : detect_sift(noise(width, height, 1), options).keypoints) {
        EXPECT_TRUE(k.x >= 0 && k.y >= 0 && k.x <= float(width - 1) && k.y <= float(height - 1))
            << width << " x " << height;
      }
    }
  }
}

TEST(Sift, finds_no_features_without_structure) {
  for (int grey : {0, 128, 255})
    EXPECT_EQ(detect_sift(ImageU8(90, 70, 1, std::uint8_t(grey))).size(), 0) << grey;
  ImageU8 edge(90, 70);  // a straight edge is no point
  for (int y = 0; y < 70; ++y) std::fill(edge.row(y) + 45, edge.row(y) + 90, std::uint8_t{255});
  EXPECT_EQ(detect_sift(edge).size(), 0);
}

TEST(Sift, takes_saturated_images) {
  ImageU8 image = random_blobs(120, 100, 3);
  for (std::uint8_t& p : image.pixels) p = p > 140 ? 255 : p < 116 ? 0 : p;
  EXPECT_GT(detect_sift(image).size(), 20);
}

TEST(Sift, ignores_gaps_between_rows) {
  const ImageU8 image = random_blobs(100, 80, 8);
  ImageU8 wide(137, 80, 1, 200);
  for (int y = 0; y < 80; ++y) std::copy_n(image.row(y), 100, wide.row(y));
  EXPECT_TRUE(same(detect_sift(image),
                   detect_sift(ImageView<const std::uint8_t>(wide.row(0), 100, 80, 1, 137))));
}

TEST(Sift, takes_every_valid_option) {
  const ImageU8 image = random_blobs(100, 80, 8);
  for (int layers : {1, 2, 5, 16}) {
    for (double sigma : {0.8, 1.6, 8.0}) {
      SiftOptions options;
      options.octave_layers = layers;
      options.sigma = sigma;
      options.contrast_threshold = 0;
      options.root = layers % 2;
      options.domain_size_pooling = layers % 3 != 1;
      options.affine_shape = sigma > 1;
      for (const bool upsample : {true, false}) {
        options.upsample = upsample;
        // No structure of this image is as large as 8 px.
        EXPECT_TRUE(detect_sift(image, options).size() > 0 || sigma == 8)
            << layers << " layers, sigma " << sigma;
      }
    }
  }
}

void expect_refused(const SiftOptions& options, const std::string& name) {
  try {
    (void)detect_sift(ImageU8(30, 30), options);
    ADD_FAILURE() << name << " not refused";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage);
    EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
  }
}

TEST(Sift, refuses_wrong_options_by_name) {
  const double nan = std::nan("");
  for (int v : {-1}) expect_refused({.max_features = v}, "max_features");
  for (int v : {0, -3, 17}) expect_refused({.octave_layers = v}, "octave_layers");
  for (double v : {-0.1, nan, 1e9}) expect_refused({.contrast_threshold = v}, "contrast_threshold");
  for (double v : {0.5, nan, 1e9}) expect_refused({.edge_threshold = v}, "edge_threshold");
  for (double v : {0.0, -1.0, nan, 1e9}) expect_refused({.sigma = v}, "sigma");
  EXPECT_THROW((void)detect_sift(ImageU8(30, 30, 5)), Error);
  EXPECT_THROW((void)detect_sift({nullptr, 30, 30}), Error);
}

}  // namespace
}  // namespace bifocal::test
