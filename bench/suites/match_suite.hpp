// SPDX-License-Identifier: BSD-3-Clause
// What the files of the suite `match` share.
#pragma once

#include <bifocal/features.hpp>

#include "frame/bench.hpp"

namespace bifocal::bench {

// Descriptors as long as RootSIFT's, in random directions. Half of them are those of `scene`, with
// noise that differs from image to image.
[[nodiscard]] Features random_image(int count, unsigned image, unsigned scene = 1);

// On a GPU: pairs of resident images, alone and in batches.
void run_match_device(Context& context);
// A second round with known geometry, on any device.
void run_match_guided(Context& context);
// Float descriptors of the host, on any device.
void run_match_float(Context& context);

}  // namespace bifocal::bench
