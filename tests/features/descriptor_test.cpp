// SPDX-License-Identifier: BSD-3-Clause
// Compares orientation and description with plain double-precision code, for every SIMD target.
#include "features/sift/describe.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "features/descriptor_oracle.hpp"
#include "features/pictures.hpp"
#include "support/targets.hpp"

namespace bifocal::test {
namespace {

std::vector<double> plain_histogram(const Level& l, double x, double y, double sigma) {
  std::vector<double> h(kOrientationBins);
  const double spread = SiftRules::sift_orientation_spread() * sigma;
  const int reach = static_cast<int>(std::lround(3 * spread)),
            cx = static_cast<int>(std::lround(x)), cy = static_cast<int>(std::lround(y));
  for (int j = std::max(1, cy - reach); j <= std::min(l.height - 2, cy + reach); ++j) {
    for (int i = std::max(1, cx - reach); i <= std::min(l.width - 2, cx + reach); ++i) {
      const double gx = l.at(i + 1, j) - l.at(i - 1, j), gy = l.at(i, j + 1) - l.at(i, j - 1);
      const double r2 = (i - x) * (i - x) + (j - y) * (j - y);
      const double weight = std::hypot(gx, gy) * std::exp(-0.5 * r2 / (spread * spread));
      const double bin = turned(gx, gy, kOrientationBins);
      const int low = static_cast<int>(bin);
      h[std::size_t(low % kOrientationBins)] += weight * (low + 1 - bin);
      h[std::size_t((low + 1) % kOrientationBins)] += weight * (bin - low);
    }
  }
  return h;
}

TEST(Orientation, histogram_equals_plain_code) {
  const Waves waves;
  for_each_target([&](const std::string& target) {
    for (const auto& [x, y, sigma] :
         {std::array{30.3F, 31.8F, 2.0F}, {3.2F, 60.4F, 3.4F}, {31.0F, 1.0F, 1.7F}}) {
      const OrientationHistogram got = orientation_histogram(waves.level, x, y, sigma);
      const std::vector<double> want = plain_histogram(waves.level, x, y, sigma);
      const double scale = *std::max_element(want.begin(), want.end());
      for (std::size_t i = 0; i < want.size(); ++i)
        EXPECT_NEAR(got[i], want[i], 1e-3 * scale) << target << " bin " << i;
    }
  });
}

TEST(Orientation, of_a_ramp_is_its_direction) {
  for (double degrees = 0; degrees < 360; degrees += 17) {
    Waves ramp;
    for (int y = 0; y < 64; ++y) {
      for (int x = 0; x < 64; ++x) {
        ramp.plane.row(y)[x] = static_cast<float>(
            0.005 * (x * std::cos(degrees * kPi / 180) + y * std::sin(degrees * kPi / 180)));
      }
    }
    const auto directions = dominant_directions(orientation_histogram(ramp.level, 32, 32, 2));
    ASSERT_EQ(directions.size(), 1U) << degrees;
    const double off = std::abs(directions[0] - degrees);
    EXPECT_LT(std::min(off, 360 - off), 1.5) << degrees;
  }
}

TEST(Orientation, has_secondary_peaks_from_80_per_cent) {
  OrientationHistogram h{};
  h[10] = 1;
  h[0] = 0.81F;
  h[20] = 0.79F;
  const auto directions = dominant_directions(h);
  ASSERT_EQ(directions.size(), 2U);
  EXPECT_FLOAT_EQ(directions[0], 100);
  EXPECT_FLOAT_EQ(directions[1], 0);
  EXPECT_TRUE(dominant_directions(OrientationHistogram{}).empty());
}

TEST(Description, equals_plain_code) {
  const Waves waves;
  for_each_target([&](const std::string& target) {
    for (const auto& [x, y, sigma, angle] : {std::array{32.3F, 31.8F, 1.6F, 0.0F},
                                             {30.1F, 33.0F, 2.4F, 77.0F},
                                             {5.5F, 58.0F, 3.0F, 213.0F},
                                             {1.0F, 1.0F, 3.5F, 341.0F}}) {
      const Description got = describe(waves.level, x, y, sigma, angle);
      const std::vector<double> want = plain_description(waves.level, x, y, sigma, angle);
      const double scale = *std::max_element(want.begin(), want.end());
      for (std::size_t i = 0; i < want.size(); ++i)
        EXPECT_NEAR(got[i], want[i], 2e-3 * scale) << target << " bin " << i;
    }
  });
}

// Returns the blobs of blob_image after a blur of sigma px, with values in [0, 1].
Plane blurred_blobs(int side, const std::vector<Blob>& blobs, double sigma) {
  Plane plane(side, side);
  for (float& v : plane.data) v = 128 / 255.0F;
  std::vector<double> across(std::size_t(side), 0), down = across;
  for (const Blob& b : blobs) {
    const double own = b.sigma * b.sigma, wide = own + sigma * sigma;
    for (int i = 0; i < side; ++i) {
      across[std::size_t(i)] = std::exp(-0.5 * (i - b.x) * (i - b.x) / wide);
      down[std::size_t(i)] =
          b.height / 255 * own / wide * std::exp(-0.5 * (i - b.y) * (i - b.y) / wide);
    }
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x)
        plane.row(y)[x] += static_cast<float>(down[std::size_t(y)] * across[std::size_t(x)]);
    }
  }
  return plane;
}

