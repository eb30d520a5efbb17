// SPDX-License-Identifier: BSD-3-Clause
// Sampling of images through maps (remap.cpp).
#pragma once

#include <bifocal/rectify.hpp>

#include "devices.hpp"
#include "frames.hpp"

namespace bifocal::python {

// Samples an image through a map, on the host or the CUDA device that holds it. name: the
// argument's name for messages.
[[nodiscard]] nb::object resampled(const SamplingMap& map, const char* name, nb::handle image);
// Returns (x, y) of float32, px, NaN outside.
[[nodiscard]] nb::object positions_of(const SamplingMap& map);
void bind_remap(nb::module_& m);

}  // namespace bifocal::python
