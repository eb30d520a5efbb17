// SPDX-License-Identifier: BSD-3-Clause
// Rectified pictures turned by 180 degrees: their disparities change sign.
#pragma once

#include <bifocal/rectify.hpp>

namespace bifocal::rectification {

void turn(PolarRectification& rectification);

// A swapped rectification with its pictures turned, so that image 1 is the left one.
void keep_order(Rectification& rectification);

// Moves the left picture to the right by whole px; the canvas grows by as many columns.
void shift_left(PolarRectification& rectification, int px);
void shift_left(Rectification& rectification, int px);

}  // namespace bifocal::rectification
