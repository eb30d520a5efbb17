// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../options.hpp"

namespace bifocal::python {

void bind_adjust(nb::module_& m);
void bind_colmap_model(nb::module_& m);
void bind_mapping(nb::module_& m);

}  // namespace bifocal::python
