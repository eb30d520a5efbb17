// SPDX-License-Identifier: BSD-3-Clause
// Compares the sums over a pair's points with plain loops.
#include "ransac_scene.hpp"
#include "support/targets.hpp"

namespace bifocal::robust {
namespace {

template <class P>
class Score : public test::NeedsProblem<P::problem> {
 protected:
  using Functions = typename P::Functions;
  static constexpr ModelKind problem = P::problem;
  std::mt19937_64 random_{11};
  RansacScene scene_ = make_ransac_scene(problem, {.points = 700, .inliers = 0.6}, 3, random_);
  const PairPoints& pair_ = scene_.pair;
  double t_ = pair_.info.threshold;

  struct Sums {
    double score = 0, smooth = 0, squares = 0;
    int inliers = 0;
  };
  [[nodiscard]] Sums plain_sums(const Model& m, const std::vector<double>& weights) const {
    Sums s;
    for (int i = 0; i < pair_.count(); ++i) {
      const double e = plain_error(problem, pair_, m, i), u = 1 - e * t_;
      if (!(u > 0)) continue;
      s.score += weights[static_cast<size_t>(i)] * u;
      s.smooth += weights[static_cast<size_t>(i)] * u * u * u;
      s.squares += e;
      ++s.inliers;
    }
    return s;
  }
  [[nodiscard]] std::array<float, 12> in_float() const {
    std::array<float, 12> out{};
    for (size_t i = 0; i < 12; ++i) out[i] = static_cast<float>(scene_.truth[i]);
    return out;
  }
};
TYPED_TEST_SUITE(Score, AllProblems, ProblemNames);

TYPED_TEST(Score, of_a_model_equals_a_plain_loop_on_every_target) {
  const std::vector<double> ones(static_cast<size_t>(this->pair_.stride), 1);
  const auto expected = this->plain_sums(this->scene_.truth, ones);
  EXPECT_GT(expected.inliers, 380);
  // Rounding coordinates and models of about 1 to float moves an error by 1e-6 at most (absolute
  // pose: times the focal length), and an inlier's score by twice that over the threshold.
  const double unit = !ransac_steps(this->problem).two_views ? 1000 : 1;
  const double tolerance = expected.inliers * 2e-6 * unit / this->scene_.threshold;
  const auto model = this->in_float();
  test::for_each_target([&](const std::string& target) {
    EXPECT_NEAR(ransac_steps(this->problem).full_score(this->pair_, model.data()), expected.score,
                tolerance)
        << target;
  });
}

TYPED_TEST(Score, and_the_normal_equations_sums_equal_a_plain_loop) {
  using L = typename TypeParam::Functions;
  const PairPoints& pair = this->pair_;
  std::vector<double> weights(static_cast<size_t>(pair.stride), 1);
  for (const bool weighted : {false, true}) {
    std::uniform_real_distribution<double> unit(0, 1);
    if (weighted)
      std::generate(weights.begin(), weights.end(), [&] { return unit(this->random_); });
    const auto expected = this->plain_sums(this->scene_.truth, weights);
    for (const bool smooth : {false, true}) {
      double sums[L::SUMS];
      const typename L::robust_loss loss = {this->t_, smooth, weighted};
      const auto view = view_of<TypeParam::problem>(pair);
      L::model_equations(this->scene_.truth.data(), &view, pair.stride, &loss, weights.data(),
                         sums);
      const double score = smooth ? expected.smooth : expected.score;
      EXPECT_NEAR(sums[L::SUM_OF_SCORES], score, 1e-9 * score);
      EXPECT_EQ(sums[L::SUM_OF_INLIERS], expected.inliers);
      EXPECT_NEAR(sums[L::SUM_OF_SQUARES], expected.squares, 1e-9 * expected.squares);
    }
  }
}

TYPED_TEST(Score, of_a_model_that_falls_behind_is_given_up) {
  using L = typename TypeParam::Functions;
  const auto view = view_of<TypeParam::problem>(this->pair_);
  const auto score_by = [&](const typename L::score_plan& plan, int stages) {
    return L::model_score(this->scene_.truth.data(), &view, &plan, stages);
  };
  const auto score = [&](double first, double second, double last) {
    return score_by({{128, 256, this->pair_.stride}, {first, second, last}}, 3);
  };
  const double whole = score_by({{this->pair_.stride}, {-1}}, 1);
  EXPECT_NEAR(score(-1, -1, -1), whole, 1e-12 * whole);
  EXPECT_NEAR(score(0, 0, 0.999 * whole), whole, 1e-12 * whole);
  EXPECT_EQ(score(0, 0, 1.001 * whole), -1);
  EXPECT_EQ(score(128, 0, 0), -1) << "128 points score less than 128";
  EXPECT_EQ(score(0, 256, 0), -1);
}

// The stages never drop a model that reaches the required score, if its score is spread evenly over
// all points.
TYPED_TEST(Score, of_a_better_model_passes_the_stages) {
  using L = typename TypeParam::Functions;
  const auto view = view_of<TypeParam::problem>(this->pair_);
  const double whole = this->plain_sums(this->scene_.truth, std::vector<double>(1024, 1)).score;
  for (const double share : {0.0, 0.2, 0.5, 0.9, 0.999, 1.001}) {
    typename L::score_plan plan;
    const int stages = L::score_stages(share * whole, view.n, nullptr, 0, &plan);
    ASSERT_LE(stages, 8);
    EXPECT_EQ(plan.ends[stages - 1], std::min<int>(view.n, robust::SCORE_POINTS));
    const double score = L::model_score(this->scene_.truth.data(), &view, &plan, stages);
    EXPECT_NEAR(score, share > 1 ? -1 : whole, 1e-9 * whole) << share;
  }
}

}  // namespace
}  // namespace bifocal::robust
