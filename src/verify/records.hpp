// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "scene/lens_model.hpp"  // for gather.kernels

namespace bifocal::verify {
using offset = std::int64_t;
#include "verify/records.h"
}  // namespace bifocal::verify
