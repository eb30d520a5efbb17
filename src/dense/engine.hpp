// SPDX-License-Identifier: BSD-3-Clause
// The two passes of dense depth over all images, with images and planes wherever the caller keeps
// them.
#pragma once

#include <bifocal/dense.hpp>

#include <functional>
#include <span>
#include <vector>

#include "dense/plan.hpp"

namespace bifocal::dense {

inline constexpr int kPasses = 2;  // of matching

// Where images come from and planes of the first pass go. Functions are called on the thread of
// run(), in the order of views.
struct Storage {                                       // pass: from 0 to kPasses - 1
  std::function<ImageU8(int view)> image;              // grey or RGB
  std::function<bool(int view, int pass)> has_planes;  // from an earlier run
  std::function<void(int view, int pass, std::span<const float>)> write_planes;
  std::function<void(int view, int pass, std::span<float>)> read_planes;
  // Takes the depth of a view and its new points.
  std::function<void(int view, DenseMap&&, std::vector<FusedPoint>&&)> take;
};

// Throws Error(usage) for an option out of its range, and if min_depth is not below max_depth.
void check_ranges(const DenseOptions& options);

// Throws as dense_depth().
void run(Queue& queue, std::span<const PlannedView> plan, const Storage& storage,
         const DenseOptions& options);

}  // namespace bifocal::dense
