// SPDX-License-Identifier: BSD-3-Clause
#include "robust/stop.hpp"

#include <algorithm>
#include <cmath>

namespace bifocal::robust {
int samples_needed(double inliers, int count, int sample_size, double confidence, int most) {
  const double clean = std::pow(std::min(inliers / count, 1.0), sample_size);
  if (!(clean > 0)) return most;
  if (clean >= 1) return 1;
  const double needed = std::ceil(std::log1p(-confidence) / std::log1p(-clean));
  return needed < most ? std::max(1, static_cast<int>(needed)) : most;
}

Stages stages_for(double best, int count, int padded) {
  constexpr double kSigmas = 4;
  Stages stages;
  const double rate = std::clamp(best / count, 0.0, 1.0);
  for (int end = 128; end < padded && stages.count < Stages::kMost - 1; end *= 2) {
    const double seen = std::min(end, count);
    const double hopeless = best - (count - seen);
    const double unlikely = seen * rate - kSigmas * std::sqrt(seen * rate * (1 - rate));
    const auto k = static_cast<unsigned>(stages.count++);
    stages.ends[k] = end;
    stages.floors[k] = static_cast<float>(std::max({hopeless, unlikely, -1.0}));
  }
  const auto last = static_cast<unsigned>(stages.count++);
  stages.ends[last] = padded;
  stages.floors[last] = static_cast<float>(best);
  return stages;
}

}  // namespace bifocal::robust
