// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace bifocal {
class LensCamera;
}

namespace bifocal::rectification {
#include "rectify/lens_model.h"

// Returns the numbers of a camera. They are computed from its parameters (a few tens of
// microseconds): ask once per camera or image.
[[nodiscard]] lens_model lens_model_of(const LensCamera& camera);

}  // namespace bifocal::rectification
