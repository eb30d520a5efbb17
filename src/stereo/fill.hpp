// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/image.hpp>

namespace bifocal::stereo {

// Gives every unknown (NaN) pixel the smaller of the nearest known disparities to its left and
// right in the row, for what one camera sees and the other does not is behind its neighbour;
// one-sided at the ends of a row. A row without any takes the nearest row's, the upper one at equal
// distance. Without any known pixel nothing changes.
// Measured, bad 2 px after fill of SSD 15x15 on Motorcycle, cones, teddy: 15.7, 9.8, 16.4 %; with
// the mean of the window's known values first, as the historical system does: 16.2, 10.3, 16.8 %.
void fill_background(ImageF& disparity);

}  // namespace bifocal::stereo
