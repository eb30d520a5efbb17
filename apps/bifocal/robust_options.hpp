// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/robust.hpp>

#include "cli.hpp"

namespace bifocal::cli {

// --threshold --confidence --max-iterations --seed --dominant-plane
void add_robust_options(const Command& command, RobustOptions& options);

}  // namespace bifocal::cli
