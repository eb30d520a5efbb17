// SPDX-License-Identifier: BSD-3-Clause
// The SVD family of the public API: argument checks and dispatch to devices.
#include "linalg/svd/svd.hpp"

#include <algorithm>

#include "linalg/arguments.hpp"
#include "runtime/parallel.hpp"

namespace bifocal {
namespace {

using linalg::SvdFunction;
using linalg::SvdWork;

constexpr int kLargestCols = 32, kLargestRows = 1024;

template <class T>
void check_input(const char* function, const Queue& queue, const MatrixBatch<T>& A) {
  linalg::check_batch(function, queue, A, kLargestRows, kLargestCols);
}

// Runs the batch in work packages of about a tenth of a millisecond, in multiples
// of whole registers.
template <class T>
void on_cpu(SvdFunction<T> function, const SvdWork<T>& work, int count) {
  const int size = std::max(1, std::min(work.rows, work.cols) * work.cols);
  const int block = std::max(1, 1024 / size) * 16;
  runtime::parallel_for((count + block - 1) / block, [&](int i) {
    function(work, i * block, std::min(count - i * block, block) + i * block);
  });
}

template <class T>
SvdWork<T> input_work(const MatrixBatch<T>& A, int max_sweeps) {
  SvdWork<T> work;
  work.A = linalg::input_view(A);
  work.rows = A.rows;
  work.cols = A.cols;
  work.max_sweeps = max_sweeps;
  return work;
}

}  // namespace

template <class T>
void svd(Queue& queue, const MatrixBatch<T>& A, const SvdOutput<T>& out,
         const SvdOptions& options) {
  const char* function = "svd";
  check_input(function, queue, A);
  check_options(options);
  const int m = A.rows, n = A.cols;
  const linalg::OutputCheck<T> check{function, queue, A};
  check.required("S", out.S, n);
  check.required("V", out.V, n * n);
  check.wanted("U", out.U, m * std::min(m, n));
  check.statuses("status", out.status);
  if (A.count == 0) return;
  if (queue.device().info().kind != DeviceKind::cpu)
    return linalg::svd_on_device(queue, A, out, options);
  SvdWork<T> work = input_work(A, options.max_sweeps);
  work.S = linalg::output_view(A, out.S, n);
  work.V = linalg::output_view(A, out.V, n * n);
  work.U = linalg::output_view(A, out.U, m * std::min(m, n));
  work.status = out.status.pointer();
  on_cpu(linalg::svd_functions<T>().svd, work, A.count);
}

template <class T>
void smallest_singular_vector(Queue& queue, const MatrixBatch<T>& A, Memory<T> x,
                              Memory<int> status) {
  const char* function = "smallest_singular_vector";
  check_input(function, queue, A);
  const linalg::OutputCheck<T> check{function, queue, A};
  check.required("x", x, A.cols);
  check.statuses("status", status);
  if (A.count == 0) return;
  if (queue.device().info().kind != DeviceKind::cpu)
    return linalg::smallest_singular_vector_on_device(queue, A, x, status);
  SvdWork<T> work = input_work(A, SvdOptions().max_sweeps);
  work.V = linalg::output_view(A, x, A.cols);
  work.status = status.pointer();
  on_cpu(linalg::svd_functions<T>().smallest_vector, work, A.count);
}

template <class T>
void symmetric_eigen(Queue& queue, const MatrixBatch<T>& A, const SymmetricEigenOutput<T>& out,
                     const SvdOptions& options) {
  const char* function = "symmetric_eigen";
  check_input(function, queue, A);
  check_options(options);
  if (A.rows != A.cols)
    linalg::refuse(function, fmt::format("matrices of {} x {}: must be square", A.rows, A.cols));
  const int n = A.cols;
  const linalg::OutputCheck<T> check{function, queue, A};
  check.required("values", out.values, n);
  check.wanted("vectors", out.vectors, n * n);
  check.statuses("status", out.status);
  if (A.count == 0) return;
  if (queue.device().info().kind != DeviceKind::cpu)
    return linalg::symmetric_eigen_on_device(queue, A, out, options);
  SvdWork<T> work = input_work(A, options.max_sweeps);
  work.S = linalg::output_view(A, out.values, n);
  work.V = linalg::output_view(A, out.vectors, n * n);
  work.status = out.status.pointer();
  on_cpu(linalg::svd_functions<T>().symmetric, work, A.count);
}

#define BIFOCAL_SVD_FAMILY(T)                                                                    \
  template void svd(Queue&, const MatrixBatch<T>&, const SvdOutput<T>&, const SvdOptions&);      \
  template void smallest_singular_vector(Queue&, const MatrixBatch<T>&, Memory<T>, Memory<int>); \
  template void symmetric_eigen(Queue&, const MatrixBatch<T>&, const SymmetricEigenOutput<T>&,   \
                                const SvdOptions&);
BIFOCAL_SVD_FAMILY(float)
BIFOCAL_SVD_FAMILY(double)

}  // namespace bifocal
