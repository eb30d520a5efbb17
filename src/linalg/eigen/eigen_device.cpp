// SPDX-License-Identifier: BSD-3-Clause
// real_eigenpairs on CUDA and OpenCL devices.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <iterator>
#include <limits>
#include <string>

#include "linalg/eigen/eigen.kernels.hpp"
#include "linalg/eigen/eigen_device.hpp"
#include "linalg/eigen/tuning.hpp"
#include "runtime/staging.hpp"
#include "runtime/workspace.hpp"

namespace bifocal::linalg {
namespace {

// Local memory that the blocks of one multiprocessor can use together; further blocks wait.
constexpr std::size_t kMultiprocessorLocalMemory = 228 * 1024;
constexpr int kMostBlocks = 32;

// How a device computes one matrix size. mapping.threads is 0 if the device has no kernel for the
// size or too little memory.
struct Plan {
  EigenMapping mapping = {0, 0};
  std::size_t local_bytes = 0;  // per block
  std::size_t kept = 0;         // numbers of global memory per matrix
  int size = 1;                 // constant SIZE of the kernels
  // Constant of the kernels that selects the memory for `work`.
  const char* where = "WORK_IN_LOCAL";
  [[nodiscard]] int per_block() const { return mapping.threads / mapping.width; }
};

bool has_lane_kernel(int n) {
  static constexpr int sizes[] = {EIGEN_LANE_SIZES};
  return std::find(std::begin(sizes), std::end(sizes), n) != std::end(sizes);
}

Plan lane_plan(const DeviceInfo& device, int n, std::size_t number_bytes, EigenMapping mapping) {
  Plan plan = {.mapping = mapping, .kept = EIGEN_LANE_KEPT(std::size_t(n)), .size = n};
  const std::size_t each = EIGEN_LANE_WORK(std::size_t(n)) * number_bytes;
  if (!device.group_code) {  // all in global memory: any size on any OpenCL device
    plan.mapping = {1, 8};
    plan.kept += EIGEN_LANE_WORK(std::size_t(n));
    plan.size = EIGEN_LARGEST;
    plan.where = "LANES_IN_GLOBAL";
    plan.local_bytes = sizeof(double);
    return plan;
  }
  if (!has_lane_kernel(n)) return {};
  if (device.kind == DeviceKind::opencl) {
    const std::size_t capacity = static_cast<std::size_t>(device.local_memory) - 1024;
    plan.mapping.threads = static_cast<int>(std::min<std::size_t>(32, capacity / each));
    if (plan.mapping.threads < 8) return {};
  }
  plan.local_bytes = each * static_cast<std::size_t>(plan.mapping.threads);
  return plan;
}

Plan group_plan(const DeviceInfo& device, int n, std::size_t number_bytes, EigenMapping mapping) {
  Plan plan = {.mapping = mapping, .kept = EIGEN_GROUP_KEPT(std::size_t(n))};
  const std::size_t numbers = EIGEN_GROUP_WORK(std::size_t(n), mapping.width);
  if (device.kind == DeviceKind::opencl) {
    plan.mapping.threads = mapping.width;
    if (numbers * number_bytes > static_cast<std::size_t>(device.local_memory) - 1024) {
      plan.where = "WORK_IN_GLOBAL";
      plan.kept += numbers;
      plan.local_bytes = sizeof(double);
      return plan;
    }
  }
  plan.local_bytes = numbers * number_bytes * static_cast<std::size_t>(plan.per_block());
  return plan;
}

Plan make_plan(const DeviceInfo& device, int n, std::size_t number_bytes, EigenMapping mapping) {
  const bool lanes = mapping.width == 1 || !device.group_code;
  const Plan plan = lanes ? lane_plan(device, n, number_bytes, mapping)
                          : group_plan(device, n, number_bytes, mapping);
  return plan.local_bytes > static_cast<std::size_t>(device.local_memory) ? Plan() : plan;
}

Plan choose_plan(const DeviceInfo& device, int n, std::size_t number_bytes, int count) {
  if (forced_eigen_mapping) return make_plan(device, n, number_bytes, *forced_eigen_mapping);
  if (device.is_gpu && n >= kSmallestOfWarp && count <= kFewMatricesPerCore * device.cores) {
    const Plan plan = make_plan(device, n, number_bytes, {32, 32});
    if (plan.mapping.threads > 0) return plan;
  }
  for (const EigenTuning& row : kEigenTuning) {
    if (row.kind != device.kind || row.is_double != (number_bytes == 8) || n > row.largest)
      continue;
    const Plan plan = make_plan(device, n, number_bytes, row.mapping);
    if (plan.mapping.threads > 0) return plan;
  }
  return {};
}

// Returns the number of blocks that the device runs at once.
int resident_blocks(const Plan& plan, const DeviceInfo& device) {
  const auto fits = static_cast<int>(kMultiprocessorLocalMemory / (plan.local_bytes + 1024));
  return std::max(1, device.cores) * std::clamp(fits, 1, kMostBlocks);
}

template <class T>
void launch_piece(const Plan& plan, const runtime::Piece& piece, const DeviceInfo& device, int n,
                  bool interleaved, const EigenOptions& options) {
  using Kernels = kernels::eigen::launch<T>;
  const Kernels launch(plan.mapping.threads,
                       {{"WIDTH", plan.mapping.width}, {"SIZE", plan.size}, {plan.where, 1}});
  const int blocks = std::min((piece.count + plan.per_block() - 1) / plan.per_block(),
                              resident_blocks(plan, device));
  runtime::Workspace workspace(piece.queue);
  const Buffer<T> kept = workspace.template take<T>(
      plan.kept * static_cast<std::size_t>(plan.per_block()) * static_cast<std::size_t>(blocks));
  const std::int64_t in = piece.strides[0], out = piece.strides[1];
  const runtime::Launch how{
      .count = piece.count, .groups = blocks, .local_bytes = plan.local_bytes};
  const auto solve =
      [&]<class Args>(void (Kernels::*kernel)(Queue&, const runtime::Launch&, const Args&) const) {
        (launch.*kernel)(piece.queue, how,
                         Args{.A = piece.array<const T>(0),
                              .element = interleaved ? in : 1,
                              .matrix = interleaved ? 1 : in,
                              .values = piece.array<T>(1),
                              .vectors = piece.array<T>(2),
                              .counts = piece.array<int>(3),
                              .status = piece.array<int>(4),
                              .residuals = piece.array<T>(5),
                              .real_parts = piece.array<T>(6),
                              .imaginary_parts = piece.array<T>(7),
                              .out_element = interleaved ? out : 1,
                              .values_matrix = interleaved ? 1 : out,
                              .vectors_matrix = interleaved ? 1 : n * n,
                              .kept = kept,
                              .n = n,
                              .balance = options.balance,
                              .max_sweeps = options.max_sweeps_per_value});
      };
  plan.mapping.width == 1 ? solve(&Kernels::eigen_lanes) : solve(&Kernels::eigen_groups);
}

}  // namespace

template <class T>
void real_eigenpairs_on_device(Queue& queue, const MatrixBatch<T>& A, const EigenOutput<T>& out,
                               const EigenOptions& options) {
  const DeviceInfo& device = queue.device().info();
  const int n = A.rows;
  if (sizeof(T) == 8 && !device.has_double)
    throw Error(
        ErrorCode::device,
        fmt::format("real_eigenpairs: {} ({}) does not compute in double", device.id, device.name));
  const Plan plan = choose_plan(device, n, sizeof(T), A.count);
  if (plan.mapping.threads == 0)
    throw Error(
        ErrorCode::device,
        fmt::format("real_eigenpairs: {} ({}) has too little local memory for {} x {} matrices: {} "
                    "bytes",
                    device.id, device.name, n, n, device.local_memory));
  const bool interleaved = A.layout == MatrixLayout::interleaved;
  const int size = n * n;
  const std::ptrdiff_t dense = interleaved ? A.count : size;
  const std::ptrdiff_t in = A.stride != 0 ? A.stride : dense;
  const auto stride = [&](int numbers) { return interleaved ? in : std::ptrdiff_t{numbers}; };
  const runtime::BatchArray arrays[] = {runtime::input(A.data, size, in),
                                        runtime::output(out.values, n, stride(n)),
                                        runtime::output(out.vectors, size, stride(size)),
                                        runtime::output(out.counts, 1, stride(1)),
                                        runtime::output(out.status, 1, stride(1)),
                                        runtime::output(out.residuals, 1, stride(1)),
                                        runtime::output(out.real_parts, n, stride(n)),
                                        runtime::output(out.imaginary_parts, n, stride(n))};
  runtime::for_each_piece(queue, {A.count, interleaved}, arrays, [&](const runtime::Piece& piece) {
    launch_piece<T>(plan, piece, device, n, interleaved, options);
  });
}

int resident_matrices_on_device(const DeviceInfo& device, int n, std::size_t number_bytes) {
  const Plan plan = choose_plan(device, n, number_bytes, std::numeric_limits<int>::max());
  return plan.mapping.threads == 0 ? 0 : plan.per_block() * resident_blocks(plan, device);
}

template void real_eigenpairs_on_device(Queue&, const MatrixBatch<float>&,
                                        const EigenOutput<float>&, const EigenOptions&);
template void real_eigenpairs_on_device(Queue&, const MatrixBatch<double>&,
                                        const EigenOutput<double>&, const EigenOptions&);

}  // namespace bifocal::linalg
