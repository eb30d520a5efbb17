// SPDX-License-Identifier: BSD-3-Clause
// svd() over LAPACK's matrix types: backward error and orthogonality in units of the last place,
// and singular values compared with plain code in long double.
#include "linalg/svd_batches.hpp"

#include "support/long_tests.hpp"

namespace bifocal::test {
namespace {

// Returns the singular values of any m x n matrix in descending order by plain one-sided Jacobi
// rotations. The relative accuracy is high if the matrix is well conditioned up to column scaling.
Eigen::VectorXd plain_singular_values(const Eigen::MatrixXd& A) {
  const Wide scale = scale_of(A);
  WideMatrix W = A.cast<Wide>() * scale;
  bool rotated = true;
  for (int sweep = 0; sweep < 60 && rotated; ++sweep) {
    rotated = false;
    for (Eigen::Index p = 0; p + 1 < W.cols(); ++p) {
      for (Eigen::Index q = p + 1; q < W.cols(); ++q) {
        const Wide a = W.col(p).squaredNorm(), b = W.col(q).squaredNorm(),
                   c = W.col(p).dot(W.col(q));
        if (!(std::abs(c) > 1e-18L * std::sqrt(a) * std::sqrt(b))) continue;
        rotated = true;
        const Wide angle = std::atan2(2 * c, a - b) / 2;
        const WideVector x = W.col(p), y = W.col(q);
        W.col(p) = std::cos(angle) * x + std::sin(angle) * y;
        W.col(q) = std::cos(angle) * y - std::sin(angle) * x;
      }
    }
  }
  Eigen::VectorXd S(W.cols());
  for (Eigen::Index j = 0; j < W.cols(); ++j) S[j] = static_cast<double>(W.col(j).norm() / scale);
  std::sort(S.begin(), S.end(), std::greater<>());
  if (A.rows() < A.cols()) S.tail(A.cols() - A.rows()).setZero();
  return S;
}

std::vector<int> rows_for(int n) {
  std::vector<int> rows = {1, n - 1, n, n + 1, 2 * n, 64, 200};
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  std::erase(rows, 0);
  return rows;
}

template <class T>
Worst judge(const Matrices& matrices, const SvdResults<T>& with_u, const SvdResults<T>& without) {
  const double ulp = ulp_of<T>();
  Worst worst;
  for (int b = 0; b < with_u.count; ++b) {
    const Eigen::MatrixXd& A = matrices[static_cast<std::size_t>(b)];
    const Eigen::MatrixXd U = with_u.U(b), V = with_u.V(b);
    const Eigen::VectorXd S = with_u.S(b);
    Worst one;
    one.matrices = 1;
    one.backward = svd_ratio(A, U, S, V, ulp);
    one.right = right_svd_ratio(A, without.S(b), without.V(b), ulp);
    one.v = std::max(orthogonality_ratio(V, ulp), orthogonality_ratio(without.V(b), ulp));
    one.u = orthogonality_ratio(U, ulp);
    one.failed = !is_descending(S) || !is_descending(without.S(b)) ||
                 with_u.status[static_cast<std::size_t>(b)] != 0 ||
                 without.status[static_cast<std::size_t>(b)] != 0;
    if (one.failed || std::max({one.backward, one.right, one.v, one.u}) > 10) {
      one.failed = 1;
      ADD_FAILURE() << fmt::format(
          "{} {}x{} matrix {}: {:.3g} {:.3g} {:.3g} {:.3g}, status {} {}", precision_name<T>(),
          A.rows(), A.cols(), b, one.backward, one.right, one.v, one.u,
          with_u.status[static_cast<std::size_t>(b)], without.status[static_cast<std::size_t>(b)]);
    }
    worst.add(one);
  }
  return worst;
}

template <class T>
Worst try_shape(int m, int n, std::uint64_t seed) {
  const Matrices matrices = all_types<T>(m, n, seed);
  return judge(matrices, run_svd<T>(matrices, true), run_svd<T>(matrices, false));
}

template <class T>
void every_size() {
  Worst worst;
  for (int n = 1; n <= 32; n += short_or_long(3, 1)) {
    for (const int m : rows_for(n)) worst.add(try_shape<T>(m, n, 1));
  }
  worst.print(fmt::format("svd {}, n 1..32", precision_name<T>()));
}
TEST(Svd, IsBackwardStableForEveryTypeAndSizeFloat) { every_size<float>(); }
TEST(Svd, IsBackwardStableForEveryTypeAndSizeDouble) { every_size<double>(); }

TEST(Svd, IsBackwardStableOnEveryTarget) {
  for_each_target([](const std::string& target) {
    Worst worst;
    for (const int n : {1, 2, 3, 5, 8, 9, 16, 32}) {
      for (const int m : {1, n, n + 1, 40}) {
        worst.add(try_shape<float>(m, n, 2));
        worst.add(try_shape<double>(m, n, 2));
      }
    }
    worst.print("svd " + target);
  });
}

TEST(Svd, TallestIsBackwardStable) {
  Worst worst;
  for (const int n : short_or_long<std::vector<int>>({9}, {9, 32})) {
    worst.add(try_shape<float>(1024, n, 3));
    worst.add(try_shape<double>(1024, n, 3));
  }
  worst.print("svd of 1024 rows");
}

template <class T>
void values_agree() {
  Worst worst;
  for (const int n : {1, 2, 3, 4, 9, 16}) {
    for (const int m : {1, n, n + 3, 2 * n}) {
      const Matrices matrices = all_types<T>(m, n, 4);
      const SvdResults<T> got = run_svd<T>(matrices, false);
      for (int b = 0; b < got.count; ++b) {
        Worst one;
        one.matrices = 1;
        one.values = values_ratio(
            got.S(b), plain_singular_values(matrices[static_cast<std::size_t>(b)]), ulp_of<T>());
        one.failed = one.values > 5;
        EXPECT_LE(one.values, 5) << m << " x " << n << " matrix " << b;
        worst.add(one);
      }
    }
  }
  worst.print(fmt::format("singular values {}", precision_name<T>()));
}
TEST(Svd, ValuesEqualPlainCodeFloat) { values_agree<float>(); }
TEST(Svd, ValuesEqualPlainCodeDouble) { values_agree<double>(); }

// Well-conditioned matrices with columns of length 1 .. 1e-12, in any order: even the smallest
// singular value has all its digits.
template <class T>
void small_values_keep_their_digits() {
  double worst = 0;
  for (const int n : {2, 3, 5, 9, 16, 32}) {
    for (const int m : {n, n + 1, 3 * n}) {
      Matrices matrices = random_matrices<T>(20, m, n, 5);
      std::mt19937_64 random(6);
      for (Eigen::MatrixXd& A : matrices) {
        const Eigen::MatrixXd Q = Eigen::HouseholderQR<Eigen::MatrixXd>(A).householderQ() *
                                  Eigen::MatrixXd::Identity(m, n);
        std::vector<double> scales;
        for (int j = 0; j < n; ++j) scales.push_back(std::pow(1e-12, j / (n - 1.0)));
        std::shuffle(scales.begin(), scales.end(), random);
        A = (Q + 0.05 * A) * Eigen::Map<Eigen::VectorXd>(scales.data(), n).asDiagonal();
        A = rounded<T>(A);
      }
      const SvdResults<T> got = run_svd<T>(matrices, false);
      for (int b = 0; b < got.count; ++b) {
        const Eigen::VectorXd truth = plain_singular_values(matrices[static_cast<std::size_t>(b)]);
        const double error =
            ((got.S(b) - truth).array() / truth.array()).abs().maxCoeff() / (n * ulp_of<T>());
        EXPECT_LE(error, 10) << m << " x " << n << " matrix " << b;
        worst = std::max(worst, error);
      }
    }
  }
  fmt::print("{}: largest relative error of a value, columns of 1 .. 1e-12: {:.2f} n ulp\n",
             precision_name<T>(), worst);
}
TEST(Svd, SmallValuesKeepTheirDigitsFloat) { small_values_keep_their_digits<float>(); }
TEST(Svd, SmallValuesKeepTheirDigitsDouble) { small_values_keep_their_digits<double>(); }

// Matrices with given condition numbers, and matrices at the limits of the precision: the largest
// with a finite singular value, and matrices of denormal numbers only.
template <class T>
void conditions_and_ranges() {
  using Limits = std::numeric_limits<T>;
  Worst worst;
  for (const int n : {2, 4, 9, 20}) {
    Matrices matrices;
    for (int power = 2; power <= 15; ++power) {
      // Eigen's singular value decompositions take a compiler half a minute; QR does not.
      const auto orthogonal = [&](std::uint64_t seed) -> Eigen::MatrixXd {
        const Eigen::MatrixXd G = random_matrices<T>(1, n, n, seed)[0];
        return Eigen::HouseholderQR<Eigen::MatrixXd>(G).householderQ() *
               Eigen::MatrixXd::Identity(n, n);
      };
      Eigen::VectorXd s(n);
      for (int i = 0; i < n; ++i) s[i] = std::pow(10.0, -power * i / (n - 1.0));
      matrices.push_back(orthogonal(7) * s.asDiagonal() * orthogonal(8).transpose());
    }
    const Eigen::MatrixXd G = matrices[0] / matrices[0].norm();
    matrices.push_back(G * (0.9 * Limits::max()));
    matrices.push_back(G * (double(Limits::min()) * 0.9));
    matrices.push_back(G * (double(Limits::denorm_min()) * 1000));
    matrices.push_back(Eigen::MatrixXd::Constant(n, n, Limits::denorm_min()));
    for (Eigen::MatrixXd& A : matrices) A = rounded<T>(A);
    const auto with_u = run_svd<T>(matrices, true), without = run_svd<T>(matrices, false);
    // A denormal value has a rounding error of its size, so denormal matrices are judged with
    // absolute errors.
    const auto denormal = static_cast<int>(matrices.size()) - 3;
    Matrices normal(matrices.begin(), matrices.begin() + denormal);
    worst.add(judge(normal, run_svd<T>(normal, true), run_svd<T>(normal, false)));
    for (int b = denormal; b < with_u.count; ++b) {
      const Eigen::MatrixXd& A = matrices[static_cast<std::size_t>(b)];
      const Eigen::MatrixXd product =
          with_u.U(b) * with_u.S(b).asDiagonal() * with_u.V(b).transpose();
      EXPECT_LE((A - product).cwiseAbs().maxCoeff(),
                n * (double(Limits::denorm_min()) + ulp_of<T>() * A.cwiseAbs().maxCoeff()));
      EXPECT_LE(orthogonality_ratio(with_u.V(b), ulp_of<T>()), 10);
      EXPECT_LE(orthogonality_ratio(with_u.U(b), ulp_of<T>()), 10);
    }
  }
  worst.print(fmt::format("svd {}, cond 1e2 .. 1e15, ends of range", precision_name<T>()));
}
TEST(Svd, ConditionsAndRangesFloat) { conditions_and_ranges<float>(); }
TEST(Svd, ConditionsAndRangesDouble) { conditions_and_ranges<double>(); }

}  // namespace
}  // namespace bifocal::test
