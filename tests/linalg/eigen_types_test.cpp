// SPDX-License-Identifier: BSD-3-Clause
// real_eigenpairs on matrix types that break careless eigenvalue code.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "linalg/eigen_run.hpp"
#include "linalg/matrix_types.hpp"
#include "support/long_tests.hpp"

namespace bifocal::test {
namespace {

template <class T>
class EigenTypes : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(EigenTypes, Precisions);

struct Worst {
  double pairs = 0, unit = 0, values = 0;
  int matrices = 0, pairs_seen = 0;
};

// Measures the ratios of one result, and the ratios of all its eigenvalues if that is affordable.
void measure(const Eigen::MatrixXd& A, const Eigenpairs& r, double ulp, Worst* worst) {
  ++worst->matrices;
  worst->pairs_seen += r.count;
  worst->pairs = std::max(worst->pairs, eigen_ratio(A, r.values, r.vectors, ulp));
  worst->unit = std::max(worst->unit, unit_ratio(r.vectors, ulp));
  if (A.rows() > 20) return;
  double imaginary = 0;
  for (const std::complex<double>& l : r.all) {
    imaginary += l.imag();
    if (l.imag() < 0) continue;  // as good as its conjugate
    worst->values = std::max(worst->values, eigenvalue_ratio(A, l, ulp));
  }
  EXPECT_EQ(imaginary, 0) << "not in conjugate pairs";
}

template <class T>
Worst run_type(const MatrixTypeInfo& type, const EigenOptions& options) {
  Worst worst;
  for (const int n : short_or_long<std::vector<int>>(
           {1, 2, 3, 5, 8, 13, 20, 33, 64},
           {1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 31, 32, 64, 100, 127})) {
    std::vector<Eigen::MatrixXd> matrices;
    for (std::uint64_t seed = 1; seed <= short_or_long(n <= 20 ? 9U : 3U, n <= 20 ? 17U : 9U);
         ++seed)
      matrices.push_back(make_matrix<T>(type.type, n, n, seed));
    const std::vector<Eigenpairs> results = run_eigen<T>(matrices, {}, options);
    for (std::size_t b = 0; b < matrices.size(); ++b) {
      EXPECT_EQ(results[b].status, 0) << type.name << " n " << n << " seed " << b + 1;
      EXPECT_TRUE(results[b].rest_is_nan);
      measure(matrices[b], results[b], ulp_of<T>(), &worst);
    }
  }
  return worst;
}

TYPED_TEST(EigenTypes, backward_errors_are_small) {
  std::printf(
      "%-24s %9s %9s   |AV - VL| / (n |A| ulp)  ||v| - 1| / ulp  s_min(A - l) / (n |A| ulp)\n", "",
      "matrices", "pairs");
  for (const MatrixTypeInfo& type : matrix_types_of(true)) {
    const Worst w = run_type<TypeParam>(type, {});
    std::printf("%-24s %9d %9d   %-23.3g  %-15.3g  %.3g\n", type.name, w.matrices, w.pairs_seen,
                w.pairs, w.unit, w.values);
    EXPECT_LT(w.pairs, 100) << type.name;
    EXPECT_LT(w.unit, 40) << type.name;
    EXPECT_LT(w.values, 20) << type.name;
  }
}

}  // namespace
}  // namespace bifocal::test
