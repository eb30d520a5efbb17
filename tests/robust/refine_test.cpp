// SPDX-License-Identifier: BSD-3-Clause
// The charts of the models, their gradients, and the refinement that follows the gradients.
#include <algorithm>

#include "ransac_scene.hpp"

namespace bifocal::robust {
namespace {

template <class P>
class Chart : public test::NeedsProblem<P::problem> {
 protected:
  using Functions = typename P::Functions;
  using Delta = std::array<double, 8>;
  using Tangent = std::array<double, 80>;
  static constexpr ModelKind problem = P::problem;
  std::mt19937_64 random_{12};

  static std::array<double, 20> open(const RansacScene& s, const Model& m) {
    std::array<double, 20> chart{};
    Functions::model_open(m.data(), rays(s), chart.data());
    return chart;
  }
  static Model close(const RansacScene& s, const std::array<double, 20>& chart) {
    Model m{};
    Functions::model_close(chart.data(), rays(s), m.data());
    return m;
  }
  static Model moved(const RansacScene& s, std::array<double, 20> chart, const Delta& delta) {
    Functions::model_move(chart.data(), delta.data());
    return close(s, chart);
  }
  static const double* rays(const RansacScene& s) { return s.pair.info.rays; }
  static double norm(const Model& m) {
    double sum = 0;
    for (int i = 0; i < Functions::MODEL_SIZE; ++i) sum += m[size_t(i)] * m[size_t(i)];
    return std::sqrt(sum);
  }
  // Makes a random step of about the fraction `share` of the threshold.
  Delta step(const RansacScene& s, double share) {
    std::normal_distribution<double> normal(0, share * s.threshold);
    Delta delta{};
    for (double& d : delta) d = normal(random_);
    if (!ransac_steps(problem).two_views) {
      const double focal = s.pair.info.focal[0] * Functions::model_focal(s.truth.data());
      for (double& d : delta) d /= focal;
    }
    return delta;
  }
  struct Robust {
    double t;
    bool smooth = false, weighted = false;
  };
  static std::array<double, 68> sums_of(const RansacScene& s, const Model& m, const Robust& r,
                                        const std::vector<double>& weights) {
    std::array<double, 68> sums{};
    const auto view = view_of<problem>(s.pair);
    const typename Functions::robust_loss loss = {r.t, r.smooth, r.weighted};
    Functions::model_equations(m.data(), &view, s.pair.stride, &loss, weights.data(), sums.data());
    return sums;
  }
  static double score_of(const RansacScene& s, const Model& m, const Robust& r,
                         const std::vector<double>& weights) {
    return sums_of(s, m, r, weights)[Functions::SUM_OF_SCORES];
  }
  std::vector<double> random_weights(const RansacScene& s) {
    std::uniform_real_distribution<double> unit(0, 1);
    std::vector<double> weights(static_cast<size_t>(s.pair.stride));
    for (double& w : weights) w = unit(random_);
    return weights;
  }
};
TYPED_TEST_SUITE(Chart, AllProblems, ProblemNames);

TYPED_TEST(Chart, gives_back_the_model) {
  for (int trial = 0; trial < 50; ++trial) {
    const RansacScene s =
        make_ransac_scene(this->problem, {.points = 50, .inliers = 1}, 2, this->random_);
    const Model back = this->close(s, this->open(s, s.truth));
    const double a = this->norm(s.truth), b = this->norm(back);
    for (size_t i = 0; i < 12; ++i) EXPECT_NEAR(back[i] / b, s.truth[i] / a, 1e-12) << i;
  }
}

// A move in the chart changes the elements by the tangent, to first order. (The equations of a pose
// are in its parameters, so its tangent is the identity.)
TYPED_TEST(Chart, moves_along_its_tangent) {
  using L = typename TypeParam::Functions;
  const RansacScene s =
      make_ransac_scene(this->problem, {.points = 50, .inliers = 1}, 2, this->random_);
  const auto chart = this->open(s, s.truth);
  typename TestFixture::Tangent D;
  L::model_tangent(chart.data(), this->rays(s), D.data());
  constexpr double kStep = 1e-5;  // truncation and rounding are both about 1e-10
  for (int j = 0; j < L::DOF; ++j) {
    typename TestFixture::Delta plus{}, minus{};
    plus[size_t(j)] = kStep;
    minus[size_t(j)] = -kStep;
    const Model a = this->moved(s, chart, plus), b = this->moved(s, chart, minus);
    for (int i = 0; i < L::EQUATIONS; ++i) {
      if ((+L::EQUATIONS == +L::DOF)) {
        EXPECT_EQ(D[size_t(i * L::DOF + j)], i == j);
      } else {
        EXPECT_NEAR((a[size_t(i)] - b[size_t(i)]) / (2 * kStep), D[size_t(i * L::DOF + j)], 1e-8)
            << "element " << i << ", parameter " << j;
      }
    }
  }
}

// A problem's own step equals the step of the normal equations in the parameters of the tangent.
TYPED_TEST(Chart, steps_in_the_parameters_of_its_tangent) {
  using L = typename TypeParam::Functions;
  const RansacScene s =
      make_ransac_scene(this->problem, {.points = 200, .inliers = 1}, 2, this->random_);
  const double t = s.pair.info.threshold;
  for (int trial = 0; trial < 5; ++trial) {
    const auto chart = this->open(s, this->moved(s, this->open(s, s.truth), this->step(s, 0.3)));
    const auto sums = this->sums_of(s, this->close(s, chart), {t}, std::vector<double>());
    const double* g = sums.data() + L::EQUATIONS * (L::EQUATIONS + 1) / 2;
    typename TestFixture::Tangent D;
    L::model_tangent(chart.data(), this->rays(s), D.data());
    typename TestFixture::Delta expected{}, delta{};
    const double pivot =
        L::damped_step(sums.data(), g, D.data(), L::EQUATIONS, L::DOF, 1e-3, expected.data());
    EXPECT_NEAR(L::model_step(sums.data(), g, chart.data(), this->rays(s), 1e-3, delta.data()),
                pivot, 1e-6 * pivot);
    double largest = 0;
    for (int j = 0; j < L::DOF; ++j) largest = std::max(largest, std::abs(expected[size_t(j)]));
    ASSERT_GT(largest, 0);
    for (int j = 0; j < L::DOF; ++j)
      EXPECT_NEAR(delta[size_t(j)], expected[size_t(j)], 1e-6 * largest) << j;
  }
}

// The vector g is half the gradient of the weighted squared errors: the score, sum u or sum u^3
// with u = 1 - e t, has the gradient -2 t g or -6 t g.
TYPED_TEST(Chart, gradient_equals_finite_differences_of_the_score) {
  using L = typename TypeParam::Functions;
  const RansacScene s =
      make_ransac_scene(this->problem, {.points = 700, .inliers = 0.6}, 3, this->random_);
  const std::vector<double> weights = this->random_weights(s);
  const double t = s.pair.info.threshold;
  // The sharp score has a kink at its threshold, so its threshold is beyond all errors.
  using R = typename TestFixture::Robust;
  for (const R& r : {R{1e-9 * t}, R{1e-9 * t, false, true}, R{t, true}, R{t, true, true}}) {
    const auto chart = this->open(s, this->moved(s, this->open(s, s.truth), this->step(s, 0.3)));
    const auto sums = this->sums_of(s, this->close(s, chart), r, weights);
    typename TestFixture::Tangent D;
    L::model_tangent(chart.data(), this->rays(s), D.data());
    const double* g = sums.data() + L::EQUATIONS * (L::EQUATIONS + 1) / 2;
    const double kStep =
        1e-4 * s.threshold / ((+L::EQUATIONS == +L::DOF) ? s.pair.info.focal[0] : 1.0);
    std::array<double, 8> analytic{}, numeric{};
    double largest = 0;
    for (int j = 0; j < L::DOF; ++j) {
      for (int i = 0; i < L::EQUATIONS; ++i)
        analytic[size_t(j)] -= (r.smooth ? 6 : 2) * r.t * D[size_t(i * L::DOF + j)] * g[i];
      typename TestFixture::Delta plus{}, minus{};
      plus[size_t(j)] = kStep;
      minus[size_t(j)] = -kStep;
      numeric[size_t(j)] = (this->score_of(s, this->moved(s, chart, plus), r, weights) -
                            this->score_of(s, this->moved(s, chart, minus), r, weights)) /
                           (2 * kStep);
      largest = std::max(largest, std::abs(analytic[size_t(j)]));
    }
    // For steps of 1e-4 thresholds the second-order term is about 1e-8. The sharp score is 1e-9
    // below its maximum, so rounding leaves 1e-16 / 1e-9 / 1e-4 = 1e-3.
    const double tolerance = (r.smooth ? 1e-6 : 5e-3) * largest;
    for (int j = 0; j < L::DOF; ++j)
      EXPECT_NEAR(analytic[size_t(j)], numeric[size_t(j)], tolerance)
          << j << " smooth " << r.smooth;
  }
}

TYPED_TEST(Chart, refinement_never_worsens_the_score) {
  using L = typename TypeParam::Functions;
  for (int trial = 0; trial < 40; ++trial) {
    const RansacScene s =
        make_ransac_scene(this->problem, {.points = 300, .inliers = 0.5}, 2.5, this->random_);
    const auto view = view_of<TestFixture::problem>(s.pair);
    const std::vector<double> weights = this->random_weights(s);
    const double t = s.pair.info.threshold;
    for (const bool smooth : {false, true}) {
      for (const bool weighted : {false, true}) {
        // Starts from near and from very far models.
        for (const double far : {0.1, 1.0, 30.0, 1000.0}) {
          Model m = this->moved(s, this->open(s, s.truth), this->step(s, far));
          const double before = this->score_of(s, m, {t, smooth, weighted}, weights);
          const typename L::refine_options options = {{t, smooth, weighted}, 10, 1e-4};
          typename L::refine_shared shared;
          L::model_refine(&view, s.pair.stride, &options, weights.data(), m.data(), &shared);
          const double after = this->score_of(s, m, {t, smooth, weighted}, weights);
          // The conversion to the chart and back costs rounding.
          ASSERT_GE(after, before - 1e-9 * (1 + before)) << far;
        }
      }
    }
  }
}

TYPED_TEST(Chart, refinement_recovers_the_truth) {
  using L = typename TypeParam::Functions;
  for (int trial = 0; trial < 20; ++trial) {
    const RansacScene s = make_ransac_scene(
        this->problem, {.points = 300, .inliers = 1, .noise = 0}, 2.5, this->random_);
    const auto view = view_of<TestFixture::problem>(s.pair);
    const double t = s.pair.info.threshold;
    for (const bool smooth : {false, true}) {
      Model m = this->moved(s, this->open(s, s.truth), this->step(s, 0.2));
      const auto start = this->sums_of(s, m, {t, smooth}, {});
      const typename L::refine_options options = {{t, smooth, 0}, 50, 1e-9};
      typename L::refine_shared shared;
      L::model_refine(&view, s.pair.stride, &options, nullptr, m.data(), &shared);
      const auto sums = this->sums_of(s, m, {t, smooth}, {});
      EXPECT_EQ(sums[L::SUM_OF_INLIERS], s.pair.count()) << "from " << start[L::SUM_OF_INLIERS];
      // The last step raised the score by less than 1e-9 of the total: the mean squared error
      // in thresholds.
      EXPECT_LT(sums[L::SUM_OF_SQUARES] * t / s.pair.count(), 1e-9);
    }
  }
}

}  // namespace
}  // namespace bifocal::robust
