// SPDX-License-Identifier: BSD-3-Clause
// The parts of suite `seeds`.
#pragma once

#include "frame/bench.hpp"

namespace bifocal::bench {

// A record in ms.
void report_ms(Context& context, const std::string& name, const std::string& device,
               const Sample& sample, const std::optional<Reference>& reference, Figures extra = {});

// Essential matrices by five points: where each stage is best placed (essential.cpp).
void run_essential_seed(Context& context);

}  // namespace bifocal::bench
