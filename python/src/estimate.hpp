// SPDX-License-Identifier: BSD-3-Clause
// One pair's estimate, and the pieces of its call.
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
  RelativePoseResult result;  // its scene points are filled in where is_relative
  bool is_relative = false;
  nb::object frame{};  // of the points
  // Points that lie on a device. They come to the host when it is asked for what is said of single
  // points beyond their flags: complete().
  nb::object rows{};
  std::vector<Intrinsics> cameras{};
};
void complete(PairEstimate& e);
// The Estimate, completed.
[[nodiscard]] const PairEstimate& complete_estimate(nb::handle self);

// The numbers of a point, and how many of them, behind the others, are depths.
[[nodiscard]] inline int columns_of(const ProblemInfo& problem) {
  if (problem.takes_depths) return 6;
  return problem.is_two_view ? 4 : 5;
}
[[nodiscard]] inline int depths_of(const ProblemInfo& problem) {
  return problem.takes_depths ? 2 : 0;
}

// One array of the batch or of a pair: of the host, or at an address of the device, where it has to
// be contiguous float64. `array` is null for None.
struct Column {
  AnyArray array;
  std::vector<double> copy;
  Memory<const double> memory{};
  std::int64_t rows = 0;
};
[[nodiscard]] Column column_of(nb::handle object, const char* name, int columns);

// This estimates one pair whose points lie on a CUDA device.
struct DevicePoints {
  AnyArray left, right, depths;  // right, depths: of other arrays, or not valid
  nb::handle left_object, right_object, depths_object;
};
[[nodiscard]] PairEstimate estimate_there(ModelKind kind, const DevicePoints& points,
                                          const std::vector<AnyCamera>& cameras, nb::handle weights,
                                          nb::handle qualities, const RobustOptions& options,
                                          const std::optional<std::string>& device,
                                          nb::handle frame);

}  // namespace bifocal::python
