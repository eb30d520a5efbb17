// SPDX-License-Identifier: BSD-3-Clause
// Quantities derived from the errors of a model: the scale of the noise, points of too much
// leverage, and the side of the cameras on which points lie.
#include <Eigen/Cholesky>
#include <algorithm>

#include "ransac_scene.hpp"

namespace bifocal::robust {
namespace {

template <class P>
struct Noise : public test::NeedsProblem<P::problem> {
  std::mt19937_64 random_{13};
};
TYPED_TEST_SUITE(Noise, AllProblems, ProblemNames);

// Noise of 1 px under the true model is found for any fraction of correct matches and
// any threshold.
TYPED_TEST(Noise, scale_is_found) {
  using L = typename TypeParam::Functions;
  constexpr int kPoints = 20000;
  for (const double inliers : {0.8, 0.5, 0.3}) {
    for (const double threshold : {1.0, 2.5, 6.25}) {
      const RansacScene s = make_ransac_scene(
          TypeParam::problem, {.points = kPoints, .inliers = inliers}, threshold, this->random_);
      const auto view = view_of<TypeParam::problem>(s.pair);
      Model pose{};
      double matches = 0;
      std::vector<double> errors(static_cast<size_t>(s.pair.stride));
      L::model_side(&view, s.pair.stride, s.truth.data(), pose.data());
      const double sigma =
          L::noise_scale(&view, s.pair.stride, s.truth.data(), pose.data(), 0.4 * s.threshold,
                         0.4 * s.threshold, errors.data(), &matches) /
          s.pixel;
      const double right = inliers * kPoints;
      // The fixed-point iteration ends if the variance changes by less than 2 %. The tolerance adds
      // five standard deviations of a scale that is estimated from this number of matches in a
      // window with most matches.
      const double tolerance = 0.02 + 5 / std::sqrt(right);
      EXPECT_NEAR(sigma, 1, tolerance) << inliers << ", " << threshold << " px";
      EXPECT_NEAR(matches, right, tolerance * right) << inliers << ", " << threshold << " px";
    }
  }
}

TYPED_TEST(Noise, scale_without_points_keeps_its_start) {
  using L = typename TypeParam::Functions;
  RansacScene s =
      make_ransac_scene(TypeParam::problem, {.points = 100, .inliers = 1}, 2, this->random_);
  std::fill(s.pair.f64.begin(), s.pair.f64.end(), std::nan(""));
  const auto view = view_of<TypeParam::problem>(s.pair);
  const Model pose{};
  double matches = -1;
  EXPECT_EQ(L::noise_scale(&view, s.pair.stride, s.truth.data(), pose.data(), 0.5, 0.5,
                           s.pair.weights.data(), &matches),
            0.5);
  EXPECT_EQ(matches, 0);
}

// The reported noise is that of the matches, from a thousandth of the threshold on, also for few
// matches; sigma^2 is unbiased.
TYPED_TEST(Noise, of_an_estimate_does_not_follow_the_threshold) {
  constexpr int kScenes = 12;
  for (const int points : {40, 200}) {
    for (const double noise : {1e-3, 0.5}) {
      for (const double threshold : {2.0, 8.0}) {
        int found = 0;
        double squares = 0;
        for (int k = 0; k < kScenes; ++k) {
          const ProblemScene s = make_problem_scene(
              TypeParam::problem, {.points = points, .inliers = 1, .noise = noise}, this->random_);
          const EstimateResult r = estimate_scene(s, {.threshold = threshold});
          if (!r.ok()) continue;
          ++found;
          squares += r.noise * r.noise / (noise * noise);
        }
        ASSERT_GT(found, kScenes / 2);
        // Four standard deviations for at least 32 residuals of a pair.
        const double tolerance = 0.03 + 4 / std::sqrt(2.0 * found * (points - 8));
        EXPECT_NEAR(std::sqrt(squares / found), 1, tolerance)
            << points << " matches, " << noise << " px, threshold " << threshold << " px";
      }
    }
  }
}

template <class P>
class Leverage : public test::NeedsProblem<P::problem> {
 protected:
  using Functions = typename P::Functions;
  std::mt19937_64 random_{14};

