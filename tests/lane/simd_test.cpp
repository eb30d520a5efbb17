// SPDX-License-Identifier: BSD-3-Clause
// One lane file, compiled as double, float and SIMD for every target, gives the same values. Also the model of a file that is
// compiled once for every target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lane/simd_test.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <cmath>
#include <random>
#include <vector>

#include "lane/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal {
namespace HWY_NAMESPACE {

template <class Real>
struct epipolar {
#include "lane/cpp_begin.h"
#include "math/math.lanes"
#include "lane/cpp_end.h"
};

// points [4][n], n a multiple of the register's width.
void sampson_batch(const float* F, const float* points, int n, float* out) {
  using L = epipolar<simd<float>>;
  L::real f[9];
  for (int i = 0; i < 9; ++i) f[i] = L::lane(F[i]);
  for (int i = 0; i < n; i += L::group_width) {
    const L::real e = L::sampson_squared(f, L::group_load(points, i), L::group_load(points + n, i),
                                         L::group_load(points + 2 * n, i), L::group_load(points + 3 * n, i));
    L::lane_ops::store(e, out + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include "support/targets.hpp"

namespace bifocal {
HWY_EXPORT(sampson_batch);

template <class Real>
struct epipolar {
#include "lane/cpp_begin.h"
#include "math/math.lanes"
#include "lane/cpp_end.h"
};

namespace {

TEST(Lane, sampson_is_the_same_on_scalars_and_every_simd_target) {
  constexpr int n = 1024;
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> F(9), points(4 * n), out(n);
  for (float& v : F) v = normal(random);
  for (float& v : points) v = normal(random);
  test::for_each_target([&](const std::string& target) {
    HWY_DYNAMIC_DISPATCH(sampson_batch)(F.data(), points.data(), n, out.data());
    for (int i = 0; i < n; ++i) {
      double Fd[9];
      for (int k = 0; k < 9; ++k) Fd[k] = F[k];
      const double e = epipolar<double>::sampson_squared(Fd, points[i], points[n + i], points[2 * n + i],
                                                         points[3 * n + i]);
      ASSERT_NEAR(out[i], e, 1e-4 * (1 + e)) << target << " point " << i;
    }
  });
}

}  // namespace
}  // namespace bifocal
#endif
