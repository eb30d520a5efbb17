// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "robust/search_pair.hpp"

namespace bifocal::robust {

// Decides whether a model is significant: hardly any model of wrong matches would have as much
// support. significance: log10 of the expected number of such models.
[[nodiscard]] Outcome test_significance(ModelKind problem, const Result& found, const Info& info,
                                        int count, const DistinctMatches& distinct,
                                        double& significance);

}  // namespace bifocal::robust
