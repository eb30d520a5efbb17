// SPDX-License-Identifier: BSD-3-Clause
// Lane code of lenses for plain numbers.
#pragma once

#include "lane/scalar.hpp"
#include "scene/lens_model.hpp"

namespace bifocal::scene {

template <class Real>
struct lens_lanes {
#include "lane/cpp_begin.h"

#include "scene/camera.list"
#include "scene/lens_model.lane.h"

#include "lane/cpp_end.h"
};
using LensLanes = lens_lanes<double>;

inline constexpr int kAllNumbers = (1 << LENS_SIZE) - 1;  // bits of the numbers of a lens

}  // namespace bifocal::scene
