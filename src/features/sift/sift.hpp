// SPDX-License-Identifier: BSD-3-Clause
// What the detectors of all devices share on the host.
#pragma once

#include <bifocal/features.hpp>

#include <vector>

#include "features/sift/space.hpp"

namespace bifocal::features {

// Throw Error(usage) naming what does not fit.
void check_image(const PictureView& image, const char* function);

// The blur, px, that makes a first level of `sigma` of a photograph enlarged by `scale`.
[[nodiscard]] double blur_to(double sigma, double scale);
// From each level of an octave to the next.
[[nodiscard]] std::vector<Kernel> octave_kernels(const SiftOptions& options);

}  // namespace bifocal::features
