// SPDX-License-Identifier: BSD-3-Clause
#include "robust/two_view.hpp"

#include <algorithm>
#include <numbers>

#include "robust/scalar_lanes.hpp"
#include "robust/two_view_problem.hpp"

namespace bifocal::robust {
namespace {

double coordinate(const PointPair& p, int c) {
  const double values[4] = {p.x1, p.y1, p.x2, p.y2};
  return values[c];
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// From the first points of the random order: medians, so that a wild point does not spoil the
// others' precision.
Frame frame_of(std::span<const PointPair> points, const std::vector<int>& order,
               const std::array<double, 4>* centre) {
  constexpr size_t kSubset = 256;
  const std::span subset(order.data(), std::min(kSubset, order.size()));
  Frame frame;
  if (subset.empty()) return frame;
  std::vector<double> values, distances;
  for (int c = 0; c < 4; ++c) {
    values.clear();
    for (const int i : subset) values.push_back(coordinate(points[static_cast<size_t>(i)], c));
    const double middle = centre ? (*centre)[static_cast<size_t>(c)] : median(values);
    frame.centre[static_cast<size_t>(c)] = middle;
    for (const double v : values) distances.push_back(std::abs(v - middle));
  }
  double sum = 0;
  for (const double d : distances) sum += d;
  frame.length = 2 * median(distances);
  if (!(frame.length > 0)) frame.length = sum / static_cast<double>(distances.size());
  if (!(frame.length > 0) || !std::isfinite(frame.length)) frame.length = 1;
  return frame;
}

// Area and diagonal of the image whose points cover less.
void measure_extent(std::span<const PointPair> points, TwoViewPoints& out) {
  std::array<double, 4> low{}, high{};
  for (size_t k = 0; k < out.order.size(); ++k) {
    for (size_t c = 0; c < 4; ++c) {
      const double v = coordinate(points[static_cast<size_t>(out.order[k])], static_cast<int>(c));
      low[c] = k ? std::min(low[c], v) : v;
      high[c] = k ? std::max(high[c], v) : v;
    }
  }
  for (size_t c = 0; c < 4; c += 2) {
    const double w = high[c] - low[c], h = high[c + 1] - low[c + 1];
    if (c == 0 || w * h < out.area) {
      out.area = w * h;
      out.diagonal = std::hypot(w, h);
    }
  }
}

class HomographyProblem final : public TwoViewProblem {
 public:
  HomographyProblem(const TwoViewPoints& pairs, double threshold)
      : TwoViewProblem(pairs, threshold, ErrorModel::transfer) {
    set_sample(4, 1, solvers::homography_4pt_functions().simd_f64);
    // A wrong match falls into the ellipse around the transferred point: of radius sqrt(2)
    // thresholds where both images have one scale.
    chance_rate = std::min(1.0, 2 * std::numbers::pi * threshold * threshold / pairs.area);
  }
  int dof() const override { return 8; }
  void open(const Model& model, ChartState& state) const override {
    std::copy_n(model.begin(), 9, state.begin());
    Lanes::mat3_normalise(state.data());
  }
  void tangent(const ChartState& state, Tangent& D) const override {
    Lanes::homography_tangent(state.data(), D.data());
  }
  void move(ChartState& state, const Tangent& D, const double* delta) const override {
    Lanes::homography_move(state.data(), D.data(), delta);
  }
  void close(const ChartState& state, Model& model) const override {
    std::copy_n(state.begin(), 9, model.begin());
  }
};

class FundamentalProblem final : public TwoViewProblem {
 public:
  FundamentalProblem(const TwoViewPoints& pairs, double threshold)
      : TwoViewProblem(pairs, threshold, ErrorModel::epipolar) {
    set_sample(7, 3, solvers::fundamental_7pt_functions().simd_f64);
    chance_rate = epipolar_chance_rate(pairs, threshold);
  }
  int dof() const override { return 7; }
  void open(const Model& model, ChartState& state) const override {
    Lanes::epipolar_chart(model.data(), state.data());
  }
  void tangent(const ChartState& state, Tangent& D) const override {
    Lanes::epipolar_tangent(state.data(), 7, D.data());
  }
  void move(ChartState& state, const Tangent&, const double* delta) const override {
    Lanes::epipolar_move(state.data(), 7, delta);
  }
  void close(const ChartState& state, Model& model) const override {
    Lanes::epipolar_matrix(state.data(), model.data());
  }
};

Mat3 normalised(const std::array<double, 9>& m) {
  double norm = 0;
  for (const double v : m) norm += v * v;
  Mat3 out;
  for (size_t i = 0; i < 9; ++i) out[i] = m[i] / std::sqrt(norm);
  return out;
}

}  // namespace

TwoViewPoints two_view_points(std::span<const PointPair> points, std::uint64_t seed,
                              const std::array<double, 4>* centre) {
  TwoViewPoints out;
  const auto finite = [&](int i) {
    const PointPair& p = points[static_cast<size_t>(i)];
    return std::isfinite(p.x1) && std::isfinite(p.y1) && std::isfinite(p.x2) && std::isfinite(p.y2);
  };
  out.order = shuffled_finite(static_cast<int>(points.size()), seed, finite, out.not_finite);
  out.frame = frame_of(points, out.order, centre);
  measure_extent(points, out);
  out.columns.emplace(out.count(), 4, [&](int i, int c) {
    const PointPair& p = points[static_cast<size_t>(out.order[static_cast<size_t>(i)])];
    return (coordinate(p, c) - out.frame.centre[static_cast<size_t>(c)]) / out.frame.length;
  });
  return out;
}

double epipolar_chance_rate(const TwoViewPoints& points, double threshold) {
  return std::min(1.0, 2 * std::numbers::sqrt2 * threshold * points.diagonal / points.area);
}

std::unique_ptr<Problem> homography_problem(const TwoViewPoints& points, double threshold) {
  return std::make_unique<HomographyProblem>(points, threshold);
}

std::unique_ptr<Problem> fundamental_problem(const TwoViewPoints& points, double threshold) {
  return std::make_unique<FundamentalProblem>(points, threshold);
}

// T2^-1 H T1 with T = [1/l 0 -c/l; ...] of each image, times the length.
Mat3 homography_in_pixels(const Frame& frame, const Model& m) {
  const auto& [cx1, cy1, cx2, cy2] = frame.centre;
  const double l = frame.length;
  const Mat3 T1 = {1, 0, -cx1, 0, 1, -cy1, 0, 0, l}, T2 = {l, 0, cx2, 0, l, cy2, 0, 0, 1};
  Mat3 A, H;
  Lanes::mat3_mul(T2.data(), m.data(), A.data());
  Lanes::mat3_mul(A.data(), T1.data(), H.data());
  return normalised(H);
}

// T2' F T1
Mat3 fundamental_in_pixels(const Frame& frame, const Model& m) {
  const auto& [cx1, cy1, cx2, cy2] = frame.centre;
  const double l = frame.length;
  const Mat3 T1 = {1, 0, -cx1, 0, 1, -cy1, 0, 0, l}, T2t = {1, 0, 0, 0, 1, 0, -cx2, -cy2, l};
  Mat3 A, F;
  Lanes::mat3_mul(T2t.data(), m.data(), A.data());
  Lanes::mat3_mul(A.data(), T1.data(), F.data());
  return normalised(F);
}

}  // namespace bifocal::robust
