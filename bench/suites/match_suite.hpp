// SPDX-License-Identifier: BSD-3-Clause
// Common declarations of the suite `match`.
#pragma once

#include <bifocal/features.hpp>

#include "frame/bench.hpp"

namespace bifocal::bench {

// Descriptors of RootSIFT's norm, in random directions. Half come from `scene`, with noise that
// differs from image to image.
[[nodiscard]] Features random_image(int count, unsigned image, unsigned scene = 1);

// On a GPU: pairs of resident images, single and in batches.
void run_match_device(Context& context);
// A second round with known geometry, on any device.
void run_match_guided(Context& context);
// Float descriptors in host memory, on any device.
void run_match_float(Context& context);

}  // namespace bifocal::bench
