// SPDX-License-Identifier: BSD-3-Clause
// The points of a batch of pictures on a device, from where they are found to their final order.
//
// Lists are filled by atomic counters in any order; what is kept is sorted by all that a point is,
// so that no order of the work shows.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/features.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/order.hpp"
#include "features/points.kernels.hpp"
#include "features/records.hpp"
#include "runtime/uploaded.hpp"

namespace bifocal::features {

// Where the features of picture k go: `most` places from begin + k * most on, and how many they are
// to numbers[first + k].
struct FeatureOutput {
  // Returns it as an argument of kernels.
  [[nodiscard]] kernels::feature_list<float> list() const;

  Buffer<Keypoint> keypoints;
  Buffer<std::uint8_t> descriptors;
  Buffer<int> numbers;
  std::int64_t begin = 0;
  int first = 0, most = 0;
  Buffer<KeypointShape> shapes = {};  // where they are asked for
};

using runtime::uploaded;

[[nodiscard]] constexpr int divided_up(int a, int b) { return (a + b - 1) / b; }

class PointsDevice {
 public:
  // room: points of a picture of `height` rows at most. scale: px of the picture a px of the first
  // octave; shift: where its first pixel lies.
  PointsDevice(Queue& queue, int batch, int room, int height, float scale, float shift);

  // Bytes of the device's memory for one picture.
  [[nodiscard]] static std::size_t bytes(int room, int height);
  [[nodiscard]] int room() const { return room_; }

  // Of all pictures, or empty.
  void set_mask(const ImageU8& mask);
  // Return the points as an argument of kernels that add some to pictures of a width, read them, or
  // describe them in their order.
  [[nodiscard]] kernels::new_points<float> added(int width) const;
  [[nodiscard]] kernels::point_list<float> list() const;
  [[nodiscard]] kernels::ranked_points<float> ranked(int candidate_room) const;
  // Before a batch of `count` pictures.
  void clear(int count, const FeatureOutput& out);
  // Drops weaker copies of a point; with `again` of those pictures alone for which it is not 0.
  void drop_copies(int count, const Buffer<std::uint32_t>* again = nullptr);
  // Sorts the rest; of more than `most` those that the cells of a grid choose in turn, if it has
  // some.
  void order(int count, const Grid& grid, int most);
  // Whether more candidates than candidate_room, or more points than there is room for, were found;
  // waits. tile_full: whether a tile of the search had more than it has room for.
  [[nodiscard]] bool was_full(int count, int candidate_room, bool* tile_full);

  Buffer<candidate_count> counts;
  // Of each image: `found` points, `kept` of them, height + 1 `rows`.
  Buffer<std::uint32_t> found, kept, rows;

 private:
  Queue* queue_;
  int room_, height_;
  float scale_, shift_;
  Buffer<octave_point> points_;
  // The final order is in sorted_ or keys_, as the number of points says.
  Buffer<sort_key> keys_, sorted_;
  Buffer<std::uint32_t> begins_, order_, rounds_;
  Buffer<std::uint8_t> mask_;
  int mask_width_ = 0;  // 0: no mask
};

}  // namespace bifocal::features
