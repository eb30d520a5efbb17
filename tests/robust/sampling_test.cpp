// SPDX-License-Identifier: BSD-3-Clause
// Random numbers, samples and orders: known answers, uniformity, and dependence on seed and trial.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "robust/scalar_math.hpp"

namespace bifocal::robust {
namespace {

using Bits = std::uint32_t;
using Block = std::array<Bits, 4>;

Block philox(const Block& counter, Bits key0, Bits key1) {
  Block out;
  ScalarMath::philox(counter.data(), key0, key1, out.data());
  return out;
}

std::vector<int> draw(std::uint64_t seed, Bits trial, int n, int size, int ready_blocks = 0) {
  const auto low = static_cast<Bits>(seed), high = static_cast<Bits>(seed >> 32);
  std::vector<Bits> ready;
  for (int block = 0; block < ready_blocks; ++block) {
    for (const Bits v : philox({static_cast<Bits>(block), 0, trial, 0}, low, high))
      ready.push_back(v);
  }
  std::vector<int> sample(static_cast<size_t>(size), -1);
  ScalarMath::sample_draw(low, high, trial, n, size, ready.data(), ready_blocks, sample.data());
  return sample;
}

std::vector<int> order(int n, std::uint64_t seed) {
  std::vector<int> all;
  for (int i = 0; i < n; ++i) {
    all.push_back(
        ScalarMath::shuffled(i, n, static_cast<Bits>(seed), static_cast<Bits>(seed >> 32)));
  }
  return all;
}

// Returns sum (seen - expected)^2 / expected for equally likely cells.
double chi_square(const std::vector<int>& seen) {
  const double expected =
      std::accumulate(seen.begin(), seen.end(), 0.0) / static_cast<double>(seen.size());
  double sum = 0;
  for (const int s : seen) sum += (s - expected) * (s - expected) / expected;
  return sum;
}
// Five standard deviations above the mean of chi-square with k degrees of freedom.
double chi_square_limit(double k) { return k + 5 * std::sqrt(2 * k); }

// Known answers published with the generator (Random123, kat_vectors, philox 4x32 with 10 rounds).
TEST(Philox, gives_the_published_numbers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, 0, 0), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, ~0u, ~0u),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(SampleDraw, gives_different_numbers_in_range) {
  for (const int size : {3, 4, 5, 7}) {
    for (const int n : {size, size + 1, 12, 1000, 1500000000}) {
      for (Bits trial = 0; trial < 2000; ++trial) {
        std::vector<int> sample = draw(3, trial, n, size);
        std::sort(sample.begin(), sample.end());
        ASSERT_GE(sample.front(), 0);
        ASSERT_LT(sample.back(), n);
        ASSERT_EQ(std::adjacent_find(sample.begin(), sample.end()), sample.end());
      }
    }
  }
}

TEST(SampleDraw, is_even_over_points_and_pairs) {
  constexpr int kCount = 11, kSample = 4, kTrials = 400000;
  std::vector<int> first(kCount, 0), pairs;
  std::vector<int> table(kCount * kCount, 0);
  for (Bits trial = 0; trial < kTrials; ++trial) {
    const std::vector<int> sample = draw(7, trial, kCount, kSample);
    ++first[static_cast<size_t>(sample[0])];
    // Only one pair of each sample is counted, so that the counts are independent.
    ++table[static_cast<size_t>(std::min(sample[1], sample[3]) * kCount +
                                std::max(sample[1], sample[3]))];
  }
  for (int i = 0; i < kCount; ++i) {
    for (int j = i + 1; j < kCount; ++j)
      pairs.push_back(table[static_cast<size_t>(i * kCount + j)]);
  }
  EXPECT_LT(chi_square(first), chi_square_limit(kCount - 1));
  EXPECT_LT(chi_square(pairs), chi_square_limit(kCount * (kCount - 1) / 2.0 - 1));
}

// The range does not divide 2^32: without the rejection, numbers would be up to twice as likely in
// some places as elsewhere.
TEST(SampleDraw, is_even_over_a_large_range) {
  constexpr int kRange = 1500000000, kCells = 30, kTrials = 100000;
  std::vector<int> cells(kCells, 0), odd(2, 0), thirds(3, 0);
  for (Bits trial = 0; trial < kTrials; ++trial) {
    const int v = draw(8, trial, kRange, 3)[0];
    ++cells[static_cast<size_t>(v / (kRange / kCells))];
    ++odd[static_cast<size_t>(v % 2)];
    ++thirds[static_cast<size_t>(v % 3)];
  }
  EXPECT_LT(chi_square(cells), chi_square_limit(kCells - 1));
  EXPECT_LT(chi_square(odd), chi_square_limit(1));
  EXPECT_LT(chi_square(thirds), chi_square_limit(2));
}

TEST(SampleDraw, is_the_same_with_random_numbers_drawn_in_advance) {
  for (const int size : {3, 4, 5, 7}) {
    for (const int n : {size, 9, 500, 1500000000}) {
      for (Bits trial = 0; trial < 200; ++trial) {
        const std::vector<int> sample = draw(0x123456789abcdef0, trial, n, size);
        for (const int blocks : {1, 2, 3})
          ASSERT_EQ(draw(0x123456789abcdef0, trial, n, size, blocks), sample) << n << ", " << trial;
      }
    }
  }
}

TEST(SampleDraw, differs_between_iterations_and_seeds) {
  const std::vector<int> sample = draw(1, 2, 1000000, 5);
  EXPECT_EQ(draw(1, 2, 1000000, 5), sample);
  EXPECT_NE(draw(1, 3, 1000000, 5), sample);
  EXPECT_NE(draw(2, 2, 1000000, 5), sample);
  EXPECT_NE(draw(1ull << 32 | 1, 2, 1000000, 5), sample);
}

TEST(Shuffled, is_a_permutation) {
  std::vector<int> sizes(300);
  std::iota(sizes.begin(), sizes.end(), 1);
  sizes.insert(sizes.end(), {1000, 4096, 4097, 100000});
  for (const int n : sizes) {
    for (const std::uint64_t seed : {0ull, 1ull, 0xfedcba9876543210ull}) {
      std::vector<int> sorted = order(n, seed);
      std::sort(sorted.begin(), sorted.end());
      for (int i = 0; i < n; ++i) ASSERT_EQ(sorted[static_cast<size_t>(i)], i) << "of " << n;
    }
  }
}

TEST(Shuffled, differs_between_seeds) {
  for (const int n : {20, 300, 4096}) {
    const std::vector<int> reference = order(n, 1);
    EXPECT_NE(order(n, 0), reference);
    EXPECT_NE(order(n, 2), reference);
    EXPECT_NE(order(n, 1ull << 32 | 1), reference);
    std::vector<int> sorted = reference;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_NE(sorted, reference);
  }
}

// The first points are a random subset (for the scale of the noise and early scores): over the
// seeds every point comes first, second, ... equally often, and sorted input loses its order.
TEST(Shuffled, puts_every_point_everywhere) {
  constexpr int kCount = 24, kSeeds = 24000;
  std::vector<std::vector<int>> seen(kCount, std::vector<int>(kCount, 0));
  std::vector<int> neighbours(kCount * kCount, 0);
  for (int seed = 0; seed < kSeeds; ++seed) {
    const std::vector<int> all = order(kCount, static_cast<std::uint64_t>(seed));
    for (size_t i = 0; i < kCount; ++i) ++seen[i][static_cast<size_t>(all[i])];
    ++neighbours[static_cast<size_t>(all[0] * kCount + all[1])];
  }
  for (const auto& of_place : seen) EXPECT_LT(chi_square(of_place), chi_square_limit(kCount - 1));
  std::vector<int> pairs;
  for (int i = 0; i < kCount; ++i) {
    for (int j = 0; j < kCount; ++j) {
      if (i != j) pairs.push_back(neighbours[static_cast<size_t>(i * kCount + j)]);
    }
  }
  EXPECT_LT(chi_square(pairs), chi_square_limit(kCount * (kCount - 1) - 1));
}

TEST(PointHash, differs_between_points_and_is_never_zero) {
  // Columns x1 y1 x2 y2 of five points.
  constexpr int kStride = 5;
  const std::vector<float> p = {1, 1, -0.0f, 0, 1, 2, 2, 3, 3, 2, 3, 3, 1, 1, 4, 4, 4, 1, 1, 4};
  const auto hash = [&](int first, int end, int i) {
    return ScalarMath::point_hash(p.data(), kStride, first, end, i);
  };
  EXPECT_EQ(hash(0, 4, 0), hash(0, 4, 1));
  EXPECT_EQ(hash(0, 4, 2), hash(0, 4, 3)) << "-0 is 0";
  EXPECT_NE(hash(0, 4, 0), hash(0, 4, 4));
  EXPECT_EQ(hash(0, 2, 0), hash(0, 2, 4)) << "the same point of image 1";
  EXPECT_NE(hash(0, 4, 0), hash(0, 4, 2));
  for (int i = 0; i < kStride; ++i) EXPECT_NE(hash(0, 4, i), 0u);
}

}  // namespace
}  // namespace bifocal::robust
