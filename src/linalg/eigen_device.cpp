// SPDX-License-Identifier: BSD-3-Clause
// real_eigenpairs on CUDA and OpenCL devices.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <iterator>
#include <string>

#include "linalg/eigen_device.hpp"
#include "linalg/tuning.hpp"
#include "runtime/staging.hpp"
#include "runtime/workspace.hpp"

namespace bifocal::linalg {
namespace {

// Local memory that the blocks of one multiprocessor may fill together; more blocks than fit wait.
constexpr std::size_t kLocalOfAll = 228 * 1024;
constexpr int kMostBlocks = 32;

struct Plan {
  EigenMapping mapping;
  runtime::Kernel kernel;
  std::size_t local_bytes = 0;  // of a block
  int per_block = 1;            // matrices
  bool work_in_global = false;
};

bool has_lane_kernel(int n) {
  return std::find(std::begin(kEigenLaneSizes), std::end(kEigenLaneSizes), n) !=
         std::end(kEigenLaneSizes);
}

// Drivers that compile the group kernels: on NVIDIA's a work-group is a warp, whose words are
// inline PTX; PoCL does not come to an end with so many barriers.
bool has_group_kernels(const DeviceInfo& device) {
  return device.kind == DeviceKind::cuda || device.driver.find("NVIDIA") != std::string::npos;
}

// A matrix a work-item, everything in global memory: any size on any OpenCL device.
template <class T>
Plan plan_in_global() {
  Plan plan;
  plan.mapping = {1, 8};
  plan.per_block = plan.mapping.threads;
  plan.work_in_global = true;
  plan.kernel.entry = "eigen_lanes";
  plan.kernel.text = "eigen";
  plan.kernel.constants = {{"REAL_IS_FLOAT", sizeof(T) == 4 ? 1 : 0},
                           {"GROUP_SIZE", plan.mapping.threads},
                           {"LANES_IN_GLOBAL", 1}};
  return plan;
}

template <class T>
Plan opencl_plan(const DeviceInfo& device, int n, EigenMapping mapping) {
  if (!has_group_kernels(device)) return plan_in_global<T>();
  Plan plan;
  const bool lanes = mapping.width == 1;
  const std::size_t each = eigen_room(n, mapping).local * sizeof(T);
  const std::size_t room = static_cast<std::size_t>(device.local_memory) - 1024;
  if (lanes) {
    mapping.threads = static_cast<int>(std::min<std::size_t>(32, room / each));
    if (mapping.threads < 8) return plan;
  } else {
    mapping.threads = mapping.width;
  }
  plan.mapping = mapping;
  plan.per_block = mapping.threads / mapping.width;
  plan.work_in_global = !lanes && each > room;
  plan.local_bytes = plan.work_in_global ? 0 : each * static_cast<std::size_t>(plan.per_block);
  plan.kernel.entry = lanes ? "eigen_lanes" : "eigen_groups";
  plan.kernel.text = "eigen";
  plan.kernel.constants = {{"REAL_IS_FLOAT", sizeof(T) == 4 ? 1 : 0},
                           {"GROUP_SIZE", mapping.threads}};
  if (lanes) plan.kernel.constants.emplace_back("SIZE", n);
  if (plan.work_in_global) plan.kernel.constants.emplace_back("WORK_IN_GLOBAL", 1);
  return plan;
}

template <class T>
Plan cuda_plan([[maybe_unused]] const DeviceInfo& device, [[maybe_unused]] int n,
               [[maybe_unused]] EigenMapping mapping) {
  Plan plan;
#ifdef BIFOCAL_HAS_CUDA
  plan.mapping = mapping;
  plan.per_block = mapping.threads / mapping.width;
  plan.local_bytes =
      eigen_room(n, mapping).local * sizeof(T) * static_cast<std::size_t>(plan.per_block);
  if (plan.local_bytes > static_cast<std::size_t>(device.local_memory)) return plan;
  plan.kernel.cuda = eigen_cuda_function<T>(n, mapping);
  if (plan.kernel.cuda) plan.kernel.entry = mapping.width == 1 ? "eigen_lanes" : "eigen_groups";
#endif
  return plan;
}

// The plan of a mapping; without a kernel where the device has none for it.
template <class T>
Plan make_plan(const DeviceInfo& device, int n, const EigenMapping& mapping) {
  if (mapping.width == 1 && !has_lane_kernel(n) && has_group_kernels(device)) return {};
  return device.kind == DeviceKind::cuda ? cuda_plan<T>(device, n, mapping)
                                         : opencl_plan<T>(device, n, mapping);
}

template <class T>
Plan choose_plan(const DeviceInfo& device, int n) {
  if (forced_eigen_mapping) return make_plan<T>(device, n, *forced_eigen_mapping);
  for (const EigenTuning& row : kEigenTuning) {
    if (row.kind != device.kind || row.is_double != (sizeof(T) == 8) || n > row.largest) continue;
    Plan plan = make_plan<T>(device, n, row.mapping);
    if (!plan.kernel.entry.empty()) return plan;
  }
  return {};
}

template <class T>
void launch_piece(const Plan& plan, const runtime::Piece& piece, const DeviceInfo& device, int n,
                  bool interleaved, const EigenOptions& options) {
  const auto fits = static_cast<int>(kLocalOfAll / (plan.local_bytes + 1024));
  const int blocks = std::min((piece.count + plan.per_block - 1) / plan.per_block,
                              std::max(1, device.cores) * std::clamp(fits, 1, kMostBlocks));
  runtime::Workspace workspace(piece.queue);
  const EigenRoom room = eigen_room(n, plan.mapping);
  const Buffer<T> kept = workspace.template take<T>(
      (room.kept + (plan.work_in_global ? room.local : 0)) *
      static_cast<std::size_t>(plan.per_block) * static_cast<std::size_t>(blocks));
  using Wide = std::int64_t;
  const auto& stride = piece.strides;
  const bool wide = interleaved;
  const Wide element = wide ? stride[0] : 1, matrix = wide ? 1 : stride[0];
  const Wide out_element = wide ? stride[1] : 1, values_matrix = wide ? 1 : stride[1];
  const Wide vectors_matrix = wide ? 1 : n * n;
  const auto& a = piece.arrays;
  const runtime::Argument arguments[] = {a[0],
                                         element,
                                         matrix,
                                         a[1],
                                         a[2],
                                         a[3],
                                         a[4],
                                         a[5],
                                         a[6],
                                         a[7],
                                         out_element,
                                         values_matrix,
                                         vectors_matrix,
                                         kept,
                                         n,
                                         options.balance ? 1 : 0,
                                         options.max_sweeps_per_value,
                                         piece.count};
  runtime::launch(piece.queue, plan.kernel,
                  {.count = piece.count,
                   .groups = blocks,
                   .group_size = plan.mapping.threads,
                   .local_bytes = plan.local_bytes},
                  arguments);
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
  const Plan plan = choose_plan<T>(device, n);
  if (plan.kernel.entry.empty())
    throw Error(ErrorCode::device,
                fmt::format("real_eigenpairs: {} ({}) has no room for {} x {} matrices: {} bytes "
                            "of local memory",
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

template void real_eigenpairs_on_device(Queue&, const MatrixBatch<float>&,
                                        const EigenOutput<float>&, const EigenOptions&);
template void real_eigenpairs_on_device(Queue&, const MatrixBatch<double>&,
                                        const EigenOutput<double>&, const EigenOptions&);

}  // namespace bifocal::linalg
