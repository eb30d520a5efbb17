// SPDX-License-Identifier: BSD-3-Clause
// The SVD family on CUDA and OpenCL devices.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <functional>
#include <iterator>

#include "linalg/svd/svd.hpp"
#include "linalg/svd/svd_groups.kernels.hpp"
#include "linalg/svd/svd_lanes.kernels.hpp"
#include "linalg/svd/svd_tuning.hpp"
#include "runtime/staging.hpp"
#include "runtime/workspace.hpp"

namespace bifocal::linalg {
namespace {

using runtime::Array;
using Wide = std::int64_t;

constexpr std::size_t kTallBytes = std::size_t{256} << 20;  // of scratch memory at a time

// Matrices in device memory: the arguments of all kernels except those for
// tall matrices (svd_batch.kernels).
template <class T>
using SvdCall = kernels::svd_batch<T>;
// Processes matrices [first, first + count) of the call.
template <class T>
using SvdKernel = std::function<void(Queue&, const SvdCall<T>&, int first, int count)>;

template <class Kernels, class Args, class T>
void launch_batch(const Kernels& kernels,
                  void (Kernels::*entry)(Queue&, const runtime::Launch&, const Args&) const,
                  Queue& queue, const runtime::Launch& how, kernels::svd_batch<T> call, int first) {
  call.first = first;
  (kernels.*entry)(queue, how, Args{.batch = call});
}

// Returns the kernels with one matrix of up to n columns per thread. Their arrays are compiled for
// 9 columns, or for the largest size.
template <class T>
kernels::svd_lanes::launch<T> lane_kernels(const DeviceInfo& device, int n) {
  const int threads = device.kind == DeviceKind::cuda
                          ? SVD_LANE_THREADS
                          : std::min(SVD_LANE_THREADS, device.max_group);
  return kernels::svd_lanes::launch<T>(threads, {{"SVD_LARGEST", n <= 9 ? 9 : 32}});
}

template <class T, class Entry>
SvdKernel<T> lane_kernel(const DeviceInfo& device, int n, Entry entry) {
  return [kernels = lane_kernels<T>(device, n), entry](Queue& queue, const SvdCall<T>& call,
                                                       int first, int count) {
    launch_batch(kernels, entry, queue, {.count = count}, call, first);
  };
}

const SvdMapping& find_mapping(bool is_double, int n, int count) {
  return std::find_if(std::begin(kSvdTuning), std::end(kSvdTuning),
                      [&](const SvdTuning& row) {
                        return row.is_double == is_double && n <= row.largest &&
                               count <= row.largest_count;
                      })
      ->mapping;
}

// Returns whether the device runs the kernels of svd_groups.kernels: a matrix in the registers of a
// thread or of a team.
bool has_register_kernels(const DeviceInfo& device) {
  return device.kind == DeviceKind::cuda || device.inline_ptx;
}

template <class T>
SvdKernel<T> svd_kernel(const DeviceInfo& device, int n, int count) {
  if (!has_register_kernels(device))
    return lane_kernel<T>(device, n, &kernels::svd_lanes::launch<T>::svd_lanes);
  using Kernels = kernels::svd_groups::launch<T>;
  SvdMapping m = find_mapping(sizeof(T) == 8, n, count);
  const bool threads = m.places == 0;
  // A barrier for several warps of a work-group would have to wait for the whole work-group.
  if (device.kind == DeviceKind::opencl && !threads) m.threads = 32;
  const Kernels kernels(m.threads, {{"SVD_SIZE", threads ? n : 1},
                                    {"SVD_PLACES", threads ? 2 : m.places},
                                    {"SVD_ROWS", m.rows},
                                    {"SVD_BLOCKS", m.blocks},
                                    {"KERNEL_SIZE_IS_FIXED", 1}});
  const int a_block = m.threads / (m.rows * m.blocks);  // matrices per block
  const int numbers = threads ? n * n : SVD_TEAM_NUMBERS(m.places);
  const auto kernel_of = [=](auto entry) -> SvdKernel<T> {
    return [=](Queue& queue, const SvdCall<T>& call, int first, int some) {
      launch_batch(kernels, entry, queue,
                   {.count = some,
                    .groups = (some + a_block - 1) / a_block,
                    .local_bytes = static_cast<std::size_t>(a_block * numbers) * sizeof(T)},
                   call, first);
    };
  };
  return threads ? kernel_of(&Kernels::svd_threads) : kernel_of(&Kernels::svd_teams);
}

// Kernel for the right singular vector of the smallest singular value of n x n matrices: it takes
// the last vector of the full SVD. Inverse iteration with one matrix per thread, in private memory,
// takes 5 to 14 times as long.
template <class T>
SvdKernel<T> last_column_kernel(const DeviceInfo& device, int n, int count) {
  return [svd = svd_kernel<T>(device, n, count), small = lane_kernels<T>(device, 1), n](
             Queue& queue, const SvdCall<T>& call, int first, int some) {
    runtime::Workspace workspace(queue);
    const auto all = static_cast<std::size_t>(first + some);
    const Buffer<T> S = workspace.template take<T>(static_cast<std::size_t>(n) * all);
    const Buffer<T> V = workspace.template take<T>(static_cast<std::size_t>(n * n) * all);
    SvdCall<T> whole = call;
    whole.S = S;
    whole.V = V;
    whole.out_element = first + some;
    whole.out_interleaved = 1;
    svd(queue, whole, first, some);
    small.svd_last_column(queue, {.count = n * some},
                          {.V = V,
                           .step = whole.out_element,
                           .n = n,
                           .first = first,
                           .count = some,
                           .x = call.V,
                           .out_element = call.out_element,
                           .out_interleaved = call.out_interleaved});
  };
}

// Kernel for eigenvalues and eigenvectors of symmetric matrices. A multiple of the identity is
// added that makes all eigenvalues nonnegative, so that they are the singular values. Two-sided
// rotations with one matrix per thread, in private memory, take 5 to 14 times as long.
template <class T>
SvdKernel<T> shifted_kernel(const DeviceInfo& device, int n, int count, bool with_vectors) {
  return [svd = svd_kernel<T>(device, n, count), small = lane_kernels<T>(device, 1), n,
          with_vectors](Queue& queue, const SvdCall<T>& call, int, int some) {
    runtime::Workspace workspace(queue);
    const auto all = static_cast<std::size_t>(some);
    const Buffer<T> shifted = workspace.template take<T>(static_cast<std::size_t>(n * n) * all);
    const Buffer<T> scales = workspace.template take<T>(all),
                    shifts = workspace.template take<T>(all);
    SvdCall<T> positive = call;
    positive.A = shifted;
    positive.in_element = some;
    positive.in_matrix = 1;
    Buffer<T> vectors;
    if (!with_vectors) {
      vectors = workspace.template take<T>(static_cast<std::size_t>(n * n) * all);
      positive.V = vectors;
    }
    small.svd_symmetric_shift(queue, {.count = some},
                              {.A = call.A,
                               .in_element = call.in_element,
                               .in_matrix = call.in_matrix,
                               .n = n,
                               .count = some,
                               .shifted = shifted,
                               .scales = scales,
                               .shifts = shifts});
    svd(queue, positive, 0, some);
    small.svd_symmetric_values(queue, {.count = n * some},
                               {.scales = scales,
                                .shifts = shifts,
                                .n = n,
                                .count = some,
                                .S = call.S,
                                .out_element = call.out_element,
                                .out_interleaved = call.out_interleaved});
  };
}

// Decomposes matrices with rows > n: a QR factorisation, then the SVD of the triangle, then U and
// the scale, or the scale alone. Not used for a single vector.
template <class T>
void launch_tall(Queue& queue, const SvdKernel<T>& triangles, const SvdCall<T>& c, int count,
                 bool with_values) {
  const int m = c.rows, n = c.n;
  const auto each = static_cast<std::size_t>((m + 1) * n), all = static_cast<std::size_t>(count);
  const int chunk = std::min(count, std::max(1, static_cast<int>(kTallBytes / (each * sizeof(T)))));
  runtime::Workspace workspace(queue);
  const Buffer<T> work = workspace.template take<T>(each * static_cast<std::size_t>(chunk));
  const Buffer<T> R = workspace.template take<T>(static_cast<std::size_t>(n * n) * all);
  const Buffer<T> scales = workspace.template take<T>(all);
  const kernels::svd_lanes::launch<T> tall = lane_kernels<T>(queue.device().info(), 1);
  SvdCall<T> triangle = c;
  triangle.A = R;
  triangle.in_element = count;
  triangle.in_matrix = 1;
  triangle.rows = n;
  for (int first = 0; first < count; first += chunk) {
    const int some = std::min(chunk, count - first);
    tall.svd_tall_factor(queue, {.count = some},
                         {.A = c.A,
                          .in_element = c.in_element,
                          .in_matrix = c.in_matrix,
                          .rows = m,
                          .n = n,
                          .work = work,
                          .R = R,
                          .r_step = count,
                          .scales = scales,
                          .first = first,
                          .count = some});
    triangles(queue, triangle, first, some);
    if (with_values)
      tall.svd_tall_apply(queue, {.count = some * n},
                          {.work = work,
                           .rows = m,
                           .n = n,
                           .scales = scales,
                           .S = c.S,
                           .U = c.U,
                           .out_element = c.out_element,
                           .out_interleaved = c.out_interleaved,
                           .first = first,
                           .count = some});
  }
}

// The layout of the batch for the kernels: strides of its arrays.
template <class T>
struct Layout {
  bool interleaved;
  std::ptrdiff_t in;

