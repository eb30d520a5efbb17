// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace bifocal::robust {
#include "robust/layout.h"
}  // namespace bifocal::robust
