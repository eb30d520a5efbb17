// SPDX-License-Identifier: BSD-3-Clause
// The parts of suite `seeds`: the systems that Bifocal descends from.
#pragma once

#include "frame/bench.hpp"

namespace bifocal::bench::seeds {

// A record in ms.
void report_ms(Context& context, const std::string& name, const std::string& device,
               const Sample& sample, const std::optional<Reference>& reference, Figures extra = {});

// Adds what the runtime reports about the kernel that `work` launches
// (runtime/kernel.hpp): its name, groups, registers, memory and theoretical occupancy.
// `work` launches one kernel.
void add_resources(Figures& figures, const std::function<void()>& work);

void run_eigenpairs(Context& context);
void run_homography(Context& context);
void run_five_point(Context& context);
void run_stereo(Context& context);

}  // namespace bifocal::bench::seeds
