// SPDX-License-Identifier: BSD-3-Clause
// The emitted solvers on registers: each lane has the solutions that the solver of one instance
// has; and how long both take.
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "generate/gallery.hpp"
#include "generate/gallery_scenes.hpp"
#include "lane/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal::test {
namespace {

using Register = HWY_NAMESPACE::simd<double>;
constexpr int kWidth = lane::traits<Register>::width;
constexpr int kRegisters = 250;
constexpr std::size_t kMostNumbers = 128;

struct Row {
  const char* name;
  double (*one)(const double* data, double* solutions);
  Register (*many)(const Register* data, Register* solutions);
  GallerySample (*sample)(std::mt19937_64& random);
};

#define ROW(name, sample) \
  { #name, gallery < double> ::name, gallery < Register> ::name, sample##_sample }
const Row kRows[] = {
    ROW(essential_null_space, five_point),
    ROW(six_point_one_sided_focal, six_point_one_sided_focal),
    ROW(six_point_shared_focal, six_point_shared_focal),
    ROW(six_point_one_sided_radial, six_point_one_sided_radial),
    ROW(eight_point_one_sided_radial, eight_point_one_sided_radial),
    ROW(nine_point_shared_radial, nine_point_shared_radial),
    ROW(three_point_upright, three_point_upright),
    ROW(four_point_known_angle, four_point_known_angle),
    ROW(four_point_focal_p35, four_point_focal_p35),
    ROW(four_point_focal_radial, four_point_focal_radial),
    ROW(homography_shared_radial, homography_shared_radial),
    ROW(three_point_monodepth_shared_focal, three_point_monodepth),
};
#undef ROW

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Tells whether the first `count` solutions of n unknowns are the same but for their order.
bool same(const double* a, const double* b, int count, std::size_t n) {
  for (int i = 0; i < count; ++i) {
    double nearest = 1;
    for (int j = 0; j < count; ++j) {
      double most = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const double u = a[static_cast<std::size_t>(i) * n + k];
        most = std::max(most,
                        std::abs(u - b[static_cast<std::size_t>(j) * n + k]) / (1 + std::abs(u)));
      }
      nearest = std::min(nearest, most);
    }
    if (!(nearest < 1e-5)) return false;
  }
  return true;
}

TEST(Gallery, lanes_have_the_solutions_of_one_instance) {
  for (const Row& row : kRows) {
    std::mt19937_64 random(2);
    int other = 0;
    double seconds_one = 0, seconds_many = 0;
    for (int r = 0; r < kRegisters; ++r) {
      std::vector<GallerySample> samples;
      for (int l = 0; l < kWidth; ++l) samples.push_back(row.sample(random));
      alignas(64) double values[kWidth], counts[kWidth];
      Register data[kMostNumbers], solutions[kMostNumbers];
      for (std::size_t i = 0; i < samples[0].data.size(); ++i) {
        for (std::size_t l = 0; l < kWidth; ++l) values[l] = samples[l].data[i];
        data[i] = lane::ops<Register>::load(values);
      }
      double start = now();
      lane::ops<Register>::store(row.many(data, solutions), counts);
      seconds_many += now() - start;
      for (std::size_t l = 0; l < kWidth; ++l) {
        double expected[kMostNumbers], own[kMostNumbers];
        start = now();
        const int count = static_cast<int>(row.one(samples[l].data.data(), expected));
        seconds_one += now() - start;
        const std::size_t n = samples[l].truth.size();
        for (std::size_t i = 0; i < static_cast<std::size_t>(count) * n; ++i) {
          lane::ops<Register>::store(solutions[i], values);
          own[i] = values[l];
        }
        other += count != static_cast<int>(counts[l]) || !same(expected, own, count, n);
      }
    }
    const int total = kRegisters * kWidth;
    std::printf("%-36s %3d of %d others; us a sample: %.1f alone, %.1f in %d lanes\n", row.name,
                other, total, 1e6 * seconds_one / total, 1e6 * seconds_many / total, kWidth);
    EXPECT_LE(other, total / 50) << row.name;  // rounding makes double solutions real or complex
  }
}

}  // namespace
}  // namespace bifocal::test
HWY_AFTER_NAMESPACE();
