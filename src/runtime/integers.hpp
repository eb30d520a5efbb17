// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace bifocal {

// a / b, rounded up, for a >= 0 and b > 0.
[[nodiscard]] constexpr int divided_up(int a, int b) { return (a + b - 1) / b; }

// Numbers of images, cameras and points are int; containers take them as size_t.
[[nodiscard]] constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace bifocal
