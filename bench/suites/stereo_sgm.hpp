// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "frame/bench.hpp"

namespace bifocal::bench {

// Records of the time of stereo_sgm, with one thread compared with OpenCV and with two threads.
void time_sgm(Context& context);

}  // namespace bifocal::bench
