// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/geometry.hpp>

#include <cmath>

namespace bifocal::robust {

// Is the principal point farther from the centre of the picture than a fifth of a side? That of a
// picture twice or half as large is half or a quarter of a side away; a camera's own seldom is.
[[nodiscard]] inline bool is_off_centre(const Intrinsics& K, double width, double height) {
  constexpr double kMost = 0.2;
  return std::abs(K.cx - (width - 1) / 2) > kMost * width ||
         std::abs(K.cy - (height - 1) / 2) > kMost * height;
}

}  // namespace bifocal::robust