  explicit Layout(const MatrixBatch<T>& A)
      : interleaved(A.layout == MatrixLayout::interleaved),
        in(A.stride != 0 ? A.stride
           : interleaved ? A.count
                         : std::ptrdiff_t{A.rows} * A.cols) {}
  [[nodiscard]] runtime::BatchArray input(const MatrixBatch<T>& A) const {
    return runtime::input(A.data, A.rows * A.cols, in);
  }
  template <class U>
  [[nodiscard]] runtime::BatchArray output(const Memory<U>& memory, int numbers) const {
    return runtime::output(memory, numbers, interleaved ? in : std::ptrdiff_t{numbers});
  }
  // Returns the call with S, V, U and status as given, and the strides of the piece's first array
  // and outputs.
  [[nodiscard]] SvdCall<T> call(const runtime::Piece& piece, const MatrixBatch<T>& A,
                                const Array<T>& S, const Array<T>& V, const Array<T>& U,
                                const Array<int>& status, int max_sweeps) const {
    const Wide in_stride = piece.strides[0], out_stride = piece.strides[1];
    return {.A = piece.array<const T>(0),
            .in_element = interleaved ? in_stride : 1,
            .in_matrix = interleaved ? 1 : in_stride,
            .S = S,
            .V = V,
            .U = U,
            .status = status,
            .out_element = interleaved ? out_stride : 1,
            .out_interleaved = interleaved,
            .n = A.cols,
            .rows = A.rows,
            .u_rows = A.rows,
            .max_sweeps = max_sweeps,
            .first = 0};
  }
};

void check_double(const char* function, const DeviceInfo& device, bool is_double) {
  if (is_double && !device.has_double)
    throw Error(ErrorCode::device, fmt::format("{}: {} ({}) does not compute in double", function,
                                               device.id, device.name));
}

}  // namespace

template <class T>
void svd_on_device(Queue& queue, const MatrixBatch<T>& A, const SvdOutput<T>& out,
                   const SvdOptions& options) {
  const DeviceInfo& device = queue.device().info();
  check_double("svd", device, sizeof(T) == 8);
  const int n = A.cols, k = std::min(A.rows, n);
  const SvdKernel<T> kernel = svd_kernel<T>(device, n, A.count);
  const Layout<T> layout(A);
  const runtime::BatchArray arrays[] = {
      layout.input(A), layout.output(out.S, n), layout.output(out.V, n * n),
      layout.output(out.U, A.rows * k), layout.output(out.status, 1)};
  runtime::for_each_piece(
      queue, {A.count, layout.interleaved}, arrays, [&](const runtime::Piece& p) {
        const SvdCall<T> call = layout.call(p, A, p.array<T>(1), p.array<T>(2), p.array<T>(3),
                                            p.array<int>(4), options.max_sweeps);
        if (A.rows > n) {
          launch_tall(p.queue, kernel, call, p.count, true);
        } else {
          kernel(p.queue, call, 0, p.count);
        }
      });
}

template <class T>
void smallest_singular_vector_on_device(Queue& queue, const MatrixBatch<T>& A, Memory<T> x,
                                        Memory<int> status) {
  const DeviceInfo& device = queue.device().info();
  check_double("smallest_singular_vector", device, sizeof(T) == 8);
  const SvdKernel<T> kernel =
      A.rows >= A.cols && has_register_kernels(device)
          ? last_column_kernel<T>(device, A.cols, A.count)
          : lane_kernel<T>(device, A.cols, &kernels::svd_lanes::launch<T>::smallest_vector_lanes);
  const Layout<T> layout(A);
  const runtime::BatchArray arrays[] = {layout.input(A), layout.output(x, A.cols),
                                        layout.output(status, 1)};
  runtime::for_each_piece(
      queue, {A.count, layout.interleaved}, arrays, [&](const runtime::Piece& p) {
        const SvdCall<T> call = layout.call(p, A, nullptr, p.array<T>(1), nullptr, p.array<int>(2),
                                            SvdOptions().max_sweeps);
        if (A.rows > A.cols) {
          launch_tall(p.queue, kernel, call, p.count, false);
        } else {
          kernel(p.queue, call, 0, p.count);
        }
      });
}

template <class T>
void symmetric_eigen_on_device(Queue& queue, const MatrixBatch<T>& A,
                               const SymmetricEigenOutput<T>& out, const SvdOptions& options) {
  const DeviceInfo& device = queue.device().info();
  check_double("symmetric_eigen", device, sizeof(T) == 8);
  const int n = A.cols;
  const SvdKernel<T> kernel =
      has_register_kernels(device)
          ? shifted_kernel<T>(device, n, A.count, !out.vectors.is_null())
          : lane_kernel<T>(device, n, &kernels::svd_lanes::launch<T>::symmetric_lanes);
  const Layout<T> layout(A);
  const runtime::BatchArray arrays[] = {layout.input(A), layout.output(out.values, n),
                                        layout.output(out.vectors, n * n),
                                        layout.output(out.status, 1)};
  runtime::for_each_piece(queue, {A.count, layout.interleaved}, arrays,
                          [&](const runtime::Piece& p) {
                            kernel(p.queue,
                                   layout.call(p, A, p.array<T>(1), p.array<T>(2), nullptr,
                                               p.array<int>(3), options.max_sweeps),
                                   0, p.count);
                          });
}

#define BIFOCAL_SVD_ON_DEVICE(T)                                                             \
  template void svd_on_device(Queue&, const MatrixBatch<T>&, const SvdOutput<T>&,            \
                              const SvdOptions&);                                            \
  template void smallest_singular_vector_on_device(Queue&, const MatrixBatch<T>&, Memory<T>, \
                                                   Memory<int>);                             \
  template void symmetric_eigen_on_device(Queue&, const MatrixBatch<T>&,                     \
                                          const SymmetricEigenOutput<T>&, const SvdOptions&);
BIFOCAL_SVD_ON_DEVICE(float)
BIFOCAL_SVD_ON_DEVICE(double)

}  // namespace bifocal::linalg
