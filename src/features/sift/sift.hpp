// SPDX-License-Identifier: BSD-3-Clause
// Functions that the SIFT detectors of all devices share on the host.
#pragma once

#include <bifocal/features.hpp>

#include <vector>

#include "features/sift/space.hpp"

namespace bifocal::features {

// Throws Error(usage) that says which property of the image does not fit.
void check_image(const AnyImageView& image, const char* function);

// Returns the blur, in px, with which a photograph enlarged by `scale` becomes a first level
// of `sigma`.
[[nodiscard]] double blur_to(double sigma, double scale);
// Returns the blurs from each level of an octave to the next level.
[[nodiscard]] std::vector<Kernel> octave_kernels(const SiftOptions& options);

}  // namespace bifocal::features
