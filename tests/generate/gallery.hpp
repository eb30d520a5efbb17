// SPDX-License-Identifier: BSD-3-Clause
// All emitted solvers as functions of a lane type.
#pragma once

#include "lane/scalar.hpp"

namespace bifocal::test {

template <class Real>
struct gallery {
#include "lane/cpp_begin.h"

#include "math/math.lanes"

#include "linalg/linalg.lanes"

#include "generate/gallery/polynomials_2.lane.h"

#include "generate/gallery/polynomials_3.lane.h"

#include "generate/gallery/polynomials_4.lane.h"

#include "generate/gallery/polynomials_5.lane.h"

#include "generate/gallery/eight_point_one_sided_radial.lane.h"

#include "generate/gallery/essential_null_space.lane.h"

#include "generate/gallery/four_point_focal_p35.lane.h"

#include "generate/gallery/four_point_focal_radial.lane.h"

#include "generate/gallery/four_point_known_angle.lane.h"

#include "generate/gallery/homography_shared_radial.lane.h"

#include "generate/gallery/nine_point_shared_radial.lane.h"

#include "generate/gallery/six_point_one_sided_focal.lane.h"

#include "generate/gallery/six_point_one_sided_radial.lane.h"

#include "generate/gallery/six_point_shared_focal.lane.h"

#include "generate/gallery/three_point_monodepth_shared_focal.lane.h"

#include "generate/gallery/three_point_upright.lane.h"

#include "lane/cpp_end.h"
};

}  // namespace bifocal::test
