// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace bifocal::robust {
using offset = std::int64_t;
#include "robust/records.h"
}  // namespace bifocal::robust
