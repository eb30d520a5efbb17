// SPDX-License-Identifier: BSD-3-Clause
// The emitted solvers on random scenes with their truth: how many miss it, and by how much the
// others are off.
#include "generate/gallery.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "generate/gallery_scenes.hpp"

namespace bifocal::test {
namespace {

constexpr int kSamples = 10000;
constexpr std::size_t kMostNumbers = 128;

struct Row {
  const char* name;
  double (*solve)(const double* data, double* solutions);
  GallerySample (*sample)(std::mt19937_64& random);
  double missed;  // per cent
};

// The largest difference of an unknown, relative to those above 1.
double distance(const double* x, const std::vector<double>& truth) {
  double worst = 0;
  for (std::size_t i = 0; i < truth.size(); ++i)
    worst = std::max(worst, std::abs(x[i] - truth[i]) / (1 + std::abs(truth[i])));
  return worst;
}

const Row kRows[] = {
    {"five points", gallery<double>::essential_null_space, five_point_sample, 0.01},
    {"six points, one-sided focal length", gallery<double>::six_point_one_sided_focal,
     six_point_one_sided_focal_sample, 0.1},
    {"six points, shared focal length", gallery<double>::six_point_shared_focal,
     six_point_shared_focal_sample, 1},
    {"six points, one-sided distortion", gallery<double>::six_point_one_sided_radial,
     six_point_one_sided_radial_sample, 1},
    {"eight points, one-sided distortion", gallery<double>::eight_point_one_sided_radial,
     eight_point_one_sided_radial_sample, 1},
    {"nine points, shared distortion", gallery<double>::nine_point_shared_radial,
     nine_point_shared_radial_sample, 1},
    {"three points, upright", gallery<double>::three_point_upright, three_point_upright_sample, 1},
    {"four points, known angle", gallery<double>::four_point_known_angle,
     four_point_known_angle_sample, 1},
    {"3.5 points, focal length", gallery<double>::four_point_focal_p35, four_point_focal_p35_sample,
     1},
    {"four points, focal length and distortion", gallery<double>::four_point_focal_radial,
     four_point_focal_radial_sample, 1},
    {"homography, shared distortion", gallery<double>::homography_shared_radial,
     homography_shared_radial_sample, 1},
    {"three points with depths, shared focal length",
     gallery<double>::three_point_monodepth_shared_focal, three_point_monodepth_sample, 1},
};

TEST(Gallery, finds_the_true_solutions) {
  for (const Row& row : kRows) {
    std::mt19937_64 random(1);
    std::vector<double> errors;
    int missed = 0;
    double found = 0;
    for (int i = 0; i < kSamples; ++i) {
      const GallerySample sample = row.sample(random);
      std::array<double, kMostNumbers> solutions{};
      const int count = static_cast<int>(row.solve(sample.data.data(), solutions.data()));
      double best = 10;
      for (int s = 0; s < count; ++s)
        best = std::min(
            best,
            distance(&solutions[static_cast<std::size_t>(s) * sample.truth.size()], sample.truth));
      found += count;
      missed += !(best <= 1e-6);
      errors.push_back(best);
    }
    std::sort(errors.begin(), errors.end());
    std::printf("%-46s %5d of %d missed; error: median %.2g, 99 %% %.2g; %.2f solutions\n",
                row.name, missed, kSamples, errors[errors.size() / 2],
                errors[errors.size() * 99 / 100], found / kSamples);
    EXPECT_LE(missed, row.missed / 100 * kSamples) << row.name;
    EXPECT_LE(errors[errors.size() / 2], 1e-12) << row.name;
  }
}

TEST(Gallery, returns_nothing_for_data_that_are_no_numbers) {
  std::array<double, kMostNumbers> data, solutions;
  data.fill(std::nan(""));
  for (const Row& row : kRows) EXPECT_EQ(row.solve(data.data(), solutions.data()), 0) << row.name;
}

}  // namespace
}  // namespace bifocal::test
