// SPDX-License-Identifier: BSD-3-Clause
// The words reciprocal and rsqrt have the documented precision in the lanes of every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lane/words_test.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "lane/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal {
namespace HWY_NAMESPACE {
namespace {

// Writes the reciprocals of `size` numbers, a multiple of all register widths, and of their roots.
template <class T>
void invert_all(const T* numbers, int size, T* reciprocals, T* roots) {
  using words = lane::ops<simd<T>>;
  for (int i = 0; i < size; i += simd<T>::width) {
    const simd<T> v = words::load(numbers + i);
    words::store(words::reciprocal(v), reciprocals + i);
    words::store(words::rsqrt(v), roots + i);
  }
}
void invert_floats(const float* numbers, int size, float* reciprocals, float* roots) {
  invert_all(numbers, size, reciprocals, roots);
}
void invert_doubles(const double* numbers, int size, double* reciprocals, double* roots) {
  invert_all(numbers, size, reciprocals, roots);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace bifocal::test {
namespace {

HWY_EXPORT(invert_floats);
HWY_EXPORT(invert_doubles);

// Returns the largest relative errors in units of the precision.
template <class T>
struct Errors {
  double reciprocal = 0, rsqrt = 0;
  template <class Invert>
  explicit Errors(Invert invert) {
    constexpr int kSize = 1 << 14;
    std::vector<T> numbers(kSize), reciprocals(kSize), roots(kSize);
    for (int i = 0; i < kSize; ++i)  // in three binades
      numbers[size_t(i)] = std::ldexp(1 + T(i) / kSize, i % 3 == 0 ? 0 : i % 3 == 1 ? -60 : 60);
    invert(numbers.data(), kSize, reciprocals.data(), roots.data());
    constexpr double kUnit = std::numeric_limits<T>::epsilon();
    for (size_t i = 0; i < numbers.size(); ++i) {
      const long double v = numbers[i], r = reciprocals[i], s = roots[i];
      reciprocal = std::max(reciprocal, static_cast<double>(std::abs(r * v - 1)) / kUnit);
      rsqrt = std::max(rsqrt, static_cast<double>(std::abs(s * std::sqrt(v) - 1)) / kUnit);
    }
  }
};

TEST(Words, reciprocals_are_exact_to_about_an_ulp) {
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    const Errors<float> floats([](auto... a) { HWY_DYNAMIC_DISPATCH(invert_floats)(a...); });
    const Errors<double> doubles([](auto... a) { HWY_DYNAMIC_DISPATCH(invert_doubles)(a...); });
    EXPECT_LE(floats.reciprocal, 2);
    EXPECT_LE(floats.rsqrt, 2);
    EXPECT_LE(doubles.reciprocal, 2);
    EXPECT_LE(doubles.rsqrt, 4);  // from an estimate by two Newton steps on AVX-512
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace
}  // namespace bifocal::test
#endif
