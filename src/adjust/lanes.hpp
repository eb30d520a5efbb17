// SPDX-License-Identifier: BSD-3-Clause
// The layout and the lane code of adjust.kernels for plain numbers of the host.
#pragma once

#include <cmath>
#include <type_traits>

#include "adjust/adjust.kernels.hpp"
#include "lane/scalar.hpp"

namespace bifocal::adjustment {

using namespace kernels::adjust;  // SLICE, CAMERA_FX, ...

template <class Real>
struct lens_lanes {
#include "lane/cpp_begin.h"

#include "lane/gather_operations.h"
#include "adjust/arctangent.lane.h"
#include "adjust/lens_terms.lane.h"

#include "lane/cpp_end.h"
};
using LensLanes = lens_lanes<double>;

}  // namespace bifocal::adjustment
