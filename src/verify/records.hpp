// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace bifocal::verify {
#include "verify/records.h"
}  // namespace bifocal::verify
