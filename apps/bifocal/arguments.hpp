// SPDX-License-Identifier: BSD-3-Clause
// For sources that declare options: CLI11 and the checks of numbers.
#pragma once

#include <CLI/CLI.hpp>
#include <limits>

namespace bifocal::cli {

// A number of 64 bits without a sign.
CLI::Validator whole_number();
// A decimal number in [lo, hi]; unlike CLI::Range it refuses NaN.
CLI::Validator in_range(double lo, double hi = std::numeric_limits<double>::infinity());

}  // namespace bifocal::cli
