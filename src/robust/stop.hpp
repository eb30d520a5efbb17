// SPDX-License-Identifier: BSD-3-Clause
// When to stop sampling, and when to give a model up.
#pragma once

#include "robust/kernels.hpp"

namespace bifocal::robust {

// Samples of `sample_size` until one is free of outliers with probability `confidence`, when
// `inliers` of `count` points are inliers; at most `most`.
[[nodiscard]] int samples_needed(double inliers, int count, int sample_size, double confidence,
                                 int most);

// Where a model that has to beat `best` of `count` points is given up: where it cannot win any
// more, and where one that would win is as far behind by chance with a probability below 3.2e-5 (4
// sigma).
[[nodiscard]] Stages stages_for(double best, int count, int padded);

}  // namespace bifocal::robust
