// SPDX-License-Identifier: BSD-3-Clause
#include "robust/philox.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace bifocal::robust {
namespace {

// Known answers published with the generator (Random123, kat_vectors, philox 4x32 with 10 rounds).
TEST(Philox, gives_the_published_numbers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(TrialRandom, draws_distinct_indices_evenly) {
  constexpr int kCount = 11, kSample = 4, kTrials = 1000000;
  std::vector<int> hits(kCount, 0), pairs(kCount * kCount, 0);
  for (int trial = 0; trial < kTrials; ++trial) {
    int sample[kSample];
    TrialRandom(7, 0, static_cast<std::uint32_t>(trial)).distinct(kCount, kSample, sample);
    for (int i = 0; i < kSample; ++i) {
      ASSERT_GE(sample[i], 0);
      ASSERT_LT(sample[i], kCount);
      ++hits[static_cast<size_t>(sample[i])];
      for (int j = 0; j < i; ++j) {
        ASSERT_NE(sample[i], sample[j]);
        ++pairs[static_cast<size_t>(std::min(sample[i], sample[j]) * kCount +
                                    std::max(sample[i], sample[j]))];
      }
    }
  }
  // Five standard deviations of a binomial count.
  const double p = double{kSample} / kCount,
               q = double{kSample * (kSample - 1)} / (kCount * (kCount - 1));
  for (const int h : hits) EXPECT_NEAR(h, kTrials * p, 5 * std::sqrt(kTrials * p * (1 - p)));
  for (int i = 0; i < kCount; ++i) {
    for (int j = i + 1; j < kCount; ++j) {
      EXPECT_NEAR(pairs[static_cast<size_t>(i * kCount + j)], kTrials * q,
                  5 * std::sqrt(kTrials * q * (1 - q)));
    }
  }
}

TEST(TrialRandom, differs_between_trials_pairs_seeds_and_purposes) {
  const std::uint32_t reference = TrialRandom(1, 2, 3).next();
  EXPECT_EQ(TrialRandom(1, 2, 3).next(), reference);
  EXPECT_NE(TrialRandom(1, 2, 4).next(), reference);
  EXPECT_NE(TrialRandom(1, 3, 3).next(), reference);
  EXPECT_NE(TrialRandom(2, 2, 3).next(), reference);
  EXPECT_NE(TrialRandom(1ull << 32 | 1, 2, 3).next(), reference);
  EXPECT_NE(TrialRandom(1, 2, 3, TrialRandom::Purpose::order).next(), reference);
}

}  // namespace
}  // namespace bifocal::robust
