// SPDX-License-Identifier: BSD-3-Clause
// svd() in batches: layouts, sizes, threads, neighbours that are not finite or do not converge, and
// refused arguments.
#include <bifocal/error.hpp>
#include <bifocal/device.hpp>
#include <cstring>

#include "linalg/svd_batches.hpp"

namespace bifocal::test {
namespace {

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}
bool same_bits(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}
template <class T>
bool same_bits(const SvdResults<T>& a, int i, const SvdResults<T>& b, int j) {
  return same_bits(a.S(i), b.S(j)) && same_bits(a.V(i), b.V(j)) &&
         (a.u.empty() || same_bits(a.U(i), b.U(j))) &&
         a.status[static_cast<std::size_t>(i)] == b.status[static_cast<std::size_t>(j)];
}

// Random, rank-deficient, zero and diagonal matrices, so that lanes need different numbers of
// sweeps and different work.
template <class T>
Matrices mixed(int count, int m, int n) {
  Matrices all;
  for (std::uint64_t seed = 1; static_cast<int>(all.size()) < count; ++seed) {
    for (const Eigen::MatrixXd& A : all_types<T>(m, n, seed)) all.push_back(A);
  }
  all.resize(static_cast<std::size_t>(count));
  return all;
}

template <class T>
void layouts_and_positions() {
  for (const auto& [m, n] : {std::pair(9, 9), std::pair(8, 9), std::pair(40, 4), std::pair(3, 3)}) {
    const int size = m * n;
    for (const bool with_u : {true, false}) {
      const Matrices matrices = mixed<T>(61, m, n);
      const SvdResults<T> whole = run_svd<T>(matrices, with_u);
      for (const Layout& layout :
           {Layout{MatrixLayout::interleaved, 61}, Layout{MatrixLayout::interleaved, 70},
            Layout{MatrixLayout::strided, 0}, Layout{MatrixLayout::strided, size + 5}}) {
        const SvdResults<T> other = run_svd<T>(matrices, with_u, layout);
        for (int b = 0; b < 61; ++b) ASSERT_TRUE(same_bits(whole, b, other, b)) << b;
      }
      for (const int count : {1, 2, 7, 15, 16, 17, 33}) {
        const int first = 61 - count;
        const SvdResults<T> some = run_svd<T>({matrices.begin() + first, matrices.end()}, with_u);
        for (int b = 0; b < count; ++b)
          ASSERT_TRUE(same_bits(some, b, whole, first + b)) << m << " x " << n << ": " << b;
      }
    }
  }
}
TEST(SvdBatch, SameBitsInEveryLayoutPositionAndSizeFloat) { layouts_and_positions<float>(); }
TEST(SvdBatch, SameBitsInEveryLayoutPositionAndSizeDouble) { layouts_and_positions<double>(); }

TEST(SvdBatch, SameBitsForAnyNumberOfThreads) {
  const Matrices matrices = mixed<float>(1500, 9, 9);
  const SvdResults<float> all = run_svd<float>(matrices, true);
  const ThreadLimit limit(1);
  const SvdResults<float> alone = run_svd<float>(matrices, true);
  EXPECT_TRUE(same_bits(all.s, alone.s) && same_bits(all.v, alone.v) && same_bits(all.u, alone.u));
  EXPECT_EQ(all.status, alone.status);
}

TEST(SvdBatch, GapsAreNotTouched) {
  const Matrices matrices = mixed<double>(5, 6, 4);
  const Layout layout{MatrixLayout::interleaved, 11};
  const SvdResults<double> got = run_svd<double>(matrices, true, layout);
  for (const auto* values : {&got.s, &got.v, &got.u}) {
    for (std::size_t i = 0; i < values->size(); ++i)
      EXPECT_EQ((*values)[i] == -77, i % 11 >= 5) << i;
  }
}

template <class T>
void not_finite() {
  using Limits = std::numeric_limits<T>;
  for (const auto& [m, n] : {std::pair(9, 9), std::pair(8, 9), std::pair(100, 5)}) {
    Matrices matrices = random_matrices<T>(23, m, n, 1);
    const SvdResults<T> clean = run_svd<T>(matrices, true);
    matrices[3](m - 1, n - 1) = Limits::quiet_NaN();
    matrices[4](0, 0) = Limits::infinity();
    matrices[22](m / 2, 0) = -Limits::infinity();
    matrices[22](0, n / 2) = Limits::infinity();
    const SvdResults<T> got = run_svd<T>(matrices, true);
    for (int b = 0; b < 23; ++b) {
      if (b == 3 || b == 4 || b == 22) {
        EXPECT_EQ(got.status[static_cast<std::size_t>(b)], int(LinalgStatus::not_finite));
        EXPECT_TRUE(got.S(b).array().isNaN().all() && got.V(b).array().isNaN().all() &&
                    got.U(b).array().isNaN().all());
      } else {
        EXPECT_TRUE(same_bits(clean, b, got, b)) << b;
      }
    }
  }
}
TEST(SvdBatch, NonFiniteMatricesAffectNoNeighboursFloat) { not_finite<float>(); }
TEST(SvdBatch, NonFiniteMatricesAffectNoNeighboursDouble) { not_finite<double>(); }

TEST(SvdBatch, TooFewSweepsAreReported) {
  Matrices matrices = random_matrices<double>(20, 9, 9, 1);
  matrices[7] = Eigen::VectorXd::LinSpaced(9, 1, 9).asDiagonal();
  const SvdResults<double> got = run_svd<double>(matrices, true, {}, {.max_sweeps = 1});
  const SvdResults<double> full = run_svd<double>(matrices, true);
  for (int b = 0; b < 20; ++b) {
    const auto status = static_cast<LinalgStatus>(got.status[static_cast<std::size_t>(b)]);
    if (b == 7) {
      EXPECT_TRUE(same_bits(got, b, full, b));  // a diagonal matrix needs no sweep
    } else {
      EXPECT_EQ(status, LinalgStatus::not_converged) << b;
      EXPECT_LE(svd_ratio(matrices[static_cast<std::size_t>(b)], got.U(b), got.S(b), got.V(b),
                          ulp_of<double>()),
                10);
    }
  }
}

// Runs svd with changed arguments and returns the message of its error, or "".
template <class Change>
std::string error_of(Change change) {
  std::vector<float> data(9 * 4), S(3 * 4), V(9 * 4), U(9 * 4);
  std::vector<int> status(4);
  MatrixBatch<float> A{data.data(), 3, 3, 4};
  SvdOutput<float> out{S.data(), V.data(), U.data(), status.data()};
  SvdOptions options;
  change(A, out, options);
  try {
    Queue queue;
    svd<float>(queue, A, out, options);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage);
    return e.what();
  }
  return "";
}

