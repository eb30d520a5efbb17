// SPDX-License-Identifier: BSD-3-Clause
// Real matches of kusvod2 (fundamental matrices) and homogr (homographies), with errors on their
// reference points.
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
      const EstimateResult r = estimate(set.matches, seed);
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

TEST(RealMatches, give_fundamental_matrices_of_kusvod2) {
  BIFOCAL_NEEDS_DATA("correspondences/kusvod2");
  const Summary s = run(
      "kusvod2",
      [](const auto& points, std::uint64_t seed) {
        return estimate(ModelKind::fundamental, points,
                        {.options = {.threshold = 2, .seed = seed}});
      },
      synthetic::mean_sampson_px);
  EXPECT_LE(s.median, 0.58);
  // The error of leafs is 1.97 to 2.00 px.
  EXPECT_GE(s.within_2, s.sets - 1);
}

TEST(RealMatches, give_homographies_of_homogr) {
  BIFOCAL_NEEDS_DATA("correspondences/homogr");
  const Summary s = run(
      "homogr",
      [](const auto& points, std::uint64_t seed) {
        return estimate(ModelKind::homography, points, {.options = {.threshold = 3, .seed = seed}});
      },
      synthetic::mean_transfer_px);
  EXPECT_LE(s.median, 1.7);
  EXPECT_EQ(s.within_5, s.sets);
}

}  // namespace
}  // namespace bifocal::test
