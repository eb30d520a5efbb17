// SPDX-License-Identifier: BSD-3-Clause
// What the suites of features share.
#pragma once

#include <bifocal/features.hpp>

#include <string>

#include "frame/bench.hpp"

namespace bifocal::bench {

// Value noise of cells of 128 px and halves of it down to `finest`, each as strong as the others: a
// texture with corners and blobs everywhere.
[[nodiscard]] ImageU8 texture(int width, int height, unsigned seed, int finest = 16);

// A record in ms of a sample in seconds.
[[nodiscard]] Record record_of(const std::string& suite, const std::string& name,
                               const Sample& sample);

void run_features_device(Context& context);
void run_features_surf(Context& context);     // on a CPU
void run_features_options(Context& context);  // on a CPU

}  // namespace bifocal::bench
