// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/eigen/eigen.hpp"

#include <fmt/format.h>

#include <limits>

#include "linalg/eigen/eigen_device.hpp"

namespace bifocal {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::usage, "real_eigenpairs: " + what);
}

template <class T>
void check_batch(const MatrixBatch<T>& A) {
  if (A.rows != A.cols)
    refuse(fmt::format("matrices are square, but A is {} x {}", A.rows, A.cols));
  if (A.rows < 1 || A.rows > linalg::kLargestEigen)
    refuse(fmt::format("A.rows is {}, expected 1 to {}", A.rows, linalg::kLargestEigen));
  if (A.count < 0 || A.count > std::numeric_limits<int>::max() - 64)
    refuse(fmt::format("A.count is {}", A.count));
  const std::ptrdiff_t least =
      A.layout == MatrixLayout::interleaved ? A.count : std::ptrdiff_t{A.rows} * A.cols;
  if (A.stride != 0 && A.stride < least)
    refuse(fmt::format("A.stride is {}, expected 0 or at least {}", A.stride, least));
}

// Throws if required memory is null, or if a Buffer is too small for `size` numbers per matrix. The
// size of other memory is unknown.
template <class M, class T>
void check_memory(const char* name, const M& memory, bool required, const MatrixBatch<T>& A,
                  std::size_t size, std::ptrdiff_t stride) {
  if (memory.is_null()) {
    if (required) refuse(fmt::format("{} is null", name));
    return;
  }
  const auto count = static_cast<std::size_t>(A.count), step = static_cast<std::size_t>(stride);
  const bool interleaved = A.layout == MatrixLayout::interleaved && size > 1;
  const std::size_t needed = interleaved
                                 ? (size - 1) * (stride != 0 ? step : count) + count
                                 : (count - 1) * (stride != 0 && size > 1 ? step : size) + size;
  if (memory.size() != 0 && memory.size() < needed)
    refuse(fmt::format("{} holds {} numbers, expected {}", name, memory.size(), needed));
}

template <class T>
void check_arguments(const MatrixBatch<T>& A, const EigenOutput<T>& out) {
  const auto n = static_cast<std::size_t>(A.rows);
  const std::ptrdiff_t stride = A.layout == MatrixLayout::interleaved ? A.stride : 0;
  check_memory("A.data", A.data, true, A, n * n, A.stride);
  check_memory("values", out.values, true, A, n, stride);
  check_memory("vectors", out.vectors, false, A, n * n, stride);
  check_memory("counts", out.counts, true, A, 1, 0);
  check_memory("status", out.status, false, A, 1, 0);
  check_memory("residuals", out.residuals, false, A, 1, 0);
  check_memory("real_parts", out.real_parts, false, A, n, stride);
  check_memory("imaginary_parts", out.imaginary_parts, false, A, n, stride);
}

// Returns the matrices per work package: enough to be worth a thread, few enough to balance the
// load, and a multiple of the widest register.
int matrices_per_block(int n) { return n <= 16 ? 128 : n <= 32 ? 32 : 16; }

template <class T>
void solve(Queue& queue, const MatrixBatch<T>& A, const EigenOutput<T>& out,
           const EigenOptions& options) {
  check_batch(A);
  check_options(options);
  if (A.count == 0) return;
  check_arguments(A, out);
  if (queue.device().info().kind != DeviceKind::cpu)
    return linalg::real_eigenpairs_on_device<T>(queue, A, out, options);
  const bool interleaved = A.layout == MatrixLayout::interleaved;
  const std::ptrdiff_t dense = interleaved ? A.count : std::ptrdiff_t{A.rows} * A.cols;
  const std::array<runtime::Argument, linalg::eigen_argument_count> arguments = {
      A.data,
      out.values,
      out.vectors,
      out.counts,
      out.status,
      out.residuals,
      out.real_parts,
      out.imaginary_parts,
      A.rows,
      A.count,
      interleaved ? 1 : 0,
      options.balance ? 1 : 0,
      options.max_sweeps_per_value,
      std::int64_t{A.stride != 0 ? A.stride : dense}};
  runtime::Kernel kernel;
  kernel.entry = "real_eigenpairs";
  kernel.cpu = linalg::eigen_cpu_function<T>();
  kernel.cpu_block = matrices_per_block(A.rows);
  runtime::launch(queue, kernel, {.count = A.count}, arguments);
}

}  // namespace

int linalg::resident_matrices(const DeviceInfo& device, int n, std::size_t number_bytes) {
  return device.kind == DeviceKind::cpu ? matrices_per_block(n) * device.cores
                                        : resident_matrices_on_device(device, n, number_bytes);
}

template <>
void real_eigenpairs(Queue& queue, const MatrixBatch<float>& A, const EigenOutput<float>& out,
                     const EigenOptions& options) {
  solve(queue, A, out, options);
}
template <>
void real_eigenpairs(Queue& queue, const MatrixBatch<double>& A, const EigenOutput<double>& out,
                     const EigenOptions& options) {
  solve(queue, A, out, options);
}

}  // namespace bifocal
