// SPDX-License-Identifier: BSD-3-Clause
// The estimate of one pair and the steps of its call.
#pragma once

#include <bifocal/two_view.hpp>
#include <optional>

#include "frames.hpp"
#include "options.hpp"

namespace bifocal::python {

// Python's Estimate, which every estimator returns.
struct PairEstimate {
  ModelKind kind = ModelKind::homography;
  bool has_pose = false;
  RelativePoseResult result;  // has scene points if is_relative
  bool is_relative = false;
  nb::object frame{};  // array library of the points
  // Points on a device. complete() copies them to the host when a property of single points other
  // than their flags is read.
  nb::object rows{};
  std::vector<Intrinsics> cameras{};
};
void complete(PairEstimate& e);
// Returns the Estimate after complete().
[[nodiscard]] const PairEstimate& complete_estimate(nb::handle self);

// Number of columns of a point, and how many of its last columns are depths.
[[nodiscard]] inline int columns_of(const ProblemInfo& problem) {
  if (problem.takes_depths) return 6;
  return problem.is_two_view ? 4 : 5;
}
[[nodiscard]] inline int depths_of(const ProblemInfo& problem) {
  return problem.takes_depths ? 2 : 0;
}

// One array of a batch or of a pair, in host memory, or on the device, where it must be
// contiguous float64. `array` is null for None.
struct Column {
  AnyArray array;
  std::vector<double> copy;
  Memory<const double> memory{};
  std::int64_t rows = 0;
};
[[nodiscard]] Column column_of(nb::handle object, const char* name, int columns);

// Points of one pair on a CUDA device, for estimate_there().
struct DevicePoints {
  AnyArray left, right,
      depths;  // right, depths: separate arrays, or invalid if `left` has all columns
  nb::handle left_object, right_object, depths_object;
};
[[nodiscard]] PairEstimate estimate_there(ModelKind kind, const DevicePoints& points,
                                          const std::vector<AnyCamera>& cameras, nb::handle weights,
                                          nb::handle qualities, const RobustOptions& options,
                                          const std::optional<std::string>& device,
                                          nb::handle frame);

}  // namespace bifocal::python
