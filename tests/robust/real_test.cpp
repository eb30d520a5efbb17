// SPDX-License-Identifier: BSD-3-Clause
// Real matches: kusvod2 (fundamental matrices) and homogr (homographies), errors on their reference
// points.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <bifocal/io.hpp>
#include <bifocal/robust.hpp>

#include "synthetic/accuracy.hpp"
#include "synthetic/real_matches.hpp"
#include "support/data.hpp"
#include "synthetic/two_view_scenes.hpp"

namespace bifocal::test {
namespace {

struct Summary {
  double median = 0;
  int within_2 = 0, within_5 = 0, sets = 0;
};
template <class Estimate, class Error>
Summary run(const std::string& folder, Estimate estimate, Error error) {
  constexpr std::uint64_t kSeeds = 5;
  std::vector<double> errors;
  Summary s;
  for (const synthetic::RealMatches& set :
       synthetic::read_real_matches(data("correspondences/" + folder).string())) {
    std::vector<double> of_set;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const RobustResult r = estimate(set.matches, seed);
      of_set.push_back(r.ok() ? error(r.model, set.reference) : 1e9);
    }
    std::sort(of_set.begin(), of_set.end());
    std::printf("%-10s %-12s %4zu matches: %.2f px (worst of %d seeds %.2f)\n", folder.c_str(),
                set.name.c_str(), set.matches.size(), of_set[kSeeds / 2], static_cast<int>(kSeeds),
                of_set.back());
    errors.push_back(of_set[kSeeds / 2]);
  }
  std::sort(errors.begin(), errors.end());
  s.sets = static_cast<int>(errors.size());
  s.median = errors[errors.size() / 2];
  for (const double e : errors) {
    s.within_2 += e < 2;
    s.within_5 += e < 5;
  }
  std::printf("%s: median %.2f px, %d of %d below 2 px, %d below 5 px\n", folder.c_str(), s.median,
              s.within_2, s.sets, s.within_5);
  return s;
}

TEST(RealMatches, fundamental_matrices_of_kusvod2) {
  BIFOCAL_NEEDS_DATA("correspondences/kusvod2");
  const Summary s = run(
      "kusvod2",
      [](const auto& points, std::uint64_t seed) {
        return estimate_fundamental(points, {.threshold = 2, .seed = seed});
      },
      synthetic::mean_sampson_px);
  EXPECT_LE(s.median, 0.58);
  // leafs lies at 1.97 to 2.00 px.
  EXPECT_GE(s.within_2, s.sets - 1);
}

TEST(RealMatches, homographies_of_homogr) {
  BIFOCAL_NEEDS_DATA("correspondences/homogr");
  const Summary s = run(
      "homogr",
      [](const auto& points, std::uint64_t seed) {
        return estimate_homography(points, {.threshold = 3, .seed = seed});
      },
      synthetic::mean_transfer_px);
  EXPECT_LE(s.median, 1.7);
  EXPECT_EQ(s.within_5, s.sets);
}

// castle-P19 0014 and 0015: a pose 1.7 degrees off has the lower cost at 2 px, where the noise is
// 0.27 px.
TEST(RealMatches, a_threshold_far_too_wide_seldom_costs_accuracy) {
  BIFOCAL_NEEDS_DATA("hard_pairs/castle_0014_0015.txt");
  const auto file = data("hard_pairs/castle_0014_0015.txt");
  const std::vector<PointPair> points = read_correspondences(file).points;
  const Intrinsics camera{2759.48, 2764.16, 1520.69, 1006.81};
  const Mat3 R1 = {-0.962903, -0.0850306, -0.256102, -0.268327, 0.201054,
                   0.942113,  -0.0286181, 0.975883,  -0.216412};
  const Mat3 R2 = {-0.990234, 0.0207785,   0.137855, 0.139402, 0.159234,
                   0.977349,  -0.00164336, 0.987022, -0.160576};
  const Vec3 apart = {10.1316 - 2.68067, -22.7412 + 20.9895, 0.339821 + 0.289124};
  Mat3 R{};  // R2' R1, t = R2' (C1 - C2)
  Vec3 t{};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t k = 0; k < 3; ++k) {
      t[i] += R2[3 * k + i] * apart[k];
      for (size_t j = 0; j < 3; ++j) R[3 * i + j] += R2[3 * k + i] * R1[3 * k + j];
    }
  }
  // 571 matches, 0.06 degrees off as a rule; another model with as many inliers is 1.6 off. Of 100
  // seeds 7 end there at 1 px, 18 at 2 px.
  for (const double threshold : {1.0, 2.0}) {
    int far = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const RelativePoseResult r =
          estimate_essential(points, camera, camera, {.threshold = threshold, .seed = seed});
      ASSERT_TRUE(r.ok());
      far += synthetic::rotation_error_deg(r.cam2_from_cam1.R, R) > 0.1 ||
             synthetic::direction_error_deg(r.cam2_from_cam1.t, t) > 0.1;
    }
    fmt::print("castle at {} px: {} of 50 seeds more than 0.1 degrees off\n", threshold, far);
    EXPECT_LE(far, threshold > 1 ? 12 : 8);
  }
}

}  // namespace
}  // namespace bifocal::test
