// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/rectify.hpp>

namespace bifocal::rectification {

// Returns whether "up" in the photographs points down in the rectified images, as the mean over a
// grid of pixels in both.
[[nodiscard]] bool is_upside_down(const Rectification& rectification);

// Exchanges the left and the right image, which changes the sign of all disparities.
void exchange_sides(Rectification& rectification);

// Removes `px` columns at each end of both canvases.
void crop_columns(Rectification& rectification, int px);

}  // namespace bifocal::rectification
