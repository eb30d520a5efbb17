// SPDX-License-Identifier: BSD-3-Clause
#include "robust/pair_points.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace bifocal::robust {
namespace {

double coordinate(const PointPair& p, int c) {
  constexpr double PointPair::*kColumns[4] = {&PointPair::x1, &PointPair::y1, &PointPair::x2,
                                              &PointPair::y2};
  return p.*kColumns[c];
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// From the first points of the random order: medians, so that a wild point does not spoil the
// others' precision.
void set_frame(std::span<const PointPair> points, const CameraPair* cameras, PairPoints& out) {
  const std::span subset(out.order.data(), std::min<size_t>(Lanes::FRAME_SUBSET, out.order.size()));
  double* centre = out.info.data() + Lanes::INFO_CENTRE;
  double& length = out.info[Lanes::INFO_LENGTH];
  length = 1;
  if (cameras) {
    const double given[4] = {cameras->first.cx, cameras->first.cy, cameras->second.cx,
                             cameras->second.cy};
    std::copy_n(given, 4, centre);
  }
  if (subset.empty()) return;
  std::vector<double> values, distances;
  values.reserve(subset.size());
  distances.reserve(4 * subset.size());
  for (int c = 0; c < 4; ++c) {
    values.clear();
    for (const int i : subset) values.push_back(coordinate(points[static_cast<size_t>(i)], c));
    if (!cameras) centre[c] = median(values);
    for (const double v : values) distances.push_back(std::abs(v - centre[c]));
  }
  double sum = 0;
  for (const double d : distances) sum += d;
  length = 2 * median(distances);
  if (!(length > 0)) length = sum / static_cast<double>(distances.size());
  if (!(length > 0) || !std::isfinite(length)) length = 1;
}

// From the box of the points in the image whose points cover less.
double chance_rate(Problem problem, std::span<const PointPair> points, const PairPoints& pair,
                   double threshold) {
  if (pair.order.empty())
    return Lanes::chance_in_box(problem == Problem::homography, 0, 0, threshold);
  double low[4], high[4];
  const PointPair& first = points[static_cast<size_t>(pair.order[0])];
  for (int c = 0; c < 4; ++c) low[c] = high[c] = coordinate(first, c);
  for (const int i : pair.order) {
    for (int c = 0; c < 4; ++c) {
      const double v = coordinate(points[static_cast<size_t>(i)], c);
      low[c] = std::min(low[c], v);
      high[c] = std::max(high[c], v);
    }
  }
  double width = high[0] - low[0], height = high[1] - low[1];
  const double width2 = high[2] - low[2], height2 = high[3] - low[3];
  if (width2 * height2 < width * height) width = width2, height = height2;
  return Lanes::chance_in_box(problem == Problem::homography, width, height, threshold);
}

Mat3 normalised(const double* m) {
  double norm = 0;
  for (int i = 0; i < 9; ++i) norm += m[i] * m[i];
  Mat3 out;
  for (size_t i = 0; i < 9; ++i) out[i] = m[i] / std::sqrt(norm);
  return out;
}

Mat3 product(const Mat3& A, const double* m, const Mat3& B) {
  Mat3 Am, out;
  Lanes::mat3_mul(A.data(), m, Am.data());
  Lanes::mat3_mul(Am.data(), B.data(), out.data());
  return normalised(out.data());
}

}  // namespace

void set_two_view_points(Problem problem, std::span<const PointPair> points,
                         const RobustOptions& options, const CameraPair* cameras, PairPoints& out,
                         const MatchPriors& priors) {
  const auto finite = [&](int i) {
    const PointPair& p = points[static_cast<size_t>(i)];
    return std::isfinite(p.x1) && std::isfinite(p.y1) && std::isfinite(p.x2) && std::isfinite(p.y2);
  };
  out.set_order(static_cast<int>(points.size()), options.seed, finite, priors);
  set_frame(points, cameras, out);
  const double* centre = out.info.data() + Lanes::INFO_CENTRE;
  const double length = out.info[Lanes::INFO_LENGTH], inverse = 1 / length;
  out.fill(4, [&](int i, int c) {
    return (coordinate(points[static_cast<size_t>(i)], c) - centre[c]) * inverse;
  });
  out.info[Lanes::INFO_THRESHOLD] = length * length / (options.threshold * options.threshold);
  out.info[Lanes::INFO_CHANCE] = chance_rate(problem, points, out, options.threshold);
  if (!cameras) return;
  const Intrinsics &a = cameras->first, &b = cameras->second;
  const double focal[4] = {a.fx, a.fy, b.fx, b.fy};
  for (size_t i = 0; i < 4; ++i) out.info[Lanes::INFO_RAYS + i] = length / focal[i];
  out.info[Lanes::INFO_PARALLAX] = Lanes::parallax_limit(focal, options.threshold);
}

// T2^-1 H T1 with T = [1/l 0 -c/l; ...] of each image, times the length.
Mat3 homography_in_pixels(const double* info, const double* model) {
  const double* c = info + Lanes::INFO_CENTRE;
  const double l = info[Lanes::INFO_LENGTH];
  return product({l, 0, c[2], 0, l, c[3], 0, 0, 1}, model, {1, 0, -c[0], 0, 1, -c[1], 0, 0, l});
}

// T2' F T1
Mat3 fundamental_in_pixels(const double* info, const double* model) {
  const double* c = info + Lanes::INFO_CENTRE;
  const double l = info[Lanes::INFO_LENGTH];
  return product({1, 0, 0, 0, 1, 0, -c[2], -c[3], l}, model, {1, 0, -c[0], 0, 1, -c[1], 0, 0, l});
}

Mat3 essential_of(const double* info, const double* model) {
  double scale[9], E[9];
  Lanes::ray_scale(info + Lanes::INFO_RAYS, scale);
  for (int i = 0; i < 9; ++i) E[i] = model[i] / scale[i];
  return normalised(E);
}

}  // namespace bifocal::robust
