// SPDX-License-Identifier: BSD-3-Clause
// The parts of suite `stereo`.
#pragma once

#include "bench.hpp"

namespace bifocal::bench {

// Semi-global matching of frames on a GPU (suite_stereo_device.cpp).
void run_stereo_device(Context& context);

}  // namespace bifocal::bench
