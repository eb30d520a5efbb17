// SPDX-License-Identifier: BSD-3-Clause
// A rectification, planar or polar, does this with pictures (remap.cpp).
#pragma once

#include <bifocal/rectify.hpp>

#include "devices.hpp"
#include "frames.hpp"

namespace bifocal::python {

// Samples the left (0) or right (1) picture in the memory where it lies.
[[nodiscard]] nb::object resampled(const SamplingMap& map, const char* name, nb::handle image);
template <class R>
nb::object resample(const R& r, int side, nb::handle image) {
  const auto map = [&] {
    const Unlocked unlocked;
    return sampling_map(r, side);
  };
  return resampled(map(), side == 0 ? "image1" : "image2", image);
}
// Returns (x, y) of float32, px, NaN outside.
[[nodiscard]] nb::object positions_of(const SamplingMap& map);
template <class R>
nb::object sampling_positions(const R& r, int side) {
  const auto map = [&] {
    const Unlocked unlocked;
    return sampling_map(r, side);
  };
  return positions_of(map());
}
void bind_remap(nb::module_& m);

}  // namespace bifocal::python
