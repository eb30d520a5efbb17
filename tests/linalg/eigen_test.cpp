// SPDX-License-Identifier: BSD-3-Clause
// real_eigenpairs on random matrices: comparison with Eigen, every size, and the promises of
// the API.
#include <gtest/gtest.h>

#include <bifocal/device.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>

#include "linalg/action_matrices.hpp"
#include "linalg/eigen_run.hpp"
#include "support/long_tests.hpp"
#include "support/targets.hpp"

namespace bifocal::test {
namespace {

std::vector<Eigen::MatrixXd> random_matrices(int n, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Eigen::MatrixXd> all(static_cast<std::size_t>(count));
  for (Eigen::MatrixXd& A : all) {
    A = Eigen::MatrixXd::NullaryExpr(n, n,
                                     [&](Eigen::Index, Eigen::Index) { return normal(random); });
  }
  return all;
}

// Eigenvalues of the reference and their conditions 1 / |y' x|, for unit right and left
// eigenvectors x and y.
struct Reference {
  Eigen::VectorXcd values;
  Eigen::VectorXd conditions;
  int reals = 0;
  bool nearly_double = false;  // rounding decides between real and complex
};
Reference reference_of(const Eigen::MatrixXd& A, double ulp) {
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(A);
  const Eigen::MatrixXcd X = solver.eigenvectors(), Y = X.inverse();
  Reference r{solver.eigenvalues(), Eigen::VectorXd(A.rows())};
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    r.conditions[i] = X.col(i).norm() * Y.row(i).norm();
    r.reals += r.values[i].imag() == 0;
    const double reach = 20 * ulp * A.norm() * r.conditions[i];
    for (Eigen::Index j = 0; j < A.rows(); ++j) {
      r.nearly_double |= j != i && std::abs(r.values[i] - r.values[j]) < reach;
    }
  }
  return r;
}

struct Worst {
  double pairs = 0, unit = 0, values = 0, residual = 0;
  int flips = 0, pairs_seen = 0, matrices = 0;
};

template <class T>
void check_against_eigen(const std::vector<Eigen::MatrixXd>& matrices, Worst* worst) {
  const double ulp = ulp_of<T>();
  const std::vector<Eigenpairs> results = run_eigen<T>(matrices);
  for (std::size_t b = 0; b < matrices.size(); ++b) {
    const Eigen::MatrixXd A = rounded<T>(matrices[b]);
    const Eigenpairs& r = results[b];
    ASSERT_EQ(r.status, 0);
    EXPECT_TRUE(r.rest_is_nan);
    const Reference reference = reference_of(A, ulp);
    ++worst->matrices;
    worst->pairs_seen += r.count;
    if (r.count != reference.reals) {
      EXPECT_TRUE(reference.nearly_double) << "n " << A.rows() << " matrix " << b;
      ++worst->flips;
    }
    worst->pairs = std::max(worst->pairs, eigen_ratio(A, r.values, r.vectors, ulp));
    worst->unit = std::max(worst->unit, unit_ratio(r.vectors, ulp));
    worst->residual = std::max(worst->residual, r.residual / ulp);
    worst->values = std::max(
        worst->values, match_ratio(r.all, reference.values, reference.conditions, ulp * A.norm()));
  }
}

void print(const char* what, const Worst& w) {
  std::printf(
      "%-22s %6d matrices, %.2f real pairs each; worst |AV - VL| / (n |A| ulp) %.2f, residual "
      "%.1f ulp, | |v| - 1 | %.1f ulp, values %.1f ulp |A| cond; real <-> complex %d\n",
      what, w.matrices, static_cast<double>(w.pairs_seen) / w.matrices, w.pairs, w.residual, w.unit,
      w.values, w.flips);
}

template <class T>
class RealEigenpairs : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(RealEigenpairs, Precisions);

TYPED_TEST(RealEigenpairs, agree_with_eigen) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  const int step = 9;  // takes over ten minutes otherwise
#else
  const int step = short_or_long(9, 3);  // with 3 every remainder of the number of lanes occurs
#endif
  Worst small, large;
  for (int n = 1; n <= 127; n += n < 40 ? 1 : step) {
    check_against_eigen<TypeParam>(random_matrices(n,
                                                   n <= 20   ? 300
                                                   : n <= 40 ? 40
                                                             : 17,
                                                   1),
                                   n <= 20 ? &small : &large);
  }
  print("n = 1 .. 20", small);
  print("n = 21 .. 127", large);
  EXPECT_LT(std::max(small.pairs, large.pairs), 50);
  EXPECT_LT(std::max(small.unit, large.unit), 20);
  EXPECT_LT(std::max(small.values, large.values), 100);
}

