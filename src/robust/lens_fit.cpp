// SPDX-License-Identifier: BSD-3-Clause
#include "robust/lens_fit.hpp"

#include <bifocal/two_view.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "robust/fit.hpp"

namespace bifocal::robust {
namespace {

constexpr int kMaxSteps = 20;  // for a fit that starts near its minimum

}  // namespace

double refined_distortion(const LensModel& start, std::span<const PointPair> points) {
  constexpr ModelKind kind = ModelKind::radial_fundamental;
  const Fit<kind> fit(numbers_of(points), points.size(),
                      checked_cameras("refined_distortion", kind, {&start.unit, 1}));
  const double unit2 = fit.rays()[0] * fit.rays()[0];
  Model model = fit.scoring(start.F, {});
  model[9] = start.distortion * unit2;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (std::isfinite(fit.squared(model, i))) kept.push_back(i);
  fit.refine(model, kept, std::numeric_limits<double>::infinity(), kept.empty() ? 0 : kMaxSteps);
  return model[9] / unit2;
}

}  // namespace bifocal::robust
