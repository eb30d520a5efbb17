// SPDX-License-Identifier: BSD-3-Clause
// Points of a batch of images on a device, from their detection to their final order.
//
// Atomic counters fill the lists in any order. The kept points are sorted by all their properties,
// so that the results do not depend on the order of the work.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/features.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/order.hpp"
#include "features/points.kernels.hpp"
#include "features/records.hpp"
#include "runtime/integers.hpp"
#include "runtime/uploaded.hpp"

namespace bifocal::features {

// Destination of the features of image k: `most` positions from begin + k * most on, and
// numbers[first + k] for their number.
struct FeatureOutput {
  // Returns the destination as a kernel argument.
  [[nodiscard]] kernels::feature_list<float> list() const;

  Buffer<Keypoint> keypoints;
  Buffer<std::uint8_t> descriptors;
  Buffer<int> numbers;
  std::int64_t begin = 0;
  int first = 0, most = 0;
  Buffer<KeypointShape> shapes = {};  // only if shapes are wanted
};

using runtime::uploaded;

class PointsDevice {
 public:
  // capacity: limit of the points per image; height: rows of an image; scale: px of the image per
  // px of the first octave; shift: position of its first pixel.
  PointsDevice(Queue& queue, int batch, int capacity, int height, float scale, float shift);

  // Returns the bytes of device memory per image.
  [[nodiscard]] static std::size_t bytes(int capacity, int height);
  [[nodiscard]] int capacity() const { return capacity_; }

  // mask: for all images, or empty.
  void set_mask(const ImageU8& mask);
  // Return the points as a kernel argument: `added` for kernels that add points to images of a
  // width, `list` for kernels that read them, `ranked` for kernels that describe them in
  // their order.
  [[nodiscard]] kernels::new_points<float> added(int width) const;
  [[nodiscard]] kernels::point_list<float> list() const;
  [[nodiscard]] kernels::ranked_points<float> ranked(int candidate_capacity) const;
  // Resets all counts before a batch of `count` images.
  void clear(int count, const FeatureOutput& out);
  // Drops weaker copies of a point. With `again`, only in images for which it is not 0.
  void drop_copies(int count, const Buffer<std::uint32_t>* again = nullptr);
  // Sorts the remaining points. If more than `most` remain and the grid has cells, the cells select
  // points in rounds.
  void order(int count, const Grid& grid, int most);
  // Returns whether more candidates than candidate_capacity, or more points than the capacity, were
  // found; waits for the queue. tile_full: whether a tile of the search exceeded its capacity.
  [[nodiscard]] bool was_full(int count, int candidate_capacity, bool* tile_full);

  Buffer<candidate_count> counts;
  // Per image: number of `found` points, number of `kept` points, and height + 1 `rows`.
  Buffer<std::uint32_t> found, kept, rows;

 private:
  Queue* queue_;
  int capacity_, height_;
  float scale_, shift_;
  Buffer<octave_point> points_;
  // The final order is in sorted_ or keys_, depending on the number of points.
  Buffer<sort_key> keys_, sorted_;
  Buffer<std::uint32_t> begins_, order_, rounds_;
  Buffer<std::uint8_t> mask_;
  int mask_width_ = 0;  // 0: no mask
};

}  // namespace bifocal::features
