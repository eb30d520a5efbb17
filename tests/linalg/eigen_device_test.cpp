// SPDX-License-Identifier: BSD-3-Clause
// real_eigenpairs on every available device: results for the same list of cases are tested by their
// residuals and against the CPU's counts and values.
#include <gtest/gtest.h>

#include <algorithm>
#include <bifocal/linalg.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "linalg/eigen/eigen.hpp"
#include "linalg/eigen/tuning.hpp"
#include "linalg/matrix_types.hpp"
#include "runtime/kernel.hpp"

namespace bifocal::test {
namespace {

template <class T>
struct Results {
  std::vector<T> values, vectors, residuals, re, im;
  std::vector<int> counts, status;
};

template <class T>
struct Problem {
  int n, count;
  MatrixLayout layout;
  std::vector<T> A;
  std::vector<bool> derogatory;  // counts of real pairs are not well defined
  [[nodiscard]] std::size_t at(int e, int b, int size) const {
    return layout == MatrixLayout::interleaved
               ? static_cast<std::size_t>(e) * static_cast<std::size_t>(count) +
                     static_cast<std::size_t>(b)
               : static_cast<std::size_t>(b) * static_cast<std::size_t>(size) +
                     static_cast<std::size_t>(e);
  }
};

// Makes random normal matrices; every fourth matrix is one of LAPACK's other types.
template <class T>
Problem<T> make_problem(int n, int count, MatrixLayout layout) {
  Problem<T> p{n, count, layout, std::vector<T>(static_cast<std::size_t>(n * n * count)), {}};
  const auto& types = matrix_types();
  for (int b = 0; b < count; ++b) {
    const auto pick = static_cast<std::size_t>(b / 4 + n) % types.size();
    const MatrixType type = b % 4 == 3 ? types[pick].type : MatrixType::random_normal;
    p.derogatory.push_back(b % 4 == 3 && types[pick].derogatory);
    const Eigen::MatrixXd M = make_matrix<T>(type, n, n, static_cast<std::uint64_t>(1000 * n + b));
    for (int e = 0; e < n * n; ++e) p.A[p.at(e, b, n * n)] = static_cast<T>(M(e / n, e % n));
  }
  return p;
}

// Solves with the arrays in host memory or in Buffers.
template <class T>
Results<T> solve(Queue& queue, const Problem<T>& p, bool in_buffers) {
  const auto n = static_cast<std::size_t>(p.n), count = static_cast<std::size_t>(p.count);
  Results<T> r;
  r.values.resize(n * count);
  r.vectors.resize(n * n * count);
  r.residuals.resize(count);
  r.re.resize(n * count);
  r.im.resize(n * count);
  r.counts.resize(count);
  r.status.resize(count);
  if (!in_buffers) {
    real_eigenpairs<T>(queue, {p.A.data(), p.n, p.n, p.count, p.layout},
                       {r.values.data(), r.vectors.data(), r.counts.data(), r.status.data(),
                        r.residuals.data(), r.re.data(), r.im.data()});
    queue.wait();
    return r;
  }
  const Device& device = queue.device();
  Buffer<T> A(device, p.A.size()), values(device, n * count), vectors(device, n * n * count);
  Buffer<T> residuals(device, count), re(device, n * count), im(device, n * count);
  Buffer<int> counts(device, count), status(device, count);
  A.upload(queue, p.A);
  real_eigenpairs<T>(queue, {A, p.n, p.n, p.count, p.layout},
                     {values, vectors, counts, status, residuals, re, im});
  values.download(queue, r.values);
  vectors.download(queue, r.vectors);
  residuals.download(queue, r.residuals);
  re.download(queue, r.re);
  im.download(queue, r.im);
  counts.download(queue, r.counts);
  status.download(queue, r.status);
  queue.wait();
  return r;
}

struct Tally {
  int matrices = 0, other_counts = 0, not_converged = 0;
  double worst_residual = 0, worst_norm = 0;  // in units of n epsilon
};

// Computes residual and length of every pair from the results themselves.
template <class T>
void check_pairs(const Problem<T>& p, const Results<T>& r, int b, Tally& tally) {
  const int n = p.n;
  double size = 0, largest = 0;  // scaled, because squares near overflow are not finite
  const auto a = [&](int e) { return static_cast<double>(p.A[p.at(e, b, n * n)]); };
  for (int e = 0; e < n * n; ++e) largest = std::max(largest, std::abs(a(e)));
  const double scale = largest > 0 ? largest : 1;
  for (int e = 0; e < n * n; ++e) size += std::pow(a(e) / scale, 2);
  for (int k = 0; k < r.counts[static_cast<std::size_t>(b)]; ++k) {
    double error = 0, norm = 0;
    const double lambda = static_cast<double>(r.values[p.at(k, b, n)]) / scale;
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int j = 0; j < n; ++j) {
        sum += a(i * n + j) / scale * static_cast<double>(r.vectors[p.at(j * n + k, b, n * n)]);
      }
      const double v = static_cast<double>(r.vectors[p.at(i * n + k, b, n * n)]);
      error += std::pow(sum - lambda * v, 2);
      norm += v * v;
    }
    const double unit = n * static_cast<double>(std::numeric_limits<T>::epsilon());
    const double residual = size > 0 ? std::sqrt(error / size) : std::sqrt(error);
    ASSERT_FALSE(std::isnan(residual)) << "pair " << k << " of matrix " << b;
    tally.worst_residual = std::max(tally.worst_residual, residual / unit);
    tally.worst_norm = std::max(tally.worst_norm, std::abs(std::sqrt(norm) - 1) / unit);
  }
}

