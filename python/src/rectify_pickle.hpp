// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <bifocal/rectify.hpp>

namespace bifocal::python {

// Return and restore the pickled state of a rectification.
[[nodiscard]] nanobind::tuple state_of(const Rectification& rectification);
void restore(Rectification& rectification, const nanobind::tuple& state);

}  // namespace bifocal::python
