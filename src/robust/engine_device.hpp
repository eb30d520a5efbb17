// SPDX-License-Identifier: BSD-3-Clause
// The search of many pairs on a GPU: every step a kernel for all pairs of a piece, nothing but how
// many trials are still wanted comes back between rounds.
#pragma once

#include <bifocal/device.hpp>

#include "robust/engine.hpp"
#include "robust/evidence.hpp"

namespace bifocal::robust {

// What the device says of a pair.
struct PairFound {
  Result result{};
  std::array<double, Lanes::INFO_SIZE> info{};
  int count = 0;  // finite points
  Evidence evidence{};
};

struct DeviceBatch {
  Problem problem = Problem::homography;
  Memory<const PointPair> points;             // of all pairs
  Memory<const double> weights, qualities;    // of all points, or null
  std::span<const std::int64_t> offsets;      // pairs + 1
  std::span<const Intrinsics> first, second;  // essential: one each
  RobustOptions options;
};

// found [pairs], inliers [offsets.back() - offsets.front()]: in the host's memory.
void search_on_device(Queue& queue, const DeviceBatch& batch, std::span<PairFound> found,
                      std::span<std::uint8_t> inliers);

}  // namespace bifocal::robust