template <class T>
Tally compare(const Problem<T>& p, const Results<T>& r, const Results<T>& cpu) {
  Tally tally;
  for (int b = 0; b < p.count; ++b) {
    ++tally.matrices;
    const auto i = static_cast<std::size_t>(b);
    tally.not_converged += r.status[i] == static_cast<int>(LinalgStatus::not_converged);
    tally.other_counts += !p.derogatory[i] && r.counts[i] != cpu.counts[i];
    check_pairs(p, r, b, tally);
  }
  return tally;
}

class EigenOnDevice : public testing::TestWithParam<std::string> {
 protected:
  Queue queue{Device(GetParam())};
  Queue cpu{Device("cpu")};

  template <class T>
  void run(int n, int count, MatrixLayout layout, bool in_buffers) {
    SCOPED_TRACE(testing::Message()
                 << "n " << n << " count " << count << " float" << 8 * sizeof(T));
    const Problem<T> p = make_problem<T>(n, count, layout);
    const Tally tally = compare(p, solve(queue, p, in_buffers), solve(cpu, p, false));
    // A nearly defective pair may be real or complex.
    EXPECT_LE(tally.other_counts, tally.matrices / 8 + 1);
    EXPECT_EQ(tally.not_converged, 0);
    EXPECT_LE(tally.worst_residual, 1e3);
    EXPECT_LE(tally.worst_norm, 10);
    total.matrices += tally.matrices;
    total.other_counts += tally.other_counts;
    total.worst_residual = std::max(total.worst_residual, tally.worst_residual);
  }
  void TearDown() override {
    if (total.matrices == 0) return;
    std::printf("%s: %d matrices, %d with other counts than the CPU, worst residual %.3g n eps\n",
                GetParam().c_str(), total.matrices, total.other_counts, total.worst_residual);
  }
  Tally total;
};

TEST_P(EigenOnDevice, solves_every_size_in_double) {
  for (int n = 1; n <= 127; ++n)
    run<double>(n, n <= 20 ? 65 : n <= 64 ? 9 : 4, MatrixLayout::interleaved, n % 2 == 0);
}

// Few matrices are solved with a warp each (kFewMatricesPerCore), more with a thread each.
TEST_P(EigenOnDevice, solves_more_matrices_than_warps) {
  const DeviceInfo& device = queue.device().info();
  const int count = device.is_gpu ? linalg::kFewMatricesPerCore * device.cores + 1 : 65;
  for (int n = 4; n <= 20; ++n) run<double>(n, count, MatrixLayout::interleaved, n % 2 == 0);
}

