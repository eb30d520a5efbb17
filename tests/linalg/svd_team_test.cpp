// SPDX-License-Identifier: BSD-3-Clause
// The SVD by teams of a warp's members (svd_columns.group.h), with the warp simulated on a CPU:
// LAPACK's ratios for every type of matrix, and the CPU's singular values.

#include <cmath>

#include "support/long_tests.hpp"
#include "linalg/lockstep.hpp"
#include "linalg/svd_batches.hpp"

#if defined(__SANITIZE_THREAD__)
#define LOCKSTEP_IS_POSSIBLE 0
#else
#define LOCKSTEP_IS_POSSIBLE 1
#endif

namespace bifocal::test {
namespace {

// The words of lane/cuda_begin.h that the group source of the SVD uses.
template <class Real, int Places, int Rows, int Blocks>
struct svd_source {
  using real = Real;
  using scalar = Real;
  using mask = bool;
  using index = int;
  using offset = long long;
  struct local_pair {
    real x, y;
  };
  static constexpr int SVD_PLACES = Places, SVD_ROWS = Rows, SVD_BLOCKS = Blocks;
#define lane_fn static inline
#define group_fn static inline
#define global_const const
#define global_ptr
#define local_ptr
#define GROUP_PARAM
#define GROUP_ARG
#define lane_unroll
#define lane_keep_loop
  static real lane(double v) { return static_cast<real>(v); }
  static real select(mask m, real a, real b) { return m ? a : b; }
  static real rsqrt(real v) { return 1 / std::sqrt(v); }
  static real reciprocal(real v) { return 1 / v; }
  static real sqrt(real v) { return std::sqrt(v); }
  // Approximations with the largest permitted error.
  static real fast_reciprocal(real v) { return static_cast<real>((1 + 0x1p-20) / v); }
  static real fast_sqrt(real v) { return static_cast<real>(std::sqrt(v) * (1 - 0x1p-20)); }
  static real fabs(real v) { return std::fabs(v); }
  static real fmax(real a, real b) { return std::fmax(a, b); }
  static real copysign(real a, real b) { return std::copysign(a, b); }
  static real reciprocal_power(real v) {
    const int most = sizeof(real) == 4 ? 126 : 1022;
    return std::ldexp(real(1), std::clamp(-std::ilogb(v), -most, most));
  }
  static real lane_largest() { return std::numeric_limits<real>::max(); }
  static real lane_smallest() { return std::numeric_limits<real>::min(); }
  static real lane_epsilon() { return std::numeric_limits<real>::epsilon(); }
  static real lane_nan() { return std::numeric_limits<real>::quiet_NaN(); }
  static int group_member() { return Lockstep::member(); }
  static void group_barrier() { Lockstep::barrier(); }
  static bool group_any(mask m) { return Lockstep::any(m); }
  static real group_shuffle(real v, index from) {
    return static_cast<real>(Lockstep::shuffle(v, from));
  }
  static real group_shuffle_xor(real v, index bits) {
    return static_cast<real>(Lockstep::shuffle(v, Lockstep::member() ^ bits));
  }
#include "linalg/svd/svd_rotation.group.h"
#include "linalg/svd/svd_columns.group.h"
#undef lane_fn
#undef group_fn
#undef global_const
#undef global_ptr
#undef local_ptr
#undef GROUP_PARAM
#undef GROUP_ARG
#undef lane_unroll
#undef lane_keep_loop
};

// Solves a batch warp by warp; results are interleaved.
template <class Functions>
SvdResults<typename Functions::real> run_teams(const Matrices& matrices) {
  using T = typename Functions::real;
  SvdResults<T> out;
  out.count = static_cast<int>(matrices.size());
  out.m = static_cast<int>(matrices[0].rows());
  out.n = static_cast<int>(matrices[0].cols());
  const int n = out.n, k = std::min(out.m, n), team = Functions::SVD_ROWS * Functions::SVD_BLOCKS;
  const int teams = Lockstep::kMembers / team;
  const auto storage = [&](int numbers) {
    return std::vector<T>(static_cast<std::size_t>(numbers) * matrices.size(), T(-77));
  };
  out.s = storage(n), out.v = storage(n * n), out.u = storage(out.m * k);
  out.status.assign(matrices.size(), -77);
  const std::vector<T> A = pack<T>(matrices);
  std::vector<typename Functions::local_pair> shared(
      static_cast<std::size_t>(teams * 6 * Functions::SVD_PLACES));
  for (int first = 0; first < out.count; first += teams) {
    std::fill(shared.begin(), shared.end(), typename Functions::local_pair{T(NAN), T(NAN)});
    Lockstep::run([&] {
      const int i = first + Lockstep::member() / team, b = std::min(i, out.count - 1);
      const typename Functions::svd_input in = {A.data() + b, out.count, out.m, n};
      const typename Functions::svd_output to = {&out.s[0] + b, &out.v[0] + b, &out.u[0] + b,
                                                 out.count};
      const int status = Functions::svd_team(&in, &to, 30, &shared[0].x, i < out.count);
      if (i < out.count) out.status[static_cast<std::size_t>(i)] = status;
    });
  }
  return out;
}

template <class Functions>
void every_type(const char* name, int m, int n) {
  using T = typename Functions::real;
  if (!LOCKSTEP_IS_POSSIBLE) GTEST_SKIP() << "the thread sanitizer knows no stacks but threads'";
  const double ulp = ulp_of<T>();
  const Matrices matrices = all_types<T>(m, n, 11);
  const SvdResults<T> got = run_teams<Functions>(matrices), cpu = run_svd<T>(matrices, false);
  Worst worst;
  for (int b = 0; b < got.count; ++b) {
    const Eigen::MatrixXd& A = matrices[static_cast<std::size_t>(b)];
    Worst one;
    one.matrices = 1;
    one.backward = svd_ratio(A, got.U(b), got.S(b), got.V(b), ulp);
    one.right = right_svd_ratio(A, got.S(b), got.V(b), ulp);
    one.u = orthogonality_ratio(got.U(b), ulp);
    one.v = orthogonality_ratio(got.V(b), ulp);
    one.values = values_ratio(got.S(b), cpu.S(b), ulp);
    EXPECT_LE(std::max({one.backward, one.right, one.u, one.v, one.values}), 10)
        << m << " x " << n << " matrix " << b;
    EXPECT_EQ(got.status[static_cast<std::size_t>(b)], 0) << b;
    EXPECT_TRUE(is_descending(got.S(b))) << b;
    one.failed = testing::Test::HasFailure();
    worst.add(one);
  }
  worst.print(fmt::format("team {}: {}x{} {}", name, m, n, precision_name<T>()));
}

TEST(SvdTeam, IsBackwardStableForEveryTypeFloat) {
  every_type<svd_source<float, 10, 8, 1>>("10 8 1", 9, 9);
  every_type<svd_source<float, 16, 4, 2>>("16 4 2", 15, 16);
  if (is_long()) every_type<svd_source<float, 32, 8, 2>>("32 8 2", 32, 32);
}
TEST(SvdTeam, IsBackwardStableForEveryTypeDouble) {
  every_type<svd_source<double, 10, 16, 1>>("10 16 1", 10, 10);
  every_type<svd_source<double, 20, 8, 2>>("20 8 2", 18, 20);
}

}  // namespace
}  // namespace bifocal::test
