// SPDX-License-Identifier: BSD-3-Clause
// The order of observations in memory: by points and by images (adjust.kernels).
#pragma once

#include <bifocal/adjust.hpp>

#include <cstddef>
#include <vector>

namespace bifocal::adjustment {

// Throws Error(usage) for input that AdjustProblem refuses.
void check_problem(const AdjustProblem& problem);
// Throws Error(device) if the device has no double precision.
void check_device(const Device& device);

// Says of every observation whether it is used.
[[nodiscard]] std::vector<ObservationUse> observation_uses(const AdjustProblem& problem);

// Observations in slices of SLICE lanes.
struct Rows {
  int lanes = 0;                 // a multiple of SLICE
  std::vector<int> rows;         // first row of each slice, and their number
  std::vector<int> other;        // image or lane of the point, [row][SLICE]
  std::vector<double> px, py;    // [row][SLICE]; NaN past the end of a lane
  std::vector<int> observation;  // of the problem, [row][SLICE]; -1 past the end of a lane
};

struct Arrangement {
  Rows by_point;                  // lanes are points, those with most observations first
  std::vector<int> lane_point;    // point of each lane; -1 past the last one
  std::vector<double> is_free;    // 0 for a constant point and past the last lane, else 1
  Rows by_view;                   // lanes are chunks, full chunks first
  std::vector<int> chunk_images;  // image of each lane
  // Chunks of image i: lanes chunk_lane[k], k from first_chunk[i] to first_chunk[i + 1].
  std::vector<int> first_chunk, chunk_lane;
  std::vector<char> used_images;
  std::size_t observations = 0;  // used
};
[[nodiscard]] Arrangement arrange(const AdjustProblem& problem,
                                  const std::vector<ObservationUse>& uses);

// Parts of the problem that share no point.
[[nodiscard]] int part_count(const AdjustProblem& problem, const std::vector<ObservationUse>& uses);

}  // namespace bifocal::adjustment
