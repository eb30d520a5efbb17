// SPDX-License-Identifier: BSD-3-Clause
// Launches for the kernels of points.cpp and undistorted_points.cpp.
#pragma once

#include "verify/gather.kernels.hpp"

namespace bifocal::verify {

[[nodiscard]] inline const kernels::gather::launch<double>& gather() {
  static const kernels::gather::launch<double> launch(kernels::gather::GATHER_THREADS);
  return launch;
}

}  // namespace bifocal::verify
