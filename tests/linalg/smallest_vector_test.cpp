// SPDX-License-Identifier: BSD-3-Clause
// smallest_singular_vector(): |A x| is the smallest singular value, over all matrix types.
#include "linalg/svd_batches.hpp"

namespace bifocal::test {
namespace {

template <class T>
struct Vectors {
  int count = 0, n = 0;
  Layout layout;
  std::vector<T> x;
  std::vector<int> status;
  [[nodiscard]] Eigen::VectorXd operator[](int b) const {
    return unpack(x, count, b, n, 1, layout);
  }
};

template <class T>
Vectors<T> run(const Matrices& matrices, const Layout& layout = {}) {
  Vectors<T> out;
  out.count = static_cast<int>(matrices.size());
  out.n = static_cast<int>(matrices[0].cols());
  out.layout = layout.of_outputs();
  const std::vector<T> data = pack<T>(matrices, layout, T(7));
  out.x.assign(out.layout.extent(out.count, out.n), T(-77));
  out.status.assign(matrices.size(), -77);
  Queue queue;
  smallest_singular_vector<T>(queue,
                              {data.data(), static_cast<int>(matrices[0].rows()), out.n, out.count,
                               layout.kind, layout.stride},
                              out.x.data(), out.status.data());
  return out;
}

template <class T>
double worst_ratio(int m, int n, std::uint64_t seed) {
  const Matrices matrices = all_types<T>(m, n, seed);
  const Vectors<T> got = run<T>(matrices);
  double worst = 0;
  for (int b = 0; b < got.count; ++b) {
    const double ratio =
        smallest_vector_ratio(matrices[static_cast<std::size_t>(b)], got[b], ulp_of<T>());
    EXPECT_LE(ratio, 10) << precision_name<T>() << ' ' << m << " x " << n << " matrix " << b;
    EXPECT_EQ(got.status[static_cast<std::size_t>(b)], 0);
    worst = std::max(worst, ratio);
  }
  return worst;
}

template <class T>
void every_size() {
  double worst = 0;
  for (const int n : {1, 2, 3, 4, 5, 8, 9, 12, 16, 20, 32}) {
    for (const int m : {1, n - 1, n, n + 1, 2 * n, 100}) {
      if (m > 0) worst = std::max(worst, worst_ratio<T>(m, n, 1));
    }
  }
  fmt::print("smallest vector, {}: worst ratio {:.2f}\n", precision_name<T>(), worst);
}
TEST(SmallestVector, IsTheSmallestFloat) { every_size<float>(); }
TEST(SmallestVector, IsTheSmallestDouble) { every_size<double>(); }

TEST(SmallestVector, IsTheSmallestOnEveryTarget) {
  for_each_target([](const std::string& target) {
    double worst = 0;
    for (const int n : {2, 3, 9, 17}) {
      for (const int m : {n - 1, n, 2 * n})
        worst = std::max({worst, worst_ratio<float>(m, n, 2), worst_ratio<double>(m, n, 2)});
    }
    fmt::print("smallest vector on {}: worst ratio {:.2f}\n", target, worst);
  });
}

// Tests the vector itself on well-determined cases: DLT-like matrices with one small
// singular value.
TEST(SmallestVector, IsTheVectorOfEigen) {
  for (const double noise : {0.0, 1e-6, 1e-2}) {
    Matrices matrices;
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    for (int b = 0; b < 40; ++b) {
      Eigen::MatrixXd A = random_matrices<double>(1, 20, 9, static_cast<std::uint64_t>(b))[0];
      const Eigen::VectorXd x = Eigen::VectorXd::NullaryExpr(9, [&] { return normal(random); });
      A -= A * x * x.transpose() / x.squaredNorm();
      for (double& a : A.reshaped()) a += noise * normal(random);
      matrices.push_back(A);
    }
    const Vectors<double> got = run<double>(matrices);
    for (int b = 0; b < 40; ++b) {
      const Eigen::JacobiSVD<Eigen::MatrixXd> svd(matrices[static_cast<std::size_t>(b)],
                                                  Eigen::ComputeFullV);
      EXPECT_GT(std::abs(got[b].dot(svd.matrixV().col(8))), 1 - 1e-13) << noise << ' ' << b;
    }
  }
}

TEST(SmallestVector, SameInEveryLayoutAndPosition) {
  const Matrices matrices = random_matrices<float>(37, 12, 9, 9);
  const Vectors<float> whole = run<float>(matrices);
  for (const Layout& layout :
       {Layout{MatrixLayout::interleaved, 50}, Layout{MatrixLayout::strided, 120}}) {
    const Vectors<float> other = run<float>(matrices, layout);
    for (int b = 0; b < 37; ++b) EXPECT_EQ(whole[b], other[b]);
  }
  const Vectors<float> last = run<float>({matrices.end() - 3, matrices.end()});
  for (int b = 0; b < 3; ++b) EXPECT_EQ(whole[34 + b], last[b]);
}

TEST(SmallestVector, NonFiniteMatricesAffectNoNeighbours) {
  Matrices matrices = random_matrices<double>(9, 12, 9, 9);
  const Vectors<double> clean = run<double>(matrices);
  matrices[4](3, 3) = std::nan("");
  const Vectors<double> got = run<double>(matrices);
  for (int b = 0; b < 9; ++b) {
    if (b == 4) {
      EXPECT_TRUE(got[b].array().isNaN().all());
      EXPECT_EQ(got.status[4], int(LinalgStatus::not_finite));
    } else {
      EXPECT_EQ(clean[b], got[b]);
    }
  }
}

}  // namespace
}  // namespace bifocal::test
