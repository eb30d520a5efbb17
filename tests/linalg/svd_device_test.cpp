// SPDX-License-Identifier: BSD-3-Clause
// The SVD family on every OpenCL and CUDA device of the machine: the same matrices and ratios as in
// the CPU's tests, and the CPU's singular values.
#include <optional>

#include "linalg/svd_batches.hpp"

namespace bifocal::test {
namespace {

// Calls `body` with every device except the CPU; without such devices the test is skipped.
template <class Body>
void for_each_device(Body body) {
  bool any = false;
  for (const DeviceInfo& info : list_devices()) {
    if (info.kind == DeviceKind::cpu) continue;
    SCOPED_TRACE(fmt::format("{} ({})", info.id, info.name));
    any = true;
    body(Device(info.id));
  }
  if (!any) GTEST_SKIP() << "no OpenCL and no CUDA device";
}

enum class Where { host, device };

// The numbers of a call, in host or device memory.
template <class T>
class Numbers {
 public:
  Numbers(Queue& queue, Where where, std::vector<T> values) : values_(std::move(values)) {
    if (where == Where::host || values_.empty()) return;
    buffer_.emplace(queue.device(), values_.size());
    buffer_->upload(queue, values_);
    queue.wait();
  }
  [[nodiscard]] Memory<T> memory() {
    return values_.empty() ? Memory<T>() : buffer_ ? Memory<T>(*buffer_) : values_.data();
  }
  [[nodiscard]] Memory<const T> input() {
    return values_.empty() ? Memory<const T>()
           : buffer_       ? Memory<const T>(*buffer_)
                           : static_cast<const T*>(values_.data());
  }
  [[nodiscard]] std::vector<T> take(Queue& queue) {
    if (buffer_) buffer_->download(queue, values_);
    queue.wait();
    return std::move(values_);
  }