TYPED_TEST(RealEigenpairs, solve_hundred_thousand_matrices_of_size_ten) {
  const double ulp = ulp_of<TypeParam>();
  const int count = 100000;
  const std::vector<Eigen::MatrixXd> matrices = random_matrices(10, count, 2);
  const EigenArrays<TypeParam> a = run_raw<TypeParam>(matrices);
  double worst = 0;
  long reals = 0;
  int failed = 0, above = 0;
  for (int b = 0; b < count; ++b) {
    const auto i = static_cast<std::size_t>(b);
    failed += a.status[i] != 0;
    reals += a.counts[i];
    const double r = static_cast<double>(a.residuals[i]) / ulp;
    worst = std::max(worst, r);
    above += !(r < 100);
  }
  std::printf(
      "%.3f real pairs a matrix; residual: worst %.1f ulp, above 100 ulp: %d; not "
      "converged: %d\n",
      static_cast<double>(reals) / count, worst, above, failed);
  EXPECT_EQ(failed, 0);
  EXPECT_LT(above, count / 1000);
  EXPECT_LT(worst, 1000);
  // The mean number of real eigenvalues of random matrices (A. Edelman, E. Kostlan, M. Shub, How
  // many eigenvalues of a random matrix are real?, 1994) is 2.928 for n = 10; the standard
  // deviation is 1.4.
  EXPECT_NEAR(static_cast<double>(reals) / count, 2.928, 0.02);
}

