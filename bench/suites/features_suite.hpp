// SPDX-License-Identifier: BSD-3-Clause
// Common declarations of the suites of features.
#pragma once

#include <bifocal/features.hpp>

#include <string>

#include "frame/bench.hpp"

namespace bifocal::bench {

// Value noise of cells of 128 px and successive halves down to `finest`, with equal amplitudes: a
// texture with corners and blobs everywhere.
[[nodiscard]] ImageU8 texture(int width, int height, unsigned seed, int finest = 16);

// A record in ms from a sample in seconds.
[[nodiscard]] Record record_of(const std::string& suite, const std::string& name,
                               const Sample& sample);

void run_features_device(Context& context);
void run_features_surf(Context& context);     // on a CPU
void run_features_options(Context& context);  // on a CPU

}  // namespace bifocal::bench
