// SPDX-License-Identifier: BSD-3-Clause
// Images through sampling maps (remap.cpp).
#pragma once

#include <bifocal/rectify.hpp>

#include "devices.hpp"
#include "frames.hpp"

namespace bifocal::python {

// Samples an image through a map in the memory where the image lies. `name`: of the argument.
[[nodiscard]] nb::object resampled(const SamplingMap& map, const char* name, nb::handle image);
// Returns (x, y) of float32, px, NaN outside.
[[nodiscard]] nb::object positions_of(const SamplingMap& map);
void bind_remap(nb::module_& m);

}  // namespace bifocal::python
