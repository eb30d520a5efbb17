// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numbers>

#include "robust/scalar_lanes.hpp"
#include "robust/two_view.hpp"
#include "robust/two_view_problem.hpp"

namespace bifocal::robust {
namespace {

// Scored as a fundamental matrix F = diag(a) E diag(b): a and b take scoring coordinates to rays.
class EssentialProblem final : public TwoViewProblem {
 public:
  EssentialProblem(const TwoViewPoints& pairs, const Intrinsics& camera1, const Intrinsics& camera2,
                   double threshold)
      : TwoViewProblem(pairs, threshold, ErrorModel::epipolar),
        to_rays_{pairs.frame.length / camera1.fx, pairs.frame.length / camera1.fy,
                 pairs.frame.length / camera2.fx, pairs.frame.length / camera2.fy} {
    set_sample(5, 10, solvers::essential_5pt_functions().simd_f64);
    chance_rate = epipolar_chance_rate(pairs, threshold);
    parallax_noise_ = 3 * threshold / std::min({camera1.fx, camera1.fy, camera2.fx, camera2.fy});
    const double a[3] = {to_rays_[2], to_rays_[3], 1}, b[3] = {to_rays_[0], to_rays_[1], 1};
    for (size_t i = 0; i < 9; ++i) scale_[i] = a[i / 3] * b[i % 3];
  }
  void gather(const int* sample, double* column, int stride) const override {
    TwoViewProblem::gather(sample, column, stride);
    for (int c = 0; c < 4; ++c) {
      for (int i = 0; i < sample_size; ++i) {
        column[(c * sample_size + i) * stride] *= to_rays_[static_cast<size_t>(c)];
      }
    }
  }
  void extract(const double* column, int stride, int k, Model& model) const override {
    TwoViewProblem::extract(column, stride, k, model);
    scale(model);
  }
  // A match behind a camera is wrong however near it is to its epipolar line; half of the wrong
  // matches there are.
  void errors(const Model& model, std::vector<double>& squared) const override {
    constexpr size_t kVoters = 64;
    TwoViewProblem::errors(model, squared);
    std::array<std::vector<double>, 4> rays;
    for (size_t i = 0; i < static_cast<size_t>(points.count) && rays[0].size() < kVoters; ++i) {
      if (!(squared[i] * inverse_squared_threshold < 1)) continue;
      for (size_t c = 0; c < 4; ++c) rays[c].push_back(to_rays_[c] * points.f64.columns[c][i]);
    }
    std::array<double, 9> R;
    std::array<double, 3> t;
    Lanes::pose_from_essential(essential(model).data(), rays[0].data(), rays[1].data(),
                               rays[2].data(), rays[3].data(), static_cast<int>(rays[0].size()),
                               R.data(), t.data());
    exclude_behind(points.f64, R.data(), t.data(), to_rays_.data(), parallax_noise_,
                   squared.data());
  }
  [[nodiscard]] int dof() const override { return 5; }
  void open(const Model& model, ChartState& state) const override {
    const std::array<double, 9> E = essential(model);
    Lanes::essential_chart(E.data(), state.data());
  }
  void tangent(const ChartState& state, Tangent& D) const override {
    Lanes::epipolar_tangent(state.data(), 5, D.data());
    for (size_t i = 0; i < 9; ++i) {
      for (size_t j = 0; j < 5; ++j) D[5 * i + j] *= scale_[i];
    }
  }
  void move(ChartState& state, const Tangent&, const double* delta) const override {
    Lanes::epipolar_move(state.data(), 5, delta);
  }
  void close(const ChartState& state, Model& model) const override {
    Lanes::epipolar_matrix(state.data(), model.data());
    scale(model);
  }
  [[nodiscard]] std::array<double, 9> essential(const Model& model) const {
    std::array<double, 9> E;
    for (size_t i = 0; i < 9; ++i) E[i] = model[i] / scale_[i];
    return E;
  }

 private:
  void scale(Model& model) const {
    for (size_t i = 0; i < 9; ++i) model[i] *= scale_[i];
  }

  std::array<double, 4> to_rays_;  // x1, y1, x2, y2
  double parallax_noise_;          // a smaller one (sine) says nothing about the side
  std::array<double, 9> scale_{};
};

}  // namespace

std::unique_ptr<Problem> essential_problem(const TwoViewPoints& points, const Intrinsics& camera1,
                                           const Intrinsics& camera2, double threshold) {
  return std::make_unique<EssentialProblem>(points, camera1, camera2, threshold);
}

Mat3 essential_of(const Frame& frame, const Intrinsics& camera1, const Intrinsics& camera2,
                  const Model& model) {
  const double a[3] = {camera2.fx, camera2.fy, frame.length};
  const double b[3] = {camera1.fx, camera1.fy, frame.length};
  Mat3 E;
  for (size_t i = 0; i < 9; ++i) E[i] = model[i] * a[i / 3] * b[i % 3];
  Lanes::mat3_normalise(E.data());
  return E;
}

}  // namespace bifocal::robust