  struct Cut {
    double sigma;
    std::vector<double> admitted, weights;
  };
  static Cut cut(const RansacScene& s) {
    const auto view = view_of<P::problem>(s.pair);
    Cut c{s.pixel, std::vector<double>(static_cast<size_t>(s.pair.stride)), {}};  // noise: 1 px
    Model pose{};
    typename Functions::pair_shared shared;
    Functions::model_side(&view, s.pair.stride, s.truth.data(), pose.data());
    Functions::admit_points(&view, s.pair.stride, s.truth.data(), pose.data(), c.admitted.data());
    c.weights = c.admitted;
    Functions::cut_leverage(&view, s.truth.data(), pose.data(), c.sigma, c.weights.data(), &shared);
    return c;
  }

  // Leverage of every point: |R^-T J|^2 with its row J of the Jacobian in the parameters, and R of
  // the points within two standard deviations.
  static std::vector<double> plain_leverage(const RansacScene& s, const Cut& c) {
    constexpr int kEquations = Functions::EQUATIONS;
    double chart[20], D[kEquations * Functions::DOF];
    Functions::model_open(s.truth.data(), s.pair.info.rays, chart);
    Functions::model_tangent(chart, s.pair.info.rays, D);
    Model model{};  // from the chart: derivatives belong to this multiple of the truth
    Functions::model_close(chart, s.pair.info.rays, model.data());
    const Eigen::Map<Eigen::Matrix<double, kEquations, Functions::DOF, Eigen::RowMajor>> tangent(D);
    Eigen::MatrixXd all(s.pair.count(), int(Functions::DOF));
    Eigen::MatrixXd near = Eigen::MatrixXd::Zero(s.pair.count(), int(Functions::DOF));
    for (int i = 0; i < s.pair.count(); ++i) {
      Eigen::Matrix<double, 1, kEquations> row;
      for (int k = 0; k < kEquations; ++k) {
        // Signed residuals by central differences.
        const auto residual = [&](double step) {
          Model m = model;
          m[static_cast<size_t>(k)] += step;
          const double e = std::sqrt(plain_error(P::problem, s.pair, m, i));
          return constraint(s.pair, m, i) < 0 ? -e : e;
        };
        row[k] = (residual(1e-6) - residual(-1e-6)) / 2e-6;
      }
      all.row(i) = row * tangent;
      const double e = plain_error(P::problem, s.pair, model, i);
      if (c.admitted[static_cast<size_t>(i)] > 0 && e < 4 * c.sigma * c.sigma)
        near.row(i) = all.row(i);
    }
    const Eigen::MatrixXd normal = near.transpose() * near;
    const Eigen::MatrixXd solved = normal.ldlt().solve(all.transpose());
    std::vector<double> leverage;
    for (int i = 0; i < s.pair.count(); ++i) leverage.push_back(all.row(i).dot(solved.col(i)));
    return leverage;
  }

