// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/robust.hpp>

#include "cli.hpp"

namespace bifocal::cli {

// Flags of all members but min_iterations, which follows max_iterations.
void add_robust_options(const Command& command, RobustOptions& options);

}  // namespace bifocal::cli
