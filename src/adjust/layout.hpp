// SPDX-License-Identifier: BSD-3-Clause
// The layout of adjust.kernels for the host.
#pragma once

#include "adjust/adjust.kernels.hpp"
#include "scene/lens_model.hpp"

namespace bifocal::adjustment {

using namespace kernels::adjust;  // SLICE, CAMERA_FX, ...
using namespace scene;            // LENS_..., COLUMN_...

}  // namespace bifocal::adjustment