TEST(SvdBatch, RefusesArgumentsByName) {
  using Batch = MatrixBatch<float>;
  using Out = SvdOutput<float>;
  const auto expect = [](const std::string& part, auto change) {
    const std::string message = error_of(change);
    EXPECT_NE(message.find(part), std::string::npos) << part << " | " << message;
  };
  EXPECT_EQ(error_of([](Batch&, Out&, SvdOptions&) {}), "");
  EXPECT_EQ(error_of([](Batch& A, Out& out, SvdOptions&) { A.count = 0, A.data = {}, out = {}; }),
            "");
  expect("svd: rows = 0", [](Batch& A, Out&, SvdOptions&) { A.rows = 0; });
  expect("svd: rows = 1025", [](Batch& A, Out&, SvdOptions&) { A.rows = 1025; });
  expect("svd: cols = 33", [](Batch& A, Out&, SvdOptions&) { A.cols = 33; });
  expect("svd: count = -1", [](Batch& A, Out&, SvdOptions&) { A.count = -1; });
  expect("svd: stride = 3", [](Batch& A, Out&, SvdOptions&) { A.stride = 3; });
  expect("svd: stride = 8",
         [](Batch& A, Out&, SvdOptions&) { A.layout = MatrixLayout::strided, A.stride = 8; });
  expect("svd: stride = -9", [](Batch& A, Out&, SvdOptions&) { A.stride = -9; });
  expect("svd: data is a null", [](Batch& A, Out&, SvdOptions&) { A.data = {}; });
  expect("svd: S is a null", [](Batch&, Out& out, SvdOptions&) { out.S = {}; });
  expect("svd: V is a null", [](Batch&, Out& out, SvdOptions&) { out.V = {}; });
  expect("max_sweeps = 0", [](Batch&, Out&, SvdOptions& options) { options.max_sweeps = 0; });
  const Buffer<float> small(Device(), 35);
  expect("svd: data holds 35 numbers, 36", [&](Batch& A, Out&, SvdOptions&) { A.data = small; });
  expect("svd: U holds 35 numbers, 36", [&](Batch&, Out& out, SvdOptions&) { out.U = small; });
  std::vector<float> elsewhere(36);
  expect("svd: V is an address", [&](Batch&, Out& out, SvdOptions&) {
    out.V = Memory<float>::on_device(elsewhere.data());
  });
}

TEST(SvdBatch, WorksInBuffers) {
  const Device cpu;
  Queue queue(cpu);
  const std::vector<double> data = {3, 0, 0, 4};
  Buffer<double> A(cpu, 4), S(cpu, 2), V(cpu, 4);
  A.upload(queue, data);
  svd<double>(queue, {A, 2, 2, 1}, {S, V, {}, {}});
  std::vector<double> s(2);
  S.download(queue, s);
  queue.wait();
  EXPECT_EQ(s, (std::vector<double>{4, 3}));
}

}  // namespace
}  // namespace bifocal::test
