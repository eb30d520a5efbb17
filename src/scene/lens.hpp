// SPDX-License-Identifier: BSD-3-Clause
// Lane code of lenses for plain numbers.
#pragma once

#include "lane/scalar.hpp"
#include "scene/lens_model.hpp"

namespace bifocal::scene {

template <class Real>
struct lens_lanes {
#include "lane/cpp_begin.h"

#include "lane/angle_operations.h"
#include "scene/lens.lane.h"
#include "scene/lens_camera.lane.h"

#include "lane/cpp_end.h"
};
using LensLanes = lens_lanes<double>;

}  // namespace bifocal::scene
