// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace bifocal::features {
using offset = std::int64_t;
using bits32 = std::uint32_t;
#include "features/records.h"
}  // namespace bifocal::features
