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

// Where images come from and planes, maps and points go. Functions are called on the thread of
// run(), in the order of views, unless they say otherwise. pass: from 0 to kPasses - 1
struct Storage {
  std::function<ImageU8(int view)> read;  // a photograph, grey or RGB; on any thread
  // Makes the image of a view from its photograph.
  std::function<ImageU8(int view, ImageU8&& photograph)> undistort;
  std::function<bool(int view, int pass)> has_planes;  // from an earlier run
  std::function<void(int view, int pass, std::span<const float>)> write_planes;
  std::function<void(int view, int pass, std::span<float>)> read_planes;
  // Writes the depth of a view; `image` is empty without depth. On any thread.
  std::function<void(int view, const DenseMap&, const ImageU8& image)> write_map;
  // Takes the depth of a view and its new points, on another thread, but in the order of views.
  std::function<void(int view, DenseMap&&, std::span<const FusedPoint>)> take;
};

// Throws Error(usage) for an option out of its range, and if min_depth is not below max_depth.
void check_ranges(const DenseOptions& options);

// Throws as dense_depth().
void run(Queue& queue, std::span<const PlannedView> plan, const Storage& storage,
         const DenseOptions& options);

}  // namespace bifocal::dense
