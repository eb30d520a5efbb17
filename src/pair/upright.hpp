// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_photographs.hpp>

namespace bifocal::pair {

// Rotates upside-down rectified images and their maps back by 180 degrees. Dense matching requires
// image 1 on the left and disparities that grow as points come nearer, so both rectified images are
// upside down if camera 2 lies on the left. The rotation changes the sign of the disparities, and
// the left image is shifted so that they are at least 0. The shift is the largest disparity found,
// and columns at the ends that only one image can show are removed; the range of the pair becomes
// the range of its disparities.
void put_upright(DensePair& dense);

}  // namespace bifocal::pair
