// SPDX-License-Identifier: BSD-3-Clause
// The search of many pairs on a GPU: every step a kernel for all pairs of a piece, nothing but how
// many trials are still wanted comes back between rounds.
#pragma once

#include <bifocal/device.hpp>

#include "robust/search_pair.hpp"
#include "runtime/kernel.hpp"

namespace bifocal::robust {

struct DeviceBatch {
  ModelKind problem;
  runtime::Argument points;   // of all pairs, where they are in memory of the device
  const double* host_points;  // else
  bool on_device;
  Memory<const double> weights, qualities;  // of all points, or null
  std::span<const std::int64_t> offsets;    // pairs + 1
  std::span<const Cameras> cameras;         // one a pair
  RobustOptions options;
};

// found [pairs], inliers [offsets.back() - offsets.front()]: in the host's memory.
void search_on_device(Queue& queue, const DeviceBatch& batch, std::span<PairFound> found,
                      std::span<std::uint8_t> inliers);

}  // namespace bifocal::robust
