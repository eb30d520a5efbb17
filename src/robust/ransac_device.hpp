// SPDX-License-Identifier: BSD-3-Clause
// RANSAC on many pairs on a GPU: every step is a kernel for all pairs of a piece. Between rounds,
// only the number of samples that each pair still needs is copied to the host.
#pragma once

#include <bifocal/device.hpp>

#include "robust/ransac_pair.hpp"
#include "runtime/kernel.hpp"

namespace bifocal::robust {

struct DeviceBatch {
  ModelKind problem;
  runtime::Argument points;   // of all pairs, if they are in device memory
  const double* host_points;  // of all pairs, if they are in host memory
  bool on_device;
  Memory<const double> weights, qualities;  // of all points, or null
  std::span<const std::int64_t> offsets;    // pairs + 1
  std::span<const Cameras> cameras;         // one per pair
  RobustOptions options;
};

// found [pairs] and inliers [offsets.back() - offsets.front()] are in host memory.
void ransac_on_device(Queue& queue, const DeviceBatch& batch, std::span<PairFound> found,
                      std::span<std::uint8_t> inliers);

}  // namespace bifocal::robust
