// SPDX-License-Identifier: BSD-3-Clause
// A Rectification does this with pictures (remap.cpp).
#pragma once

#include "devices.hpp"
#include "frames.hpp"

namespace bifocal::python {

// The left (0) or right (1) picture, rectified, in the memory where it lies.
[[nodiscard]] nb::object resample(const Rectification& r, int side, nb::handle image);
// Returns (x, y) of float32, px, NaN outside.
[[nodiscard]] nb::object sampling_positions(const Rectification& r, int side);
void bind_remap(nb::module_& m);

}  // namespace bifocal::python
