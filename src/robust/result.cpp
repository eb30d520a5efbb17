// SPDX-License-Identifier: BSD-3-Clause
#include "robust/result.hpp"

#include <fmt/format.h>

#include <bifocal/error.hpp>
#include <cmath>

namespace bifocal::robust {

void fill_result(const Problem& problem, const std::vector<int>& order, double length,
                 const SearchResult& found, RobustResult& result) {
  result.outcome = found.outcome;
  result.iterations = found.iterations;
  if (!result.ok()) return;
  result.noise = found.noise * length;
  std::vector<double> errors;
  problem.errors(found.model, errors);
  double sum = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const double e = errors[i] * problem.inverse_squared_threshold;
    if (!(e < 1)) continue;
    result.inliers[static_cast<size_t>(order[i])] = 1;
    ++result.inlier_count;
    result.gain += 1 - e;
    sum += errors[i];
  }
  if (result.inlier_count > 0) result.rms = length * std::sqrt(sum / result.inlier_count);
}

void check_camera(const char* name, const Intrinsics& k) {
  const bool finite =
      std::isfinite(k.fx) && std::isfinite(k.fy) && std::isfinite(k.cx) && std::isfinite(k.cy);
  if (!finite || !k.valid()) {
    throw Error(
        ErrorCode::usage,
        fmt::format("robust estimation: {} = ({}, {}, {}, {}), must be finite with fx, fy > 0",
                    name, k.fx, k.fy, k.cx, k.cy));
  }
}

}  // namespace bifocal::robust
