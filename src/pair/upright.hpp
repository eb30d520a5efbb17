// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_photographs.hpp>

namespace bifocal::pair {

// Dense matching wants image 1 on the left and disparities that grow as points come nearer. If
// camera 2 lies on the left, both rectified images are upside down then. Rotates these and their
// maps back by 180 degrees: the disparities change their sign, and the left image is shifted so
// that they are at least 0. The shift is the largest disparity found, and columns at the ends that
// only one image can show are removed; the range of the pair is then that of its disparities.
void put_upright(DensePair& dense);

}  // namespace bifocal::pair
