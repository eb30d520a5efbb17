// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/image.hpp>

namespace bifocal::stereo {

// Gives every unknown (NaN) pixel the smaller of the nearest known disparities to its left and
// right in the row, for what one camera sees and the other does not is behind its neighbour;
// one-sided at the ends of a row. A row without any takes the nearest row's, the upper one at equal
// distance. Without any known pixel nothing changes.
void fill_background(ImageF& disparity);

}  // namespace bifocal::stereo
