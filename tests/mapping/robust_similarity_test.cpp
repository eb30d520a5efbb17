// SPDX-License-Identifier: BSD-3-Clause
// Deviations of the robust similarity by repeated draws.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "adjust/rotation.hpp"
#include "mapping/place/robust_similarity.hpp"
#include "support/long_tests.hpp"

namespace bifocal::test {
namespace {

using mapping::Placed, mapping::RobustSimilarity, mapping::Similarity;

using Random = std::mt19937_64;

double uniform(Random& random, double lo, double hi) {
  return lo + (hi - lo) * static_cast<double>(random() >> 11) / 9007199254740992.0;
}
double normal(Random& random) {
  const double u = uniform(random, 1e-12, 1), v = uniform(random, 0, 6.283185307179586);
  return std::sqrt(-2 * std::log(u)) * std::cos(v);
}

const Similarity kTruth{
    7, nearest_rotation(adjustment::rotation_of({0.3, -0.5, 1.1})), {100, -50, 20}};
constexpr Vec3 kDeviations{2, 3, 5};

std::vector<Placed> draw(Random& random, std::size_t n, double wrong, double relief) {
  std::vector<Placed> out;
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3 from{uniform(random, -10, 10), uniform(random, -8, 8), relief * normal(random)};
    Vec3 to = mapping::moved(kTruth, from);
    for (std::size_t k = 0; k < 3; ++k) to[k] += kDeviations[k] * normal(random);
    if (uniform(random, 0, 1) < wrong)
      for (double& v : to) v += 50 * normal(random);
    out.push_back({from, to, kDeviations});
  }
  return out;
}

// Shares of the errors within one and two deviations, of position, rotation and scale.
struct Shares {
  std::array<double, 3> one{}, two{};
};
Shares shares(std::size_t n, double wrong, double relief, int runs) {
  Random random(17);
  Shares out;
  for (int run = 0; run < runs; ++run) {
    const std::vector<Placed> placed = draw(random, n, wrong, relief);
    const std::optional<RobustSimilarity> found =
        mapping::robust_similarity(placed, static_cast<std::uint64_t>(run));
    if (!found) {
      ADD_FAILURE() << "no similarity";
      return out;
    }
    Vec3 mean{};
    for (const Placed& p : placed)
      for (std::size_t k = 0; k < 3; ++k) mean[k] += p.from[k] / static_cast<double>(n);
    const Vec3 at = mapping::moved(found->similarity, mean), is = mapping::moved(kTruth, mean);
    const Mat3 D = times(kTruth.R, transposed(found->similarity.R));
    const Vec3 turn{(D[7] - D[5]) / 2, (D[2] - D[6]) / 2, (D[3] - D[1]) / 2};
    const auto count = [&](std::size_t kind, double error, double deviation, double weight) {
      out.one[kind] += std::abs(error) <= deviation ? weight / runs : 0;
      out.two[kind] += std::abs(error) <= 2 * deviation ? weight / runs : 0;
    };
    for (std::size_t k = 0; k < 3; ++k) {
      count(0, is[k] - at[k], found->deviations.position[k], 1.0 / 3);
      count(1, turn[k], found->deviations.rotation[k], 1.0 / 3);
    }
    count(2, std::log(kTruth.scale / found->similarity.scale), found->deviations.scale, 1);
  }
  fmt::print(
      "{:3} points, {:2.0f} % wrong, relief {}: position {:.3f} {:.3f}, rotation {:.3f} {:.3f}, "
      "scale {:.3f} {:.3f} within one and two deviations\n",
      n, 100 * wrong, relief, out.one[0], out.two[0], out.one[1], out.two[1], out.one[2],
      out.two[2]);
  return out;
}

// 68.3 % of normal errors are within one deviation, 95.4 % within two.
TEST(RobustSimilarity, ErrorsAgreeWithTheirDeviations) {
  const int runs = short_or_long(100, 4000);
  const std::vector<std::size_t> counts =
      is_long() ? std::vector<std::size_t>{8, 20, 100} : std::vector<std::size_t>{8, 40};
  const std::vector<double> reliefs =
      is_long() ? std::vector<double>{0, 2} : std::vector<double>{2};
  for (const std::size_t n : counts)
    for (const double wrong : {0.0, 0.05})
      for (const double relief : reliefs) {
        const Shares s = shares(n, wrong, relief, runs);
        for (std::size_t kind = 0; kind < 3; ++kind) {
          EXPECT_NEAR(s.one[kind], 0.683, 0.12) << n << ' ' << wrong << ' ' << kind;
          EXPECT_GT(s.two[kind], 0.92) << n << ' ' << wrong << ' ' << kind;
        }
      }
}

// Such as degrees that are taken for metres: the steps of the iteration diverge unless they are
// limited.
TEST(RobustSimilarity, OfCloseDegreesDoesNotDiverge) {
  Random random(3);
  for (int run = 0; run < 400; ++run) {
    std::vector<Placed> placed;
    const Vec3 deviations = run % 2 == 0 ? Vec3{3, 3, 5} : Vec3{0.15, 0.15, 0.25};
    for (int i = 0; i < 17; ++i) {
      const double along = i % 6, across = i / 6;
      placed.push_back({{along + 0.01 * normal(random), 1.5 * across, 0.1 * normal(random)},
                        {46.842 + 8.6e-5 * (along - across), -91.994 + 1.3e-4 * (along + across),
                         198.5 + 0.1 * std::round(0.7 * normal(random))},
                        deviations});
    }
    EXPECT_NO_THROW((void)mapping::robust_similarity(placed, static_cast<std::uint64_t>(run)));
  }
}

}  // namespace
}  // namespace bifocal::test