 private:
  std::vector<T> values_;
  std::optional<Buffer<T>> buffer_;
};

template <class T>
SvdResults<T> run_on(const Device& device, Where where, const Matrices& matrices, bool with_u,
                     const Layout& layout = {}, const SvdOptions& options = {}) {
  SvdResults<T> out;
  out.count = static_cast<int>(matrices.size());
  out.m = static_cast<int>(matrices[0].rows());
  out.n = static_cast<int>(matrices[0].cols());
  out.layout = layout.of_outputs();
  const auto storage = [&](int numbers) {
    return std::vector<T>(out.layout.extent(out.count, numbers), T(-77));
  };
  Queue queue(device);
  Numbers<T> data(queue, where, pack<T>(matrices, layout, T(7))), s(queue, where, storage(out.n)),
      v(queue, where, storage(out.n * out.n)),
      u(queue, where, storage(with_u ? out.m * std::min(out.m, out.n) : 0));
  Numbers<int> status(queue, where, std::vector<int>(matrices.size(), -77));
  svd<T>(queue, {data.input(), out.m, out.n, out.count, layout.kind, layout.stride},
         {s.memory(), v.memory(), u.memory(), status.memory()}, options);
  out.s = s.take(queue);
  out.v = v.take(queue);
  out.u = u.take(queue);
  out.status = status.take(queue);
  return out;
}

// Judges the results of matrix b by the matrix and by the CPU's values; U may be missing.
template <class T>
Worst judge_one(const Eigen::MatrixXd& A, const SvdResults<T>& got, int b,
                const SvdResults<T>& cpu) {
  const double ulp = ulp_of<T>();
  Worst one;
  one.matrices = 1;
  if (!got.u.empty()) {
    one.backward = svd_ratio(A, got.U(b), got.S(b), got.V(b), ulp);
    one.u = orthogonality_ratio(got.U(b), ulp);
  }
  one.right = right_svd_ratio(A, got.S(b), got.V(b), ulp);
  one.v = orthogonality_ratio(got.V(b), ulp);
  one.values = values_ratio(got.S(b), cpu.S(b), ulp);
  const int status = got.status[static_cast<std::size_t>(b)];
  one.failed = !is_descending(got.S(b)) || status != 0 ||
               !(std::max({one.backward, one.right, one.v, one.u, one.values}) <= 10);
  if (one.failed)
    ADD_FAILURE() << fmt::format("{} {}x{} matrix {}: {:.3g} {:.3g} {:.3g} {:.3g} {:.3g} status {}",
                                 precision_name<T>(), A.rows(), A.cols(), b, one.backward,
                                 one.right, one.v, one.u, one.values, status);
  return one;
}

template <class T>
Worst judge_all(const Matrices& matrices, const SvdResults<T>& got) {
  const SvdResults<T> cpu = run_svd<T>(matrices, false);
  Worst worst;
  for (int b = 0; b < got.count; ++b)
    worst.add(judge_one(matrices[static_cast<std::size_t>(b)], got, b, cpu));
  return worst;
}

std::vector<int> rows_for(int n) {
  std::vector<int> rows = {n - 1, n, 2 * n, 64};
  std::erase(rows, 0);
  return rows;
}

// Tests all types and sizes; layout and kind of memory change from size to size.
template <class T>
void every_size() {
  for_each_device([](const Device& device) {
    Worst worst;
    for (int n = 1; n <= 32; ++n) {
      for (const int m : rows_for(n)) {
        const Matrices matrices = all_types<T>(m, n, 1);
        const int count = static_cast<int>(matrices.size());
        const Layout layouts[] = {{MatrixLayout::interleaved, 0},
                                  {MatrixLayout::strided, m * n + 3},
                                  {MatrixLayout::interleaved, count + 5},
                                  {MatrixLayout::strided, 0}};
        const Where where = (n + m) % 3 == 0 ? Where::host : Where::device;
        worst.add(judge_all<T>(matrices, run_on<T>(device, where, matrices, (n + m) % 7 != 0,
                                                   layouts[static_cast<std::size_t>(n + m) % 4])));
        if (testing::Test::HasFailure()) return;
      }
    }
    worst.print(fmt::format("svd {} {}", device.info().id, precision_name<T>()));
  });
}
TEST(SvdDevice, IsBackwardStableForEveryTypeAndSizeFloat) { every_size<float>(); }
TEST(SvdDevice, IsBackwardStableForEveryTypeAndSizeDouble) { every_size<double>(); }

// Results do not depend on the batch size, the layout and the memory; more than 20000 matrices may
// use another kernel of a GPU.
template <class T>
void batches_and_layouts() {
  for_each_device([](const Device& device) {
    for (const auto& [m, n] :
         {std::pair(9, 9), std::pair(3, 3), std::pair(8, 9), std::pair(20, 9), std::pair(16, 16)}) {
      Matrices matrices = all_types<T>(m, n, 2);
      for (const Eigen::MatrixXd& A : random_matrices<T>(1000, m, n, 3)) matrices.push_back(A);
      for (const int count : {1, 17, 1000}) {
        const Matrices some(matrices.begin(), matrices.begin() + count);
        const SvdResults<T> whole = run_on<T>(device, Where::device, some, true);
        judge_all<T>(some, whole);
        for (const Layout& layout :
             {Layout{MatrixLayout::interleaved, 1024}, Layout{MatrixLayout::strided, m * n + 1}}) {
          for (const Where where : {Where::host, Where::device}) {
            const SvdResults<T> other = run_on<T>(device, where, some, true, layout);
            for (int b = 0; b < count; ++b) {
              ASSERT_EQ(whole.S(b), other.S(b)) << m << " x " << n << ": " << b;
              ASSERT_EQ(whole.V(b), other.V(b)) << m << " x " << n << ": " << b;
              ASSERT_EQ(whole.U(b), other.U(b)) << m << " x " << n << ": " << b;
            }
          }
        }
      }
    }
  });
}
TEST(SvdDevice, SameInEveryLayoutMemoryAndBatchFloat) { batches_and_layouts<float>(); }
TEST(SvdDevice, SameInEveryLayoutMemoryAndBatchDouble) { batches_and_layouts<double>(); }

TEST(SvdDevice, EmptyBatchesAreAllowed) {
  for_each_device([](const Device& device) {
    Queue queue(device);
    svd<float>(queue, {nullptr, 9, 9, 0}, {});
    smallest_singular_vector<float>(queue, {nullptr, 9, 9, 0}, {});
    symmetric_eigen<float>(queue, {nullptr, 9, 9, 0}, {});
    queue.wait();
  });
}

// Tests the mappings for large batches of a GPU; other devices repeat their only mapping.
template <class T>
void large_batches() {
  for_each_device([](const Device& device) {
    const bool is_gpu = device.info().is_gpu || device.info().kind == DeviceKind::cuda;
    for (int n = 2; n <= 10; ++n) {
      Matrices types = all_types<T>(n, n, 4), matrices;
      const int kinds = static_cast<int>(types.size()), count = is_gpu ? 20011 : 211;
      for (int b = 0; b < count; ++b)
        matrices.push_back(types[static_cast<std::size_t>(b % kinds)]);
      const SvdResults<T> got = run_on<T>(device, Where::device, matrices, true);
      if (sizeof(T) == 4 && device.info().driver.find("Intel(R) OpenCL") != std::string::npos) {
        judge_all<T>(matrices, got);  // loose divisions: see docs/linalg.md
        continue;
      }
      const SvdResults<T> cpu = run_svd<T>(types, false);
      for (int b = 0; b < kinds; ++b) judge_one(types[static_cast<std::size_t>(b)], got, b, cpu);
      for (int b = kinds; b < count; ++b) {
        ASSERT_EQ(got.S(b), got.S(b % kinds)) << n << ": " << b;
        ASSERT_EQ(got.V(b), got.V(b % kinds)) << n << ": " << b;
        ASSERT_EQ(got.U(b), got.U(b % kinds)) << n << ": " << b;
      }
    }
  });
}
TEST(SvdDevice, LargeBatchesAgreeWithTheCpuFloat) { large_batches<float>(); }
TEST(SvdDevice, LargeBatchesAgreeWithTheCpuDouble) { large_batches<double>(); }

template <class T>
void not_finite() {
  for_each_device([](const Device& device) {
    for (const auto& [m, n] : {std::pair(3, 3), std::pair(9, 9), std::pair(8, 9), std::pair(100, 5),
                               std::pair(32, 32)}) {
      Matrices matrices = random_matrices<T>(23, m, n, 1);
      const SvdResults<T> clean = run_on<T>(device, Where::host, matrices, true);
      matrices[3](m - 1, n - 1) = std::numeric_limits<T>::quiet_NaN();
      matrices[22](m / 2, 0) = -std::numeric_limits<T>::infinity();
      const SvdResults<T> got = run_on<T>(device, Where::host, matrices, true);
      for (int b = 0; b < 23; ++b) {
        const int status = got.status[static_cast<std::size_t>(b)];
        if (b == 3 || b == 22) {
          EXPECT_EQ(status, int(LinalgStatus::not_finite)) << m << " x " << n << ": " << b;
          EXPECT_TRUE(got.S(b).array().isNaN().all() && got.V(b).array().isNaN().all() &&
                      got.U(b).array().isNaN().all())
              << m << " x " << n << ": " << b;
        } else {
          EXPECT_EQ(status, 0);
          EXPECT_EQ(clean.S(b), got.S(b)) << m << " x " << n << ": " << b;
          EXPECT_EQ(clean.V(b), got.V(b)) << m << " x " << n << ": " << b;
          EXPECT_EQ(clean.U(b), got.U(b)) << m << " x " << n << ": " << b;
        }
      }
    }
  });
}
TEST(SvdDevice, NonFiniteMatricesAffectNoNeighboursFloat) { not_finite<float>(); }
TEST(SvdDevice, NonFiniteMatricesAffectNoNeighboursDouble) { not_finite<double>(); }

TEST(SvdDevice, TooFewSweepsAreReportedWithTheBestEstimate) {
  for_each_device([](const Device& device) {
    for (const int n : {4, 9, 16}) {
      const Matrices matrices = random_matrices<double>(20, n, n, 1);
      const SvdResults<double> got =
          run_on<double>(device, Where::device, matrices, true, {}, {.max_sweeps = 1});
      for (int b = 0; b < 20; ++b) {
        EXPECT_EQ(got.status[static_cast<std::size_t>(b)], int(LinalgStatus::not_converged));
        EXPECT_LE(svd_ratio(matrices[static_cast<std::size_t>(b)], got.U(b), got.S(b), got.V(b),
                            ulp_of<double>()),
                  10);
      }
    }
  });
}

template <class T>
void smallest_vectors() {
  for_each_device([](const Device& device) {
    double worst = 0;
    for (const int n : {1, 2, 3, 5, 9, 16, 32}) {
      for (const int m : {1, n - 1, n, n + 1, 100}) {
        if (m < 1) continue;
        const Matrices matrices = all_types<T>(m, n, 5);
        const int count = static_cast<int>(matrices.size());
        const Layout layout{n % 2 ? MatrixLayout::interleaved : MatrixLayout::strided, 0};
        Queue queue(device);
        const Where where = m % 2 ? Where::host : Where::device;
        Numbers<T> data(queue, where, pack<T>(matrices, layout)),
            x(queue, where, std::vector<T>(static_cast<std::size_t>(n * count), T(-77)));
        Numbers<int> status(queue, where, std::vector<int>(matrices.size(), -77));
        smallest_singular_vector<T>(queue, {data.input(), m, n, count, layout.kind}, x.memory(),
                                    status.memory());
        const std::vector<T> got = x.take(queue);
        const std::vector<int> statuses = status.take(queue);
        for (int b = 0; b < count; ++b) {
          const auto i = static_cast<std::size_t>(b);
          const double ratio =
              smallest_vector_ratio(matrices[i], unpack(got, count, b, n, 1, layout), ulp_of<T>());
          EXPECT_LE(ratio, 10) << m << " x " << n << " matrix " << b;
          EXPECT_EQ(statuses[i], 0) << m << " x " << n << " matrix " << b;
          worst = std::max(worst, ratio);
        }
      }
    }
    fmt::print("smallest vector, {} {}: worst ratio {:.2f}\n", device.info().id,
               precision_name<T>(), worst);
  });
}
TEST(SvdDevice, SmallestVectorFloat) { smallest_vectors<float>(); }
TEST(SvdDevice, SmallestVectorDouble) { smallest_vectors<double>(); }

template <class T>
void symmetric() {
  for_each_device([](const Device& device) {
    double residual = 0, orthogonality = 0;
    for (const int n : {1, 2, 3, 4, 9, 16, 32}) {
      Matrices matrices;
      for (const Eigen::MatrixXd& A : all_types<T>(n, n, 6))
        matrices.push_back(rounded<T>(A / 2 + A.transpose() / 2));
      const int count = static_cast<int>(matrices.size());
      const auto storage = [&](int numbers) {
        return std::vector<T>(static_cast<std::size_t>(numbers * count), T(-77));
      };
      Queue queue(device);
      const Where where = n % 2 ? Where::host : Where::device;
      Numbers<T> data(queue, where, pack<T>(matrices)), values(queue, where, storage(n)),
          vectors(queue, where, storage(n * n));
      Numbers<int> status(queue, where, std::vector<int>(matrices.size(), -77));
      symmetric_eigen<T>(queue, {data.input(), n, n, count},
                         {values.memory(), vectors.memory(), status.memory()});
      const std::vector<T> L = values.take(queue), V = vectors.take(queue);
      const std::vector<int> statuses = status.take(queue);
      for (int b = 0; b < count; ++b) {
        const auto i = static_cast<std::size_t>(b);
        const Eigen::MatrixXd v = unpack(V, count, b, n, n);
        const Eigen::VectorXd l = unpack(L, count, b, n, 1);
        const double r = eigen_ratio(matrices[i], l, v, ulp_of<T>()),
                     o = orthogonality_ratio(v, ulp_of<T>());
        EXPECT_LE(std::max(r, o), 10) << n << " matrix " << b;
        EXPECT_TRUE(is_descending(l, false)) << n << " matrix " << b;
        EXPECT_EQ(statuses[i], 0) << n << " matrix " << b;
        residual = std::max(residual, r);
        orthogonality = std::max(orthogonality, o);
      }
    }
    fmt::print("symmetric_eigen, {} {}: |AV-VL| {:.2f} |I-V'V| {:.2f}\n", device.info().id,
               precision_name<T>(), residual, orthogonality);
  });
}
TEST(SvdDevice, SymmetricEigenFloat) { symmetric<float>(); }
TEST(SvdDevice, SymmetricEigenDouble) { symmetric<double>(); }

// Results are the same for matrices in succession and without vectors; a matrix that is not finite
// is reported.
template <class T>
void symmetric_layouts() {
  for_each_device([](const Device& device) {
    const int n = 9, count = device.info().is_gpu ? 5003 : 203;
    Matrices matrices;
    for (const Eigen::MatrixXd& A : random_matrices<T>(count, n, n, 8))
      matrices.push_back(rounded<T>(A / 2 + A.transpose() / 2));
    matrices[7](2, 1) = std::numeric_limits<T>::infinity();
    const Layout strided{MatrixLayout::strided, 0};
    Queue queue(device);
    Numbers<T> interleaved(queue, Where::device, pack<T>(matrices)),
        dense(queue, Where::host, pack<T>(matrices, strided));
    const std::vector<T> storage(static_cast<std::size_t>(n * count));
    Numbers<T> values(queue, Where::device, storage), alone(queue, Where::device, storage),
        of_dense(queue, Where::host, storage),
        vectors(queue, Where::device, std::vector<T>(static_cast<std::size_t>(n * n * count)));
    Numbers<int> status(queue, Where::device, std::vector<int>(matrices.size(), -77));
    symmetric_eigen<T>(queue, {interleaved.input(), n, n, count},
                       {values.memory(), vectors.memory(), status.memory()});
    symmetric_eigen<T>(queue, {interleaved.input(), n, n, count}, {alone.memory()});
    symmetric_eigen<T>(queue, {dense.input(), n, n, count, strided.kind}, {of_dense.memory()});
    const std::vector<T> L = values.take(queue), A = alone.take(queue), D = of_dense.take(queue);
    const std::vector<int> statuses = status.take(queue);
    for (int b = 0; b < count; ++b) {
      const Eigen::VectorXd l = unpack(L, count, b, n, 1);
      EXPECT_EQ(statuses[std::size_t(b)], b == 7 ? int(LinalgStatus::not_finite) : 0) << b;
      if (b == 7) {
        EXPECT_TRUE(l.array().isNaN().all());
        continue;
      }
      ASSERT_EQ(l, unpack(A, count, b, n, 1)) << b;
      ASSERT_EQ(l, unpack(D, count, b, n, 1, strided)) << b;
    }
  });
}
TEST(SvdDevice, SymmetricEigenInEveryLayoutFloat) { symmetric_layouts<float>(); }
TEST(SvdDevice, SymmetricEigenInEveryLayoutDouble) { symmetric_layouts<double>(); }

}  // namespace
}  // namespace bifocal::test
