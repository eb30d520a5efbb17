// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace bifocal {
class LensCamera;
}

namespace bifocal::scene {
#include "scene/lens_model.h"

// Returns the numbers of a camera. Their computation from its parameters takes a few tens of
// microseconds: call it once per camera or image.
[[nodiscard]] lens_model lens_model_of(const LensCamera& camera);

}  // namespace bifocal::scene
