// SPDX-License-Identifier: BSD-3-Clause
// Priors of bundle adjustment (bifocal/priors).
#pragma once

#include <nanobind/nanobind.h>

#include <bifocal/adjust.hpp>

namespace bifocal::python {

// Reads the tables of bifocal/priors, which has checked shapes. Throws Error(usage) for an unknown
// loss.
[[nodiscard]] AdjustPriors priors_of(const nanobind::dict& tables);
// Returns the residuals by kind.
[[nodiscard]] nanobind::dict residuals_dict(const PriorResiduals& residuals);

}  // namespace bifocal::python