 private:
  static double constraint(const PairPoints& pair, const Model& m, int i) {
    const Straight p = straight_point(P::problem, pair, m, i);
    const double a = m[0] * p[0] + m[1] * p[1] + m[2], b = m[3] * p[0] + m[4] * p[1] + m[5];
    return p[2] * a + p[3] * b + m[6] * p[0] + m[7] * p[1] + m[8];
  }
};
TYPED_TEST_SUITE(Leverage, EpipolarProblems, ProblemNames);

TYPED_TEST(Leverage, removes_no_points_without_wrong_matches) {
  for (int trial = 0; trial < 20; ++trial) {
    const RansacScene s =
        make_ransac_scene(TypeParam::problem, {.points = 1000, .inliers = 1}, 2.5, this->random_);
    const auto c = this->cut(s);
    EXPECT_EQ(c.weights, c.admitted);
  }
}

TYPED_TEST(Leverage, of_removed_points_exceeds_the_rest) {
  int cut_right = 0, cut_wrong = 0;
  for (int trial = 0; trial < 10; ++trial) {
    const RansacScene s =
        make_ransac_scene(TypeParam::problem, {.points = 1000, .inliers = 0.3}, 2.5, this->random_);
    const auto c = this->cut(s);
    const std::vector<double> leverage = this->plain_leverage(s, c);
    double lowest = 1e300, highest = 0;
    for (size_t i = 0; i < leverage.size(); ++i) {
      ASSERT_TRUE(c.weights[i] == 0 || c.weights[i] == c.admitted[i]);
      if (c.admitted[i] == 0) continue;
      if (c.weights[i] > 0) {
        highest = std::max(highest, leverage[i]);
        continue;
      }
      lowest = std::min(lowest, leverage[i]);
      const double e = plain_error(TypeParam::problem, s.pair, s.truth, static_cast<int>(i));
      if (e < 4 * c.sigma * c.sigma) ++(s.labels[i] ? cut_right : cut_wrong);
    }
    // The tolerance is the accuracy of the finite differences.
    EXPECT_LT(highest, lowest * (1 + 1e-4));
  }
  EXPECT_GT(cut_wrong, cut_right) << "of those near their epipolar line";
}

template <class P>
struct EpipolarOrientation : public test::NeedsProblem<P::problem> {
  std::mt19937_64 random_{15};
};
TYPED_TEST_SUITE(EpipolarOrientation, EpipolarProblems, ProblemNames);

TYPED_TEST(EpipolarOrientation, holds_for_true_matches) {
  using L = typename TypeParam::Functions;
  for (int trial = 0; trial < 300; ++trial) {
    const RansacScene s = make_ransac_scene(
        TypeParam::problem, {.points = 64, .inliers = 1, .noise = 0}, 2, this->random_);
    const int stride = s.pair.stride;
    std::vector<double> q(s.pair.f64);
    for (int i = 0; i < s.pair.count(); ++i) {
      const Straight at = straight_point(TypeParam::problem, s.pair, s.truth, i);
      for (int c = 0; c < 4; ++c)
        q[static_cast<size_t>(c * stride + i)] = at[static_cast<size_t>(c)];
    }
    const double* p = q.data();
    for (const double sign : {1.0, -1.0}) {
      Model F = s.truth;
      for (double& v : F) v *= sign;
      EXPECT_TRUE(L::epipolar_oriented(F.data(), p, p + stride, p + 2 * stride, p + 3 * stride,
                                       s.pair.count()));
    }
    // One point lies behind a camera: it is mirrored at the epipole e (F'e = 0) on its line.
    Eigen::Map<const RowMajor3> F(s.truth.data());
    const Eigen::Vector3d e = F.transpose().fullPivLu().kernel().col(0);
    const size_t x = static_cast<size_t>(2 * stride + 3), y = static_cast<size_t>(3 * stride + 3);
    q[x] = 2 * e.x() / e.z() - q[x];
    q[y] = 2 * e.y() / e.z() - q[y];
    EXPECT_FALSE(L::epipolar_oriented(s.truth.data(), q.data(), q.data() + stride,
                                      q.data() + 2 * stride, q.data() + 3 * stride,
                                      s.pair.count()));
  }
}

// If the epipole is in the middle of image 2, a wrong match lies equally often on either side. Then
// n wrong matches agree by chance 2 in 2^n times.
TYPED_TEST(EpipolarOrientation, holds_only_by_chance_for_wrong_matches) {
  using L = typename TypeParam::Functions;
  std::normal_distribution<double> normal(0, 1);
  constexpr int kTrials = 100000;
  for (const int n : {2, 5, 7}) {
    int passed = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      double F[9] = {}, p[28];
      for (int i = 0; i < 6; ++i) F[i] = normal(this->random_);
      for (double& v : p) v = normal(this->random_);
      passed += L::epipolar_oriented(F, p, p + 7, p + 14, p + 21, n);
    }
    const double chance = std::pow(2.0, 1 - n);
    EXPECT_NEAR(passed, kTrials * chance, 5 * std::sqrt(kTrials * chance * (1 - chance))) << n;
  }
}

}  // namespace
}  // namespace bifocal::robust