std::vector<double> plain_pooled(const Level* levels, int level, double x, double y, double sigma,
                                 double angle_deg) {
  std::vector<double> sum(128);
  // With three layers per octave the size 1.25 uses one level up, 1.75 two levels up and 0.75 one
  // level down.
  for (const auto& [size, up] : {std::pair(0.75, -1), {1.25, 1}, {1.75, 2}}) {
    const auto one =
        plain_description(levels[std::clamp(level + up, 0, 5)], x, y, size * sigma, angle_deg);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += one[i];
  }
  return sum;
}

TEST(Description, of_pooled_domains_equals_plain_code) {
  std::vector<Waves> waves(6);
  std::vector<Level> levels;
  for (std::size_t k = 0; k < waves.size(); ++k) {  // differs between any two levels
    for (float& v : waves[k].plane.data) v *= 1 - 0.15F * static_cast<float>(k);
    levels.push_back(waves[k].level);
  }
  const std::vector<Domain> domains = domains_of({.domain_size_pooling = true});
  for (const auto& [x, y, sigma, angle, level] : {std::tuple(32.3F, 31.8F, 1.6F, 10.0F, 0),
                                                  {30.1F, 33.0F, 2.4F, 77.0F, 2},
                                                  {5.5F, 58.0F, 3.0F, 213.0F, 4}}) {
    const Description got = describe(levels, level, domains, x, y, sigma, angle);
    const std::vector<double> want = plain_pooled(levels.data(), level, x, y, sigma, angle);
    const double scale = *std::max_element(want.begin(), want.end());
    for (std::size_t i = 0; i < want.size(); ++i)
      EXPECT_NEAR(got[i], want[i], 2e-3 * scale) << "level " << level << " bin " << i;
  }
}

// Tests the full path from image to descriptor against analytic levels: a Gaussian blob blurred by
// a Gaussian is a Gaussian. Only the rounding of grey values and the sampling of the blurs differ.
TEST(Description, of_pooled_domains_in_an_image_equals_plain_code) {
  constexpr int kSide = 240;
  std::vector<Blob> blobs = random_blob_list(kSide, kSide, 5);
  for (Blob& b : blobs) b.height *= 0.5;  // no sum beyond black or white
  std::vector<Plane> planes;
  std::vector<Level> levels;
  for (int k = 0; k < 6; ++k) {
    // The detector assumes that a photograph has a blur of 0.2 px, but these blobs have none.
    const double sigma = 1.6 * std::exp2(k / 3.0);
    planes.push_back(blurred_blobs(kSide, blobs, std::sqrt(sigma * sigma - 0.04)));
  }
  for (const Plane& p : planes) levels.push_back({p.data.data(), kSide, kSide, p.stride, 255});
  const Features f =
      detect_sift(blob_image(kSide, kSide, blobs),
                  {.contrast_threshold = 0.01, .upsample = false, .domain_size_pooling = true});
  int count = 0;
  double worst = 0, sum = 0;
  for (std::size_t i = 0; i < f.keypoints.size(); ++i) {
    const Keypoint& k = f.keypoints[i];
    const double layer = 3 * std::log2(k.sigma / 1.6), margin = kSide / 2 - 12 * k.sigma;
    // Only keypoints of the first octave are compared, without keypoints whose level depends
    // on rounding.
    if (layer > 3.3 || std::abs(layer - std::round(layer)) > 0.45) continue;
    // The detector mirrors the image at its border, while the blobs continue.
    if (std::abs(k.x - kSide / 2) > margin || std::abs(k.y - kSide / 2) > margin) continue;
    const std::vector<double> want = plain_pooled(
        levels.data(), static_cast<int>(std::lround(layer)), k.x, k.y, k.sigma, k.angle_deg);
    Description d;
    std::copy(want.begin(), want.end(), d.begin());
    std::uint8_t bytes[128];
    quantise(d, true, bytes);
    double squares = 0;
    for (std::size_t j = 0; j < 128; ++j)
      squares += std::pow(bytes[j] - f.descriptors[128 * i + j], 2);
    ++count;
    worst = std::max(worst, std::sqrt(squares));
    sum += std::sqrt(squares);
  }
  std::printf("%d points: off by %.1f of 512, at most %.1f\n", count, sum / count, worst);
  EXPECT_GT(count, 30);
  // Measured 4.6 and 15.6. With sizes of 0.8, 1.3 and 1.8 the mean is 18, with levels one too high
  // 31, with all sizes on the point's own level 36.
  EXPECT_LT(sum / count, 10);
  EXPECT_LT(worst, 25);
}

TEST(Quantise, gives_vectors_of_length_512) {
  Description d;
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = static_cast<float>((i * 37) % 61);
  std::uint8_t root[128], plain[128];
  quantise(d, true, root);
  quantise(d, false, plain);
  for (const std::uint8_t* q : {root, plain}) {
    EXPECT_NEAR(std::sqrt(std::inner_product(q, q + 128, q, 0.0)), 512, 4);
  }
  // RootSIFT takes square roots: 36 times the value gives six times the result.
  d.fill(1);
  d[0] = 36;
  d[1] = 1e4F;  // clipped
  quantise(d, true, root);
  EXPECT_NEAR(root[0], 6 * root[2], 4);
  EXPECT_LT(root[1], 100 * root[2] / 2);
}

TEST(Quantise, of_zeros_is_zero) {
  std::uint8_t q[128];
  quantise(Description{}, true, q);
  for (std::uint8_t v : q) EXPECT_EQ(v, 0);
}

}  // namespace
}  // namespace bifocal::test
