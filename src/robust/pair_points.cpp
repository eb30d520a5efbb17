// SPDX-License-Identifier: BSD-3-Clause
#include "robust/pair_points.hpp"

namespace bifocal::robust {

void PairPoints::set(ModelKind problem, const GivenPair& given, const RobustOptions& options) {
  const RansacSteps& steps = ransac_steps(problem);
  const auto points = static_cast<size_t>(given.count);
  stride = column_stride(given.count);
  const auto columns = static_cast<size_t>(stride);
  kept.resize(points);
  order.resize(points);
  inliers.resize(points);
  f64.resize(columns * static_cast<size_t>(steps.columns) + MOST_SHIFTS);
  f32.resize(f64.size());
  weights.resize(columns);
  tables.resize(4 * columns);
  const bool has_priors = !given.priors.weights.empty() || !given.priors.qualities.empty();
  priors.resize(has_priors ? PRIOR_COLUMNS * columns : 0);
  float_weights.resize(has_priors ? columns : 0);
  ranking.resize(has_priors ? columns : 0);
  steps.prepare(given, options, *this);
}

}  // namespace bifocal::robust
