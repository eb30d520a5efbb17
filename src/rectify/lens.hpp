// SPDX-License-Identifier: BSD-3-Clause
// This is the lens's lane code for plain numbers.
#pragma once

#include "lane/scalar.hpp"

namespace bifocal::rectification {

template <class Real>
struct lens_lanes {
#include "lane/cpp_begin.h"

#include "rectify/lens.lane.h"

#include "lane/cpp_end.h"
};
using LensLanes = lens_lanes<double>;

}  // namespace bifocal::rectification
