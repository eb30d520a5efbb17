// SPDX-License-Identifier: BSD-3-Clause
#include "robust/pair_points.hpp"

#include <algorithm>
#include <cmath>

#include "robust/scalar_lanes.hpp"

namespace bifocal::robust {
namespace {

const double* point_of(const EngineSteps& steps, const GivenPair& given, int i) {
  return given.points + static_cast<std::ptrdiff_t>(steps.columns) * i;
}

bool is_finite(const double* point, int columns) {
  return std::all_of(point, point + columns, [](double v) { return std::isfinite(v); });
}

// A weight counts when it is a finite number above 0.
bool counts(std::span<const double> weights, int i) {
  if (weights.empty()) return true;
  const double w = weights[static_cast<size_t>(i)];
  return w > 0 && std::isfinite(w);
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Centre and length of the scoring coordinates of two images, from the first points of the random
// order: medians, so that a wild point does not spoil the others' precision; with cameras the
// centres are their principal points.
void set_image_frame(const EngineSteps& steps, const GivenPair& given,
                     const std::vector<int>& order, Info& info) {
  const std::span subset(order.data(), std::min<size_t>(FRAME_SUBSET, order.size()));
  double* centre = info.data() + INFO_CENTRE;
  if (steps.cameras > 0) {
    const auto& k = given.cameras;
    const double principal[4] = {k[2], k[3], k[6], k[7]};
    std::copy_n(principal, 4, centre);
  }
  if (subset.empty()) return;
  std::vector<double> values, distances;
  values.reserve(subset.size());
  distances.reserve(4 * subset.size());
  for (int c = 0; c < 4; ++c) {
    values.clear();
    for (const int i : subset) values.push_back(point_of(steps, given, i)[c]);
    if (steps.cameras == 0) centre[c] = median(values);
    for (const double v : values) distances.push_back(std::abs(v - centre[c]));
  }
  double sum = 0;
  for (const double d : distances) sum += d;
  double length = 2 * median(distances);
  if (!(length > 0)) length = sum / static_cast<double>(distances.size());
  info[INFO_LENGTH] = length;
}

// The same of a scene: the mean of its points and their mean distance from it.
void set_scene_frame(const EngineSteps& steps, const GivenPair& given,
                     const std::vector<int>& order, Info& info) {
  double* centre = info.data() + INFO_CENTRE;
  const auto n = static_cast<double>(order.size());
  std::fill_n(centre, 4, 0.0);
  for (const int i : order) {
    const double* p = point_of(steps, given, i);
    for (int c = 0; c < 3; ++c) centre[c] += p[2 + c] / n;
  }
  double distance = 0;
  for (const int i : order) {
    const double* p = point_of(steps, given, i);
    distance += std::hypot(p[2] - centre[0], p[3] - centre[1], p[4] - centre[2]) / n;
  }
  info[INFO_LENGTH] = distance;
}

// From the box of the points in the image whose points cover less.
double chance_rate(const EngineSteps& steps, const GivenPair& given, const std::vector<int>& order,
                   double threshold) {
  if (order.empty()) return steps.chance_in_box(0, 0, threshold);
  const int columns = steps.two_views ? 4 : 2;
  double low[4], high[4];
  const double* first = point_of(steps, given, order[0]);
  for (int c = 0; c < columns; ++c) low[c] = high[c] = first[c];
  for (const int i : order) {
    const double* p = point_of(steps, given, i);
    for (int c = 0; c < columns; ++c) {
      low[c] = std::min(low[c], p[c]);
      high[c] = std::max(high[c], p[c]);
    }
  }
  double width = high[0] - low[0], height = high[1] - low[1];
  if (steps.two_views) {
    const double width2 = high[2] - low[2], height2 = high[3] - low[3];
    if (width2 * height2 < width * height) width = width2, height = height2;
  }
  return steps.chance_in_box(width, height, threshold);
}

}  // namespace

void PairPoints::set(ModelKind problem, const GivenPair& given, const RobustOptions& options) {
  const EngineSteps& steps = engine_steps(problem);
  set_order(steps, given, options.seed);
  set_priors(given.priors);
  set_frame(steps, given, options.threshold);
  fill(steps, given);
}

void PairPoints::set_order(const EngineSteps& steps, const GivenPair& given, std::uint64_t seed) {
  std::vector<int> kept;
  kept.reserve(static_cast<size_t>(given.count));
  not_finite.clear();
  zero_weight.clear();
  for (int i = 0; i < given.count; ++i) {
    const bool finite = is_finite(point_of(steps, given, i), steps.columns);
    (!finite ? not_finite : counts(given.priors.weights, i) ? kept : zero_weight).push_back(i);
  }
  const int n = static_cast<int>(kept.size());
  const auto low = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
  order.resize(kept.size());
  const int bits = Lanes::shuffle_bits(n);
  for (int i = 0; i < n; ++i) {
    const int from = Lanes::shuffled_in(i, n, bits, low, high);
    order[static_cast<size_t>(i)] = kept[static_cast<size_t>(from)];
  }
  stride = column_stride(n);
}

void PairPoints::set_frame(const EngineSteps& steps, const GivenPair& given, double threshold) {
  std::fill(info.begin(), info.begin() + INFO_WEIGHTED, 0.0);
  if (steps.two_views) {
    set_image_frame(steps, given, order, info);
  } else {
    set_scene_frame(steps, given, order, info);
  }
  double& length = info[INFO_LENGTH];
  if (!(length > 0) || !std::isfinite(length)) length = 1;
  const double unit = steps.camera_info(given.cameras.data(), length, threshold, info.data());
  info[INFO_UNIT] = unit;
  info[INFO_THRESHOLD] = unit * unit / (threshold * threshold);
  info[INFO_CHANCE] = chance_rate(steps, given, order, threshold);
}

void PairPoints::fill(const EngineSteps& steps, const GivenPair& given) {
  const auto size = static_cast<size_t>(stride * steps.columns + MOST_SHIFTS);
  double columns[8];
  f64.assign(size, __builtin_nan(""));
  f32.assign(size, __builtin_nanf(""));
  for (int i = 0; i < count(); ++i) {
    steps.point_columns(point_of(steps, given, order[static_cast<size_t>(i)]), given.cameras.data(),
                        info.data(), columns);
    for (int c = 0; c < steps.columns; ++c) {
      f64[static_cast<size_t>(c * stride + i)] = columns[c];
      f32[static_cast<size_t>(c * stride + i)] = static_cast<float>(columns[c]);
    }
  }
  if (zero_weight.empty()) return;
  const auto step = static_cast<size_t>(zero_weight_stride());
  zero_weight_columns.assign(step * static_cast<size_t>(steps.columns), __builtin_nan(""));
  for (size_t k = 0; k < zero_weight.size(); ++k) {
    steps.point_columns(point_of(steps, given, zero_weight[k]), given.cameras.data(), info.data(),
                        columns);
    for (int c = 0; c < steps.columns; ++c)
      zero_weight_columns[static_cast<size_t>(c) * step + k] = columns[c];
  }
}

}  // namespace bifocal::robust
