// SPDX-License-Identifier: BSD-3-Clause
// PatchMatch on several views: planes of one image from their patches in its source views.
#pragma once

#include <bifocal/device.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "dense/plan.hpp"
#include "dense/slots.hpp"

namespace bifocal::dense {

// Planes of an image: the padded arrays w, wx, wy and the deviation of w, one after another. w is
// NaN where it is unknown.
inline constexpr std::size_t kPlaneArrays = 4;

// Arrays of a view and its sources: of[0] is the slot of the view, of[k] of source k - 1.
template <class T>
struct ViewSlots {
  const Slots<T>* slots = nullptr;  // null: none
  std::vector<int> of = {};
};

// Memory for the planes of images of at most `largest`, on the device of the queue.
class PatchMatcher {
 public:
  PatchMatcher(Queue& queue, const Shape& largest, int most_views);

  // Starts to match a view with its sources. With maps, planes that agree with the planes of the
  // sources cost less.
  void start(Queue& queue, const ViewSlots<std::uint32_t>& images, const ViewSlots<float>& maps,
             std::span<const PlannedView> plan, std::size_t view);
  // Waits and writes kPlaneArrays * shape.size() numbers.
  void finish(Queue& queue, const Shape& shape, std::span<float> planes);

 private:
  struct Planes {
    Buffer<float> w, wx, wy;
  };
  struct Level {
    Shape shape;
    Buffer<int> places;
    Buffer<float> geometry;
    std::vector<int> host_places;
    std::vector<float> host_geometry;
  };
  // Ranges of random planes.
  struct Guess {
    float farthest, nearest, slope;
  };
  void upload(Queue& queue, Level& level, std::span<const int> slot_of,
              std::span<const PlannedView> plan, std::size_t view, int number);
  [[nodiscard]] kernels::patch_views<float> views_of(const ViewSlots<std::uint32_t>& images,
                                                     const ViewSlots<float>& maps,
                                                     const PlannedView& view, int number) const;
  [[nodiscard]] kernels::patch_state<float> state_of(int number) const;
  void begin(Queue& queue, const Guess& guess, int number, bool is_coarsest);
  void end(Queue& queue, const kernels::patch_views<float>& views, const PlannedView& view,
           int count);
  void run(Queue& queue, const ViewSlots<std::uint32_t>& images, const ViewSlots<float>& maps,
           const PlannedView& view, int number, int levels);

  std::array<Planes, 2> planes_;  // of even and odd levels
  Buffer<float> cost_, mean_, variance_, deviation_, random_;
  std::vector<Level> levels_;
  Level maps_;  // the finest one
};

}  // namespace bifocal::dense
