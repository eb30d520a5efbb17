// SPDX-License-Identifier: BSD-3-Clause
// The SVD family on CUDA and OpenCL devices.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <iterator>

#include "linalg/svd/svd.hpp"
#include "linalg/svd/svd_tuning.hpp"
#include "runtime/staging.hpp"
#include "runtime/workspace.hpp"

namespace bifocal::linalg {
namespace {

using runtime::Argument;
using Wide = std::int64_t;

constexpr std::size_t kTallBytes = std::size_t{256} << 20;  // of work at a time

// A kernel with how it is launched.
struct Plan {
  runtime::Kernel kernel;
  int threads = kSvdLaneThreads;    // of a block
  int per_block = kSvdLaneThreads;  // matrices
  std::size_t local_bytes = 0;
};

template <class T>
Plan lane_plan(const DeviceInfo& device, int n, SvdLaneKernel which) {
  static constexpr const char* names[] = {"svd_lanes", "smallest_vector_lanes", "symmetric_lanes",
                                          "svd_tall_factor", "svd_tall_apply"};
  Plan plan;
  plan.kernel.entry = names[static_cast<int>(which)];
  if (device.kind == DeviceKind::opencl) {
    // A program of each, because compilers take seconds for all.
    const bool tall = which == SvdLaneKernel::tall_factor || which == SvdLaneKernel::tall_apply;
    const int size = tall ? kSvdLaneSizes[0]
                          : *std::find_if(std::begin(kSvdLaneSizes), std::end(kSvdLaneSizes),
                                          [&](int s) { return n <= s; });
    plan.kernel.text = "svd_lanes";
    plan.kernel.constants = {{"REAL_IS_FLOAT", sizeof(T) == 4 ? 1 : 0},
                             {"GROUP_SIZE", kSvdLaneThreads},
                             {"SVD_LARGEST", size},
                             {"SVD_LANE_KERNEL", tall ? static_cast<int>(SvdLaneKernel::tall_factor)
                                                      : static_cast<int>(which)}};
    plan.threads = plan.per_block = std::min(kSvdLaneThreads, device.max_group);
  }
#ifdef BIFOCAL_HAS_CUDA
  if (device.kind == DeviceKind::cuda) plan.kernel.cuda = svd_lane_cuda_function<T>(n, which);
#endif
  return plan;
}

const SvdMapping& find_mapping(bool is_double, int n, int count) {
  if (forced_svd_mapping) return *forced_svd_mapping;
  return std::find_if(std::begin(kSvdTuning), std::end(kSvdTuning),
                      [&](const SvdTuning& row) {
                        return row.is_double == is_double && n <= row.largest &&
                               count <= row.largest_count;
                      })
      ->mapping;
}

template <class T>
Plan svd_plan(const DeviceInfo& device, int n, int count) {
  if (device.kind == DeviceKind::opencl && !device.inline_ptx)
    return lane_plan<T>(device, n, SvdLaneKernel::svd);
  SvdMapping mapping = find_mapping(sizeof(T) == 8, n, count);
  const bool registers = mapping.places == 0;
  // Work-items of several warps cannot meet without waiting for all of the group.
  if (device.kind == DeviceKind::opencl && !registers) mapping.threads = 32;
  Plan plan;
  plan.kernel.entry = registers ? "svd_registers_kernel" : "svd_columns_kernel";
  plan.kernel.text = "svd_groups";
  plan.kernel.constants = {{"REAL_IS_FLOAT", sizeof(T) == 4 ? 1 : 0},
                           {"GROUP_SIZE", mapping.threads}};
  if (registers) {
    plan.kernel.constants.emplace_back("SVD_SIZE", n);
  } else {
    plan.kernel.constants.insert(plan.kernel.constants.end(), {{"SVD_PLACES", mapping.places},
                                                               {"SVD_ROWS", mapping.rows},
                                                               {"SVD_BLOCKS", mapping.blocks},
                                                               {"SVD_PAIRS", svd_pairs(mapping)}});
  }
#ifdef BIFOCAL_HAS_CUDA
  if (device.kind == DeviceKind::cuda) plan.kernel.cuda = svd_cuda_function<T>(n, mapping);
#endif
  plan.threads = mapping.threads;
  plan.per_block = mapping.threads / svd_team_size(mapping);
  plan.local_bytes = svd_local_bytes(mapping, n, sizeof(T));
  return plan;
}

void launch_for(Queue& queue, const Plan& plan, int count, std::span<const Argument> arguments) {
  runtime::launch(queue, plan.kernel,
                  {.count = count,
                   .groups = (count + plan.per_block - 1) / plan.per_block,
                   .group_size = plan.threads,
                   .local_bytes = plan.local_bytes},
                  arguments);
}

// Matrices in the device's memory: element e of matrix b of A at e in_element + b in_matrix.
struct SvdCall {
  Argument A;
  Wide in_element, in_matrix;
  Argument S, V, U, status;
  Wide out_element;
  bool interleaved;  // of the outputs
  int n, rows, u_rows, max_sweeps;
};

void launch_svd(Queue& queue, const Plan& plan, const SvdCall& c, int first, int count) {
  const Argument arguments[] = {
      c.A,           c.in_element,          c.in_matrix, c.S,    c.V,      c.U,          c.status,
      c.out_element, c.interleaved ? 1 : 0, c.n,         c.rows, c.u_rows, c.max_sweeps, first,
      count};
  launch_for(queue, plan, count, arguments);
}

// The plans of a tall matrix: its triangle, what is wanted of that, and back (not always).
struct TallPlan {
  Plan factor, inner, apply;
};

// rows > n: a QR, then the triangle through the inner plan, then U and the scale.
template <class T>
void launch_tall(Queue& queue, const TallPlan& plan, const SvdCall& c, int count) {
  const int m = c.rows, n = c.n;
  const auto each = static_cast<std::size_t>((m + 1) * n);
  const int chunk = std::min(count, std::max(1, static_cast<int>(kTallBytes / (each * sizeof(T)))));
  runtime::Workspace workspace(queue);
  const auto all = static_cast<std::size_t>(count);
  const Buffer<T> work = workspace.template take<T>(each * static_cast<std::size_t>(chunk));
  const Buffer<T> R = workspace.template take<T>(static_cast<std::size_t>(n * n) * all);
  const Buffer<T> scales = workspace.template take<T>(all);
  SvdCall triangle = c;
  triangle.A = R;
  triangle.in_element = count;
  triangle.in_matrix = 1;
  triangle.rows = n;
  for (int first = 0; first < count; first += chunk) {
    const int some = std::min(chunk, count - first);
    const Argument factor[] = {c.A, c.in_element, c.in_matrix, m,     n,   work,
                               R,   Wide{count},  scales,      first, some};
    launch_for(queue, plan.factor, some, factor);
    launch_svd(queue, plan.inner, triangle, first, some);
    if (plan.apply.kernel.entry.empty()) continue;
    const Argument apply[] = {work,  m,   n, scales, c.S, c.U, c.out_element, c.interleaved ? 1 : 0,
                              first, some};
    launch_for(queue, plan.apply, some * n, apply);
  }
}

template <class T>
TallPlan tall_plan(const DeviceInfo& device, int n, Plan inner, bool with_values) {
  TallPlan plan;
  plan.inner = std::move(inner);
  plan.factor = lane_plan<T>(device, n, SvdLaneKernel::tall_factor);
  if (with_values) plan.apply = lane_plan<T>(device, n, SvdLaneKernel::tall_apply);
  return plan;
}

// The batch as the kernels see it: steps of its arrays.
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
  // Outputs S, V, U, status; strides of the input and of one output.
  [[nodiscard]] SvdCall call(const runtime::Piece& piece, const MatrixBatch<T>& A,
                             const Argument (&outputs)[4]) const {
    const Wide in_stride = piece.strides[0], out_stride = piece.strides[1];
    return {piece.arrays[0],
            interleaved ? in_stride : 1,
            interleaved ? 1 : in_stride,
            outputs[0],
            outputs[1],
            outputs[2],
            outputs[3],
            interleaved ? out_stride : 1,
            interleaved,
            A.cols,
            A.rows,
            A.rows,
            SvdOptions().max_sweeps};
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
  const TallPlan plan = tall_plan<T>(device, n, svd_plan<T>(device, n, A.count), true);
  const Layout<T> layout(A);
  const runtime::BatchArray arrays[] = {
      layout.input(A), layout.output(out.S, n), layout.output(out.V, n * n),
      layout.output(out.U, A.rows * k), layout.output(out.status, 1)};
  runtime::for_each_piece(queue, {A.count, layout.interleaved}, arrays,
                          [&](const runtime::Piece& piece) {
                            const auto& a = piece.arrays;
                            SvdCall call = layout.call(piece, A, {a[1], a[2], a[3], a[4]});
                            call.max_sweeps = options.max_sweeps;
                            if (A.rows > n) {
                              launch_tall<T>(piece.queue, plan, call, piece.count);
                            } else {
                              launch_svd(piece.queue, plan.inner, call, 0, piece.count);
                            }
                          });
}

template <class T>
void smallest_singular_vector_on_device(Queue& queue, const MatrixBatch<T>& A, Memory<T> x,
                                        Memory<int> status) {
  const DeviceInfo& device = queue.device().info();
  check_double("smallest_singular_vector", device, sizeof(T) == 8);
  const TallPlan plan = tall_plan<T>(
      device, A.cols, lane_plan<T>(device, A.cols, SvdLaneKernel::smallest_vector), false);
  const Layout<T> layout(A);
  const runtime::BatchArray arrays[] = {layout.input(A), layout.output(x, A.cols),
                                        layout.output(status, 1)};
  runtime::for_each_piece(
      queue, {A.count, layout.interleaved}, arrays, [&](const runtime::Piece& piece) {
        const Memory<T> none;
        const SvdCall call = layout.call(piece, A, {none, piece.arrays[1], none, piece.arrays[2]});
        if (A.rows > A.cols) {
          launch_tall<T>(piece.queue, plan, call, piece.count);
        } else {
          launch_svd(piece.queue, plan.inner, call, 0, piece.count);
        }
      });
}

template <class T>
void symmetric_eigen_on_device(Queue& queue, const MatrixBatch<T>& A,
                               const SymmetricEigenOutput<T>& out, const SvdOptions& options) {
  const DeviceInfo& device = queue.device().info();
  check_double("symmetric_eigen", device, sizeof(T) == 8);
  const int n = A.cols;
  const Plan plan = lane_plan<T>(device, n, SvdLaneKernel::symmetric);
  const Layout<T> layout(A);
  const runtime::BatchArray arrays[] = {layout.input(A), layout.output(out.values, n),
                                        layout.output(out.vectors, n * n),
                                        layout.output(out.status, 1)};
  runtime::for_each_piece(queue, {A.count, layout.interleaved}, arrays,
                          [&](const runtime::Piece& piece) {
                            const auto& a = piece.arrays;
                            SvdCall call = layout.call(piece, A, {a[1], a[2], Memory<T>(), a[3]});
                            call.max_sweeps = options.max_sweeps;
                            launch_svd(piece.queue, plan, call, 0, piece.count);
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
