// SPDX-License-Identifier: BSD-3-Clause
// Common parts of the trials of the historical systems: points in device memory, and the selected
// trial. A trial is a sample, its models and their numbers of inliers among all points; no data
// leave the device meanwhile.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/geometry.hpp>

#include <limits>
#include <span>
#include <vector>

#include "runtime/kernel.hpp"

namespace bifocal::kernels {
void add_bifocal_bench();  // generated (cmake/BifocalKernels.cmake)
}

namespace bifocal::bench::seeds {

inline constexpr int kWidestGroup = 64;

// Threads of a counting group. All other work needs few threads; smaller groups spread it over more
// of a GPU.
inline constexpr int kGroupSize = 128, kThreadsPerBlock = 32;
[[nodiscard]] inline runtime::Launch per_trial(int trials,
                                               int threads_per_block = kThreadsPerBlock) {
  return {.count = trials, .group_size = threads_per_block};
}
// The kernels' source, compiled with the first call.
[[nodiscard]] inline runtime::Constants text_constants(int sample_size) {
  kernels::add_bifocal_bench();
  return {{"SAMPLE_SIZE", sample_size}, {"WIDEST_GROUP", kWidestGroup}, {"LANE_STRIDE", 1}};
}

// Columns x1 y1 x2 y2 of correspondences, `stride` numbers each, a multiple of kWidestGroup; NaN
// beyond the last correspondence.
template <class T>
struct PointColumns {
  PointColumns(Queue& queue, std::span<const PointPair> points)
      : count(static_cast<int>(points.size())),
        stride((count + kWidestGroup - 1) / kWidestGroup * kWidestGroup),
        columns(queue.device(), 4 * static_cast<std::size_t>(stride)) {
    const auto rows = static_cast<std::size_t>(stride);
    std::vector<T> numbers(4 * rows, std::numeric_limits<T>::quiet_NaN());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const PointPair& p = points[i];
      const double coordinates[] = {p.x1, p.y1, p.x2, p.y2};
      for (std::size_t c = 0; c < 4; ++c) numbers[c * rows + i] = static_cast<T>(coordinates[c]);
    }
    columns.upload(queue, numbers);
    queue.wait();
  }

  int count, stride;
  Buffer<T> columns;
};

// Rows of `trials` numbers each. A register of a CPU may read beyond the last row.
template <class T>
[[nodiscard]] Buffer<T> trial_rows(const Device& device, int rows, int trials) {
  return Buffer<T>(
      device, static_cast<std::size_t>(rows) * static_cast<std::size_t>(trials) + kWidestGroup);
}

// The model with the most inliers, the first of equals; model g is number g / trials of trial g %
// trials. Without inliers its content is undefined.
struct Chosen {
  int model = 0, inliers = 0;
  Mat3 matrix{};
};
template <class T>
struct ChosenTrial {
  explicit ChosenTrial(const Device& device) : number(device, 2), matrix(device, 9) {}
  // Waits for the device.
  [[nodiscard]] Chosen download(Queue& queue) const {
    int of_number[2];
    T of_matrix[9];
    number.download(queue, of_number);
    matrix.download(queue, of_matrix);
    queue.wait();
    Chosen out{of_number[0], of_number[1], {}};
    for (std::size_t k = 0; k < 9; ++k) out.matrix[k] = of_matrix[k];
    return out;
  }

  Buffer<int> number;
  Buffer<T> matrix;
};

}  // namespace bifocal::bench::seeds