// Five-point problems are the main application.
TYPED_TEST(RealEigenpairs, solve_action_matrices) {
  Worst worst;
  std::vector<Eigen::MatrixXd> matrices;
  for (const ActionMatrix& m : action_matrices(5000)) matrices.emplace_back(m.A);
  check_against_eigen<TypeParam>(matrices, &worst);
  print("action matrices", worst);
  EXPECT_LT(worst.pairs, 50);
  EXPECT_LT(worst.unit, 10);
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// A matrix's results have the same bits alone, at any place of any batch and layout, and on any
// number of threads.
TYPED_TEST(RealEigenpairs, do_not_depend_on_neighbours_layouts_and_threads) {
  using T = TypeParam;
  for (const int n : {1, 2, 3, 4, 7, 8, 10, 24, 33}) {
    std::vector<Eigen::MatrixXd> matrices = random_matrices(n, 150, 3);
    matrices[5] *= 1e30;                          // another scale,
    matrices[6].setZero();                        // zero,
    matrices[7] = Eigen::MatrixXd::Ones(n, n);    // derogatory,
    if (n > 2) matrices[9].row(n - 1).setZero();  // splits
    matrices[11](0, 0) = std::nan("");
    if (n > 1) matrices[13](1, 0) = std::numeric_limits<double>::infinity();
    const EigenArrays<T> whole = run_raw<T>(matrices);
    const auto expect_same = [&](const EigenArrays<T>& got, const Layout& layout, int from,
                                 int count) {
      const Layout o = layout.of_outputs();
      for (int b = 0; b < count; ++b) {
        const auto one = [&](const std::vector<T>& all, const std::vector<T>& other, int size) {
          for (int e = 0; e < size; ++e) {
            const T u = all[Layout{}.at(150, size, from + b, e)],
                    v = other[o.at(count, size, b, e)];
            ASSERT_EQ(std::memcmp(&u, &v, sizeof u), 0)
                << "n " << n << " matrix " << from + b << " element " << e << ": " << u << " " << v;
          }
        };
        one(whole.values, got.values, n);
        one(whole.vectors, got.vectors, n * n);
        one(whole.re, got.re, n);
        one(whole.im, got.im, n);
        one(whole.residuals, got.residuals, 1);
        ASSERT_EQ(whole.counts[static_cast<std::size_t>(from + b)],
                  got.counts[static_cast<std::size_t>(b)]);
        ASSERT_EQ(whole.status[static_cast<std::size_t>(from + b)],
                  got.status[static_cast<std::size_t>(b)]);
      }
    };
    for (const auto& [from, count] : {std::pair{0, 1}, {3, 17}, {1, 149}, {11, 1}}) {
      const std::vector<Eigen::MatrixXd> part(matrices.begin() + from,
                                              matrices.begin() + from + count);
      for (const Layout& layout :
           {Layout{}, Layout{MatrixLayout::interleaved, count + 5},
            Layout{MatrixLayout::strided, 0}, Layout{MatrixLayout::strided, n * n + 3}}) {
        const EigenArrays<T> got = run_raw<T>(part, layout);
        expect_same(got, layout, from, count);
      }
    }
    {
      const ThreadLimit limit(1);
      expect_same(run_raw<T>(matrices), {}, 0, 150);
    }
    EXPECT_EQ(whole.status[11], 2);
    EXPECT_EQ(whole.counts[11], 0);
    EXPECT_TRUE(std::isnan(whole.residuals[11]));
    EXPECT_EQ(whole.status[5], 0);
    EXPECT_EQ(whole.status[10], 0);
    EXPECT_EQ(whole.status[12], 0);
  }
}

// A matrix that runs out of sweeps has the status and no results; the remaining matrices are
// not affected.
TYPED_TEST(RealEigenpairs, report_unconverged_matrices) {
  using T = TypeParam;
  std::vector<Eigen::MatrixXd> matrices = random_matrices(10, 64, 4);
  for (std::size_t b = 0; b < 64; b += 2) {  // these need no sweep
    matrices[b] = Eigen::MatrixXd(matrices[b].triangularView<Eigen::Upper>());
  }
  const std::vector<Eigenpairs> full = run_eigen<T>(matrices);
  const std::vector<Eigenpairs> few = run_eigen<T>(matrices, {}, {.max_sweeps_per_value = 1});
  for (std::size_t b = 0; b < 64; ++b) {
    EXPECT_EQ(full[b].status, 0);
    if (b % 2 == 0) {
      EXPECT_EQ(few[b].status, 0) << b;
      EXPECT_EQ(few[b].count, 10);
      EXPECT_EQ(few[b].values, full[b].values);
      EXPECT_EQ(few[b].vectors, full[b].vectors);
    } else {
      EXPECT_EQ(few[b].status, 1) << b;
      EXPECT_EQ(few[b].count, 0);
      EXPECT_TRUE(few[b].rest_is_nan);
      EXPECT_TRUE(std::isnan(few[b].residual));
      EXPECT_TRUE(few[b].all.real().array().isNaN().all());
    }
  }
}

TYPED_TEST(RealEigenpairs, agree_on_every_simd_target) {
  using T = TypeParam;
  for_each_target([&](const std::string& target) {
    Worst worst;
    for (const int n : {1, 2, 3, 4, 9, 10, 16, 25})
      check_against_eigen<T>(random_matrices(n, 100, 5), &worst);
    print(target.c_str(), worst);
    EXPECT_LT(worst.pairs, 50) << target;
    EXPECT_LT(worst.unit, 10) << target;
    EXPECT_LT(worst.values, 100) << target;
  });
}

TYPED_TEST(RealEigenpairs, outputs_are_optional_and_empty_batches_fine) {
  using T = TypeParam;
  EXPECT_TRUE(run_raw<T>({}).values.empty());
  const std::vector<Eigen::MatrixXd> matrices = random_matrices(6, 20, 6);
  const EigenArrays<T> full = run_raw<T>(matrices);
  const std::vector<T> in = pack<T>(matrices);
  std::vector<T> values(full.values.size());
  std::vector<int> counts(20);
  Queue queue;
  EigenOutput<T> out;
  out.values = values.data();
  out.counts = counts.data();
  real_eigenpairs<T>(queue, {in.data(), 6, 6, 20}, out);
  EXPECT_EQ(counts, full.counts);
  EXPECT_TRUE(same_bits(values, full.values));
}

std::string usage_message(const MatrixBatch<double>& A, const EigenOutput<double>& out,
                          const EigenOptions& options = {}) {
  Queue queue;
  try {
    real_eigenpairs<double>(queue, A, out, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "";
}

TEST(RealEigenpairsArguments, misuse_is_named) {
  std::vector<double> numbers(128 * 128);
  std::vector<int> counts(8);
  EigenOutput<double> out;
  out.values = numbers.data();
  out.counts = counts.data();
  const double* A = numbers.data();
  EXPECT_NE(usage_message({A, 3, 4, 1}, out).find("3 x 4"), std::string::npos);
  EXPECT_NE(usage_message({A, 128, 128, 1}, out).find("A.rows is 128"), std::string::npos);
  EXPECT_NE(usage_message({A, 0, 0, 1}, out).find("A.rows is 0"), std::string::npos);
  EXPECT_NE(usage_message({A, 2, 2, -1}, out).find("A.count is -1"), std::string::npos);
  EXPECT_NE(usage_message({A, 2, 2, 4, MatrixLayout::interleaved, 3}, out).find("stride is 3"),
            std::string::npos);
  EXPECT_NE(usage_message({A, 2, 2, 4, MatrixLayout::strided, 3}, out).find("stride is 3"),
            std::string::npos);
  EXPECT_NE(usage_message({nullptr, 2, 2, 1}, out).find("A.data is null"), std::string::npos);
  EigenOutput<double> only_values;
  only_values.values = numbers.data();
  EXPECT_NE(usage_message({A, 2, 2, 1}, only_values).find("counts is null"), std::string::npos);
  EXPECT_NE(usage_message({A, 2, 2, 1}, out, {.max_sweeps_per_value = 0})
                .find("max_sweeps_per_value = 0: must be at least 1"),
            std::string::npos);
  const Buffer<double> small(Device(), 7);
  EXPECT_NE(usage_message({small, 2, 2, 2}, out).find("A.data holds 7 numbers, expected 8"),
            std::string::npos);
  EXPECT_EQ(usage_message({nullptr, 2, 2, 0}, {}), "");  // an empty batch
}

}  // namespace
}  // namespace bifocal::test
