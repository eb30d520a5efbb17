// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

namespace bifocal {
class LensCamera;
}

namespace bifocal::scene {

struct CameraModel;

#include "scene/lens_kinds.h"
#include "scene/lens_model.h"

// Returns the numbers of a camera of a model, without `reach`; its pinhole has the intrinsics of
// the image. params: one for each parameter of the model.
[[nodiscard]] lens_model lens_numbers(const CameraModel& model, std::span<const double> params);

// Returns the numbers of a camera. Their computation from its parameters takes a few tens of
// microseconds: call it once per camera or image.
[[nodiscard]] lens_model lens_model_of(const LensCamera& camera);

}  // namespace bifocal::scene
