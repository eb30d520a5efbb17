// SPDX-License-Identifier: BSD-3-Clause
// Samples drawn in the lanes of every SIMD target equal the samples of sample_draw, number
// for number.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "robust/sampling_lanes_test.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "robust/sampling-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal {
namespace HWY_NAMESPACE {
namespace {

// Draws samples first .. last of `size` points in a register: [size][lanes]. Returns the number
// of lanes.
template <int size>
int draw_size(std::uint64_t seed, std::uint32_t first, std::uint32_t last, std::uint32_t n,
              std::uint32_t* samples) {
  const auto low = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
  sampling_lanes::draw<size>(low, high, first, last, n, samples);
  return sampling_lanes::width;
}

int draw_lanes(int size, std::uint64_t seed, std::uint32_t first, std::uint32_t last,
               std::uint32_t n, std::uint32_t* samples) {
  switch (size) {
    case 2:
      return draw_size<2>(seed, first, last, n, samples);
    case 3:
      return draw_size<3>(seed, first, last, n, samples);
    case 5:
      return draw_size<5>(seed, first, last, n, samples);
    case 7:
      return draw_size<7>(seed, first, last, n, samples);
    default:
      return draw_size<9>(seed, first, last, n, samples);
  }
}

int numbers_of_lanes(std::uint64_t seed, std::uint32_t first, std::uint32_t last,
                     std::uint32_t* out) {
  const auto low = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
  sampling_lanes::random_numbers<3>(low, high, first, last, out);
  return sampling_lanes::width;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "robust/scalar_math.hpp"

namespace bifocal::robust {
namespace {

HWY_EXPORT(draw_lanes);
HWY_EXPORT(numbers_of_lanes);

constexpr int kMostLanes = 64, kMostPoints = 9;

// Runs `check` on every target of this processor.
template <class Check>
void on_every_target(const Check& check) {
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(SamplingLanes, equal_the_samples_of_single_draws) {
  const std::uint64_t seed = 0x9E3779B97F4A7C15u;
  on_every_target([&] {
    for (const int size : {2, 3, 5, 7, 9}) {
      // Samples of all points need many random numbers; with the last count a quarter of the
      // numbers are rejected.
      for (const int n : {size, size + 1, 20, 50, 2000, 0x60000000}) {
        std::array<std::uint32_t, kMostPoints * kMostLanes> samples;
        const std::uint32_t first = 4000000000u, last = first + (n == 50 ? 2 : kMostLanes - 1);
        const int lanes = HWY_DYNAMIC_DISPATCH(draw_lanes)(
            size, seed, first, last, static_cast<std::uint32_t>(n), samples.data());
        for (int l = 0; l < lanes; ++l) {
          std::array<int, kMostPoints> one;
          const std::uint32_t iteration = std::min(first + static_cast<std::uint32_t>(l), last);
          ScalarMath::sample_draw(static_cast<std::uint32_t>(seed),
                                  static_cast<std::uint32_t>(seed >> 32), iteration, n, size,
                                  nullptr, 0, one.data());
          for (int k = 0; k < size; ++k)
            ASSERT_EQ(samples[size_t(k * lanes + l)], static_cast<std::uint32_t>(one[size_t(k)]))
                << "n " << n << ", size " << size << ", lane " << l << ", point " << k;
        }
      }
    }
  });
}

TEST(SamplingLanes, random_numbers_equal_philox) {
  const std::uint64_t seed = 0x0123456789ABCDEFu;
  on_every_target([&] {
    for (const std::uint32_t first : {0u, 3u, 977u, 1u << 20, 0xFFFFFF00u}) {
      std::array<std::uint32_t, 12 * kMostLanes> numbers;
      const std::uint32_t last = first + (first == 3 ? 1 : kMostLanes - 1);
      const int lanes = HWY_DYNAMIC_DISPATCH(numbers_of_lanes)(seed, first, last, numbers.data());
      for (int l = 0; l < lanes; ++l) {
        for (std::uint32_t block = 0; block < 3; ++block) {
          const std::uint32_t iteration = std::min(first + static_cast<std::uint32_t>(l), last);
          const std::array<std::uint32_t, 4> counter = {block, 0, iteration, 0};
          std::array<std::uint32_t, 4> one;
          ScalarMath::philox(counter.data(), static_cast<std::uint32_t>(seed),
                             static_cast<std::uint32_t>(seed >> 32), one.data());
          for (size_t i = 0; i < 4; ++i)
            ASSERT_EQ(numbers[(4 * block + i) * size_t(lanes) + size_t(l)], one[i]);
        }
      }
    }
  });
}

}  // namespace
}  // namespace bifocal::robust
#endif
