// SPDX-License-Identifier: BSD-3-Clause
// A photograph of a pair from Python.
#pragma once

#include "arrays.hpp"
#include "cameras.hpp"

namespace bifocal::python {

// Reads a file by its name, copies an array, or converts a file that a Python package has decoded
// (_heic.Decoded). The last two have `name` or their file in messages.
[[nodiscard]] cli::Photograph photograph_of(nb::handle object, const char* name);

}  // namespace bifocal::python
