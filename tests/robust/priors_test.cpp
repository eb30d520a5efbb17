// SPDX-License-Identifier: BSD-3-Clause
// Matches with weights and qualities, with one pair per call.
#include <gtest/gtest.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <bifocal/robust.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "synthetic/accuracy.hpp"
#include "synthetic/two_view_scenes.hpp"
#include "support/needs_problem.hpp"

namespace bifocal::test {
namespace {

using synthetic::make_scene;
using synthetic::TwoViewScene;
using Numbers = std::vector<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr RobustOptions kOptions = {.threshold = 2.5, .seed = 3};

struct Estimator {
  std::string name;
  std::function<EstimateResult(const TwoViewScene&, const std::vector<PointPair>&,
                               const RobustOptions&, const MatchPriors&)>
      run;
  std::function<double(const TwoViewScene&, const EstimateResult&)> error;

  friend void PrintTo(const Estimator& e, std::ostream* out) { *out << e.name; }
};

// Returns a scene point for each match: a point on the ray of image 1, at a depth that differs from
// match to match and is independent of the scene's depth.
std::vector<ScenePoint> scene_points(const TwoViewScene& s, const std::vector<PointPair>& pairs) {
  std::vector<ScenePoint> points;
  for (const PointPair& p : pairs) {
    const double depth = 6 + std::sin(p.x1);
    points.push_back({p.x2, p.y2, (p.x1 - s.camera.cx) / s.camera.fx * depth,
                      (p.y1 - s.camera.cy) / s.camera.fy * depth, depth});
  }
  return points;
}

// Replaces the image points of correct matches by projections of scene_points; wrong matches stay.
TwoViewScene pose_scene(TwoViewScene s, std::mt19937_64& random) {
  std::normal_distribution<double> noise;
  const std::vector<ScenePoint> points = scene_points(s, s.points);
  for (size_t i = 0; i < points.size(); ++i) {
    if (!s.labels[i]) continue;
    Vec3 Y = s.truth.t;
    const double X[3] = {points[i].X, points[i].Y, points[i].Z};
    for (size_t k = 0; k < 9; ++k) Y[k / 3] += s.truth.R[k] * X[k % 3];
    s.points[i].x2 = s.camera.fx * Y[0] / Y[2] + s.camera.cx + noise(random);
    s.points[i].y2 = s.camera.fy * Y[1] / Y[2] + s.camera.cy + noise(random);
  }
  return s;
}

const std::vector<Estimator>& estimators() {
  static const std::vector<Estimator> all = {
      {"homography",
       [](const TwoViewScene&, const auto& p, const auto& o, const auto& priors) {
         return estimate(ModelKind::homography, p, {.options = o, .priors = priors});
       },
       [](const TwoViewScene& s, const EstimateResult& r) {
         return synthetic::mean_transfer_px(r.model, s.clean);
       }},
      {"fundamental",
       [](const TwoViewScene&, const auto& p, const auto& o, const auto& priors) {
         return estimate(ModelKind::fundamental, p, {.options = o, .priors = priors});
       },
       [](const TwoViewScene& s, const EstimateResult& r) {
         return synthetic::mean_sampson_px(r.model, s.clean);
       }},
      {"essential",
       [](const TwoViewScene& s, const auto& p, const auto& o,
          const auto& priors) -> EstimateResult {
         RelativePoseResult r = estimate_relative_pose(
             ModelKind::essential, p,
             {.cameras = std::array{s.camera, s.camera}, .options = o, .priors = priors});
         if (r.ok()) r.model = r.pose.R;
         return r;
       },
       [](const TwoViewScene& s, const EstimateResult& r) {
         return synthetic::rotation_error_deg(r.model, s.truth.R);
       }},
      {"absolute_pose",
       [](const TwoViewScene& s, const auto& p, const auto& o,
          const auto& priors) -> EstimateResult {
         return estimate(ModelKind::absolute_pose, scene_points(s, p),
                         {.cameras = std::array{s.camera}, .options = o, .priors = priors});
       },
       [](const TwoViewScene& s, const EstimateResult& r) {
         return synthetic::rotation_error_deg(r.model, s.truth.R);
       }}};
  return all;
}

bool same(const EstimateResult& a, const EstimateResult& b) {
  return a.outcome == b.outcome && a.model == b.model && a.inliers == b.inliers &&
         a.num_inliers == b.num_inliers && a.iterations == b.iterations && a.score == b.score &&
         a.rms == b.rms && a.noise == b.noise && a.significance == b.significance;
}

double distance(const Mat3& a, const Mat3& b) {
  double plus = 0, minus = 0;
  for (size_t i = 0; i < 9; ++i) {
    plus = std::max(plus, std::abs(a[i] - b[i]));
    minus = std::max(minus, std::abs(a[i] + b[i]));
  }
  return std::min(plus, minus);
}

class Priors : public testing::TestWithParam<Estimator> {
 protected:
  void SetUp() override {
    if (GetParam().name == "absolute_pose") skip_unless_built(ModelKind::absolute_pose);
  }
  TwoViewScene scene(int points, double inliers) {
    TwoViewScene s = make_scene(
        {.points = points, .inliers = inliers, .planar = GetParam().name == "homography"}, random_);
    return GetParam().name == "absolute_pose" ? pose_scene(s, random_) : s;
  }
  EstimateResult run(const TwoViewScene& s, const MatchPriors& priors = {},
                     const RobustOptions& options = kOptions) {
    return GetParam().run(s, s.points, options, priors);
  }
  Numbers random_numbers(size_t n, double from, double to) {
    std::uniform_real_distribution<double> unit(from, to);
    Numbers v(n);
    for (double& x : v) x = unit(random_);
    return v;
  }
  // Random qualities; correct matches exceed wrong matches by `apart` standard deviations.
  Numbers qualities(const TwoViewScene& s, double apart) {
    std::normal_distribution<double> noise;
    Numbers q;
    for (const std::uint8_t right : s.labels) q.push_back((right ? apart : 0) + noise(random_));
    return q;
  }

