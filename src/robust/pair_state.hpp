// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace bifocal::robust {
using offset = std::int64_t;
#include "robust/pair_state.h"
}  // namespace bifocal::robust
