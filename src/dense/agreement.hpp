// SPDX-License-Identifier: BSD-3-Clause
// Compares the planes of an image with the planes of other images.
#pragma once

#include <bifocal/dense.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include "dense/plan.hpp"
#include "dense/slots.hpp"

namespace bifocal::dense {

// The depths of an image that other images confirm.
struct AgreedDepth {
  DenseMap map;
  std::vector<std::uint8_t> is_new;  // [height][width]: 1 if no earlier image has the point
};

class Comparer {
 public:
  Comparer(Queue& queue, const Shape& largest, int most_views);

  // Compares a view with the views `with`, whose planes are in `maps`: slot_of[0] is the slot of
  // the view, slot_of[k] of with[k - 1].
  [[nodiscard]] AgreedDepth compare(Queue& queue, const Slots<float>& maps,
                                    std::span<const PlannedView> plan, std::size_t view,
                                    std::span<const int> with, std::span<const int> slot_of,
                                    int least_agreeing);

 private:
  void launch(Queue& queue, const Slots<float>& maps, const Shape& shape, int views,
              int least_agreeing);
  [[nodiscard]] AgreedDepth on_host(const Shape& shape) const;

  static constexpr std::size_t kOutputs = 7;
  Buffer<int> places_, earlier_;
  Buffer<float> geometry_, intrinsics_, agreed_, agreed_deviation_;
  // agreeing, is_new, depth, deviation, and the three components of normals
  std::vector<Buffer<float>> outputs_;
  HostBuffer<float> host_;
  std::size_t largest_;
  Shape last_;
};

}  // namespace bifocal::dense
