// SPDX-License-Identifier: BSD-3-Clause
// A photograph of a pair from Python.
#pragma once

#include <bifocal/jobs.hpp>
#include <string>

#include "arrays.hpp"

namespace bifocal::python {

struct PhotographArgument {
  jobs::PairPhotograph photograph;
  std::string code;  // the argument in Python code, for commands on a page
  bool is_file = false;
};

// Reads a file by its name, copies an array, or converts a file that a Python package has decoded
// (_heic.Decoded). The last two have `name` or their file in messages. The code of an array is
// `name`.
[[nodiscard]] PhotographArgument photograph_argument(nb::handle object, const char* name);

}  // namespace bifocal::python