TEST_P(EigenOnDevice, solves_sizes_in_float) {
  for (int n : {1, 2, 3, 4, 6, 9, 10, 11, 16, 20, 21, 24, 32, 33, 64, 100, 127})
    run<float>(n, n <= 32 ? 40 : 5, MatrixLayout::strided, n % 2 == 0);
}

TEST_P(EigenOnDevice, solves_batches_in_every_layout) {
  for (int count : {1, 17, 1000}) {
    run<double>(10, count, MatrixLayout::interleaved, true);
    run<double>(10, count, MatrixLayout::strided, false);
    run<double>(22, count / 4 + 1, MatrixLayout::strided, true);
  }
  real_eigenpairs<double>(queue, {nullptr, 10, 10, 0}, {});
}

// From resident_matrices() on, a batch runs on as many groups as the device computes at once.
TEST_P(EigenOnDevice, a_batch_of_the_resident_matrices_fills_the_device) {
  const DeviceInfo& device = queue.device().info();
  if (!device.has_double) GTEST_SKIP() << device.id << " has no doubles";
  constexpr int n = 10;
  const int resident = linalg::resident_matrices(device, n, sizeof(double));
  ASSERT_GT(resident, 0);
  const auto groups_of = [&](int count) {
    const auto size = static_cast<std::size_t>(count);
    Buffer<double> A(queue.device(), n * n * size), values(queue.device(), n * size);
    Buffer<int> counts(queue.device(), size);
    const std::vector<double> zeros(n * n * size);
    A.upload(queue, zeros);
    const auto launches = runtime::resources_of([&] {
      real_eigenpairs<double>(queue, {A, n, n, count}, {.values = values, .counts = counts});
    });
    queue.wait();
    EXPECT_EQ(launches.size(), 1U);
    return launches.at(0).groups;
  };
  const int full = groups_of(resident);
  EXPECT_EQ(groups_of(resident + 1), full);
  if (device.kind == DeviceKind::cpu) return;  // has no groups
  EXPECT_LT(groups_of(resident - 100), full);
}

TEST_P(EigenOnDevice, a_bad_matrix_affects_no_neighbours) {
  for (int n : {5, 10, 22, 40}) {
    Problem<double> p = make_problem<double>(n, 9, MatrixLayout::interleaved);
    const Results<double> clean = solve(queue, p, false);
    p.A[p.at(n, 2, n * n)] = std::numeric_limits<double>::quiet_NaN();
    p.A[p.at(0, 5, n * n)] = std::numeric_limits<double>::infinity();
    const Results<double> got = solve(queue, p, false);
    for (int b = 0; b < 9; ++b) {
      const auto i = static_cast<std::size_t>(b);
      if (b == 2 || b == 5) {
        EXPECT_EQ(got.status[i], static_cast<int>(LinalgStatus::not_finite)) << n;
        EXPECT_EQ(got.counts[i], 0);
        EXPECT_TRUE(std::isnan(got.values[p.at(0, b, n)]));
        EXPECT_TRUE(std::isnan(got.vectors[p.at(0, b, n * n)]));
        EXPECT_TRUE(std::isnan(got.residuals[i]));
        continue;
      }
      EXPECT_EQ(got.counts[i], clean.counts[i]);
      for (int e = 0; e < clean.counts[i]; ++e)
        EXPECT_EQ(got.values[p.at(e, b, n)], clean.values[p.at(e, b, n)]) << n << " " << b;
    }
  }
}

std::vector<std::string> device_ids() {
  std::vector<std::string> ids;
  for (const DeviceInfo& device : list_devices()) ids.push_back(device.id);
  return ids;
}

INSTANTIATE_TEST_SUITE_P(, EigenOnDevice, testing::ValuesIn(device_ids()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
});

}  // namespace
}  // namespace bifocal::test