  std::mt19937_64 random_{61};
};

TEST_P(Priors, equal_weights_have_no_effect) {
  for (const int n : {60, 1500}) {
    TwoViewScene s = scene(n, 0.6);
    s.points[7].x1 = kNaN;
    const EstimateResult none = run(s);
    ASSERT_TRUE(none.ok());
    for (const double w : {1.0, 0.3, 1e-300, 1e300}) {
      const Numbers weights(s.points.size(), w);
      EXPECT_TRUE(same(run(s, {.weights = weights}), none)) << w;
    }
  }
}

TEST_P(Priors, the_unit_of_the_weights_does_not_matter) {
  const TwoViewScene s = scene(800, 0.5);
  Numbers weights = random_numbers(s.points.size(), 0, 1);
  weights[5] = 0;
  const EstimateResult first = run(s, {.weights = weights});
  ASSERT_TRUE(first.ok());
  EXPECT_LT(first.score, first.num_inliers);
  for (const double factor : {0.25, 1024.0, 0.37, 1e-200, 3e200}) {
    Numbers scaled = weights;
    for (double& w : scaled) w *= factor;
    const EstimateResult other = run(s, {.weights = scaled});
    if (std::exp2(std::round(std::log2(factor))) == factor) {
      EXPECT_TRUE(same(first, other));
    }
    EXPECT_LT(distance(first.model, other.model), 1e-6) << factor;
    EXPECT_EQ(first.inliers, other.inliers);
    EXPECT_EQ(first.iterations, other.iterations);
  }
}

TEST_P(Priors, of_weight_0_only_affect_the_flag) {
  TwoViewScene s = scene(2000, 0.1);
  std::vector<PointPair> right;
  Numbers weights;
  for (size_t i = 0; i < s.points.size(); ++i) {
    // Half of the correct matches also get weight 0.
    weights.push_back(s.labels[i] && i % 2 ? 1 : 0);
    if (weights.back() > 0) right.push_back(s.points[i]);
  }
  const EstimateResult alone = GetParam().run(s, right, kOptions, {});
  ASSERT_TRUE(alone.ok());
  const EstimateResult all = run(s, {.weights = weights});
  EXPECT_EQ(all.model, alone.model);
  EXPECT_EQ(all.iterations, alone.iterations);
  EXPECT_LE(all.iterations, 256);
  EXPECT_EQ(all.significance, alone.significance);
  EXPECT_EQ(all.score, alone.score);
  EXPECT_EQ(std::accumulate(all.inliers.begin(), all.inliers.end(), 0), all.num_inliers);
  int flagged = 0, of = 0, wrong = 0;
  for (size_t i = 0; i < s.points.size(); ++i) {
    if (weights[i] > 0) continue;
    of += s.labels[i];
    flagged += s.labels[i] && all.inliers[i];
    wrong += !s.labels[i] && all.inliers[i];
  }
  EXPECT_GE(flagged, of * 9 / 10);
  EXPECT_LE(wrong, 60);
  // Points of weight 0 have no influence wherever they are.
  for (size_t i = 0; i < s.points.size(); ++i) {
    if (weights[i] == 0) s.points[i].x2 += 300;
  }
  const EstimateResult moved = run(s, {.weights = weights});
  EXPECT_EQ(moved.model, alone.model);
  EXPECT_NE(moved.inliers, all.inliers);
}

TEST_P(Priors, of_little_weight_have_little_effect) {
  const TwoViewScene s = scene(2000, 0.1);
  Numbers weights;
  for (const std::uint8_t right : s.labels) weights.push_back(right ? 1 : 1e-3);
  std::vector<PointPair> right;
  for (size_t i = 0; i < s.points.size(); ++i) {
    if (s.labels[i]) right.push_back(s.points[i]);
  }
  const EstimateResult alone = GetParam().run(s, right, kOptions, {});
  const EstimateResult all = run(s, {.weights = weights});
  ASSERT_TRUE(all.ok() && alone.ok());
  EXPECT_LE(all.iterations, 128);
  EXPECT_LT(GetParam().error(s, all), 1.5 * GetParam().error(s, alone) + 0.02);
}

// A match of weight 2 counts like a match that is given twice.
TEST_P(Priors, of_weight_2_equal_repetition) {
  const TwoViewScene s = scene(600, 1);
  Numbers weights;
  std::vector<PointPair> repeated = s.points;
  for (size_t i = 0; i < s.points.size(); ++i) {
    weights.push_back(i % 3 ? 1 : 2);
    if (i % 3 == 0) repeated.push_back(s.points[i]);
  }
  const RobustOptions options = {.threshold = 8};
  const EstimateResult plain = run(s, {}, options);
  const EstimateResult weighted = run(s, {.weights = weights}, options);
  const EstimateResult twice = GetParam().run(s, repeated, options, {});
  ASSERT_TRUE(plain.ok() && weighted.ok() && twice.ok());
  EXPECT_LT(distance(weighted.model, twice.model), 0.05 * distance(plain.model, twice.model));
  // The a-priori noise of the threshold (3.2 px here) is combined with different numbers
  // of matches.
  EXPECT_NEAR(weighted.noise, twice.noise, 0.03);
  // Scores are in units of the largest weight.
  EXPECT_NEAR(2 * weighted.score, twice.score, 0.001 * twice.score);
}

struct Iterations {
  double mean = 0, error = 0;  // median error
  int found = 0;
};

TEST_P(Priors, qualities_save_iterations) {
  const double share = GetParam().name == "fundamental" ? 0.2 : 0.15;
  Iterations none, good, noise, inverse;
  constexpr int kScenes = 12;
  std::vector<double> errors[4];
  for (int k = 0; k < kScenes; ++k) {
    const TwoViewScene s = scene(1000, share);
    const Numbers apart = qualities(s, 1.5), blind = qualities(s, 0), bad = qualities(s, -1.5);
    Iterations* all[4] = {&none, &good, &noise, &inverse};
    const Numbers* given[4] = {nullptr, &apart, &blind, &bad};
    for (size_t v = 0; v < 4; ++v) {
      const EstimateResult r =
          run(s, {.qualities = given[v] ? std::span<const double>(*given[v]) : std::span<double>()},
              {.threshold = 2.5, .seed = static_cast<std::uint64_t>(k)});
      all[v]->mean += r.iterations / double(kScenes);
      all[v]->found += r.ok();
      errors[v].push_back(r.ok() ? GetParam().error(s, r) : 1e9);
    }
  }
  const Iterations* all[4] = {&none, &good, &noise, &inverse};
  const char* names[4] = {"none", "informative", "noise", "inverse"};
  for (size_t v = 0; v < 4; ++v) {
    std::sort(errors[v].begin(), errors[v].end());
    std::printf(
        "%s, %.0f %% right, qualities %s: %.0f iterations, found %d of %d, median error %.4f\n",
        GetParam().name.c_str(), 100 * share, names[v], all[v]->mean, all[v]->found, kScenes,
        errors[v][kScenes / 2]);
  }
  EXPECT_LT(good.mean, 0.5 * none.mean);
  EXPECT_GE(good.found, none.found);
  EXPECT_LT(errors[1][kScenes / 2], 1.1 * errors[0][kScenes / 2] + 0.005);
  // At least every second trial is drawn as without qualities.
  EXPECT_LT(noise.mean, 2.2 * none.mean + 128);
  EXPECT_LT(inverse.mean, 2.2 * none.mean + 128);
  EXPECT_GE(noise.found, none.found - 1);
  EXPECT_GE(inverse.found, none.found - 1);
}

TEST_P(Priors, of_pairs_without_geometry_give_no_model) {
  int accepted = 0;
  double plain = 0, ranked = 0;
  for (int k = 0; k < 20; ++k) {
    const TwoViewScene s = scene(k % 2 ? 200 : 1000, 0);
    const Numbers weights = random_numbers(s.points.size(), 0, 1), q = qualities(s, 0);
    plain += run(s).iterations;
    const EstimateResult r = run(s, {.qualities = q});
    ranked += r.iterations;
    accepted += r.ok() + run(s, {.weights = weights}).ok() +
                run(s, {.weights = weights, .qualities = q}).ok();
  }
  EXPECT_EQ(accepted, 0);
  EXPECT_LT(ranked, 2.2 * plain);
}

TEST_P(Priors, of_any_kind_are_taken) {
  const TwoViewScene s = scene(300, 0.7);
  const double infinity = std::numeric_limits<double>::infinity();
  Numbers q = qualities(s, 1), weights = random_numbers(s.points.size(), 0, 1);
  q[1] = kNaN, q[2] = infinity, q[3] = -infinity, q[4] = 1e300, q[5] = -0.0;
  weights[0] = 1e300, weights[1] = 1e-300, weights[2] = 0;
  EXPECT_TRUE(run(s, {.qualities = q}).ok());
  EXPECT_TRUE(run(s, {.qualities = Numbers(s.points.size(), kNaN)}).ok());
  // One match weighs more than all remaining matches together: the model is not significant, and
  // the call still ends.
  const EstimateResult r = run(s, {.weights = weights}, {.max_iterations = 3000});
  EXPECT_LE(r.iterations, 3000);
  const Numbers zeros(s.points.size(), 0);
  EXPECT_EQ(run(s, {.weights = zeros}).outcome, Outcome::too_few_points);
}

TEST_P(Priors, that_do_not_fit_are_named) {
  const TwoViewScene s = scene(50, 0.7);
  const auto expect_named = [&](const MatchPriors& priors, const std::string& name) {
    try {
      (void)run(s, priors);
      ADD_FAILURE() << name << " accepted";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::usage);
      EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
    }
  };
  Numbers weights(50, 1);
  expect_named({.weights = std::span(weights).first(49)}, "49 weights for 50");
  expect_named({.qualities = std::span(weights).first(1)}, "1 qualities for 50");
  weights[17] = -2.5;
  expect_named({.weights = weights}, "weights[17] = -2.5");
  weights[17] = kNaN;
  expect_named({.weights = weights}, "weights[17] = nan");
  weights[17] = std::numeric_limits<double>::infinity();
  expect_named({.weights = weights}, "weights[17] = inf");
}

INSTANTIATE_TEST_SUITE_P(, Priors, testing::ValuesIn(estimators()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace bifocal::test
