// SPDX-License-Identifier: BSD-3-Clause
// The doubt about the model of two photographs, from their matches and features.
#pragma once

#include <bifocal/matching.hpp>
#include <bifocal/two_photographs.hpp>

namespace bifocal::pair {

// Sets `repetition` of a result whose model is epipolar. features: images 0 and 1, of whose
// descriptors the matches are.
void doubt_repetition(Queue& queue, const FeatureSet& features, const PairOptions& options,
                      double diagonal1, double diagonal2, PairResult& result);

}  // namespace bifocal::pair
