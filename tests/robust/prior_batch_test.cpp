// SPDX-License-Identifier: BSD-3-Clause
// Batches of pairs whose matches have weights and qualities, on every device: each pair gets the
// result that it gets alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <bifocal/robust.hpp>
#include <cmath>
#include <limits>

#include "support/needs_problem.hpp"
#include "synthetic/two_view_scenes.hpp"

namespace bifocal::test {
namespace {

using Numbers = std::vector<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr RobustOptions kOptions = {
    .threshold = 2.5, .max_iterations = 2000, .min_inlier_ratio = 0.4, .seed = 9};
constexpr Intrinsics kCamera{1000, 1000, 640, 480};

// All pairs, preceded by points that belong to no pair.
struct Content {
  ModelKind kind;
  std::vector<PointPair> points;
  Numbers weights, qualities;
  std::vector<std::int64_t> offsets;

  void end_pair() {
    weights.resize(points.size(), 1);
    qualities.resize(points.size(), 0);
    offsets.push_back(static_cast<std::int64_t>(points.size()));
  }
  [[nodiscard]] size_t first(size_t pair) const { return static_cast<size_t>(offsets[pair]); }
};

Content make_content(ModelKind kind) {
  std::mt19937_64 random(71);
  std::uniform_real_distribution<double> unit(0.1, 1);
  std::normal_distribution<double> normal;
  Content c{
      kind, std::vector<PointPair>(5, PointPair{1, 2, 3, 4}), Numbers(5, 2), Numbers(5, 3), {5}};
  const auto add = [&](int n, double inliers, auto weight, auto quality) {
    const synthetic::TwoViewScene s = synthetic::make_scene(
        {.points = n, .inliers = inliers, .planar = kind == ModelKind::homography}, random);
    c.points.insert(c.points.end(), s.points.begin(), s.points.end());
    for (const std::uint8_t right : s.labels) {
      c.weights.push_back(weight(right));
      c.qualities.push_back(quality(right));
    }
    c.end_pair();
  };
  const auto any = [&](int) { return unit(random); };
  const auto helpful = [&](int right) { return (right ? 1.0 : 0.3) * unit(random); };
  const auto labels = [&](int right) { return right ? 1.0 : 0.0; };
  const auto apart = [&](int right) { return right + normal(random); };
  const auto one = [](int) { return 1.0; };
  add(2000, 0.3, helpful, apart);
  add(300, 0.6, one, apart);
  add(900, 0.1, labels, one);
  add(0, 0, one, one);
  add(1500, 0.5, any, one);
  add(9, 1, labels, apart);
  add(60, 0.7, any, apart);
  add(200, 0, any, apart);
  add(150, 0.2, labels, apart);
  const size_t begin = c.first(1);
  c.points[begin].x1 = kNaN;
  c.qualities[begin + 1] = kNaN;
  c.qualities[begin + 2] = -std::numeric_limits<double>::infinity();
  c.weights[c.first(4) + 3] = 0;
  for (size_t i = c.first(5); i < c.first(6); ++i) c.weights[i] = 0;
  return c;
}

struct Given {
  bool weights = true, qualities = true;
  bool points_in_buffer = false, weights_in_buffer = false, qualities_in_buffer = false;
};

BatchEstimate run(Queue& queue, const Content& c, const Given& given) {
  Buffer<PointPair> points(queue.device(), given.points_in_buffer ? c.points.size() : 0);
  Buffer<double> weights(queue.device(), given.weights_in_buffer ? c.points.size() : 0);
  Buffer<double> qualities(queue.device(), given.qualities_in_buffer ? c.points.size() : 0);
  if (given.points_in_buffer) points.upload(queue, c.points);
  if (given.weights_in_buffer) weights.upload(queue, c.weights);
  if (given.qualities_in_buffer) qualities.upload(queue, c.qualities);
  Memory<const PointPair> where = c.points.data();
  BatchInput input{.offsets = c.offsets,
                   .cameras1 = {&kCamera, 1},
                   .cameras2 = {&kCamera, 1},
                   .options = kOptions};
  if (given.points_in_buffer) where = points;
  if (given.weights) input.weights = c.weights.data();
  if (given.weights_in_buffer) input.weights = weights;
  if (given.qualities) input.qualities = c.qualities.data();
  if (given.qualities_in_buffer) input.qualities = qualities;
  return estimate_batch(queue, c.kind, where, input);
}

EstimateResult run_single(const Content& c, size_t k, const Given& given) {
  const size_t begin = c.first(k), size = c.first(k + 1) - begin;
  const std::span points = std::span(c.points).subspan(begin, size);
  MatchPriors priors;
  if (given.weights) priors.weights = std::span(c.weights).subspan(begin, size);
  if (given.qualities) priors.qualities = std::span(c.qualities).subspan(begin, size);
  if (c.kind == ModelKind::homography)
    return estimate(ModelKind::homography, points, {.options = kOptions, .priors = priors});
  if (c.kind == ModelKind::fundamental)
    return estimate(ModelKind::fundamental, points, {.options = kOptions, .priors = priors});
  return estimate_relative_pose(
      ModelKind::essential, points,
      {.cameras = std::array{kCamera, kCamera}, .options = kOptions, .priors = priors});
}

double distance(const Mat3& a, const Mat3& b) {
  double plus = 0, minus = 0;
  for (size_t i = 0; i < 9; ++i) {
    plus = std::max(plus, std::abs(a[i] - b[i]));
    minus = std::max(minus, std::abs(a[i] + b[i]));
  }
  return std::min(plus, minus);
}

class PriorBatch : public testing::TestWithParam<ModelKind> {
 protected:
  Content content_ = make_content(GetParam());
};

TEST_P(PriorBatch, gives_the_result_of_each_single_pair) {
  for (const Given& given : {Given{}, Given{.qualities = false}, Given{.weights = false}}) {
    std::vector<EstimateResult> expected;
    int with_model = 0;
    for (size_t k = 0; k + 1 < content_.offsets.size(); ++k) {
      expected.push_back(run_single(content_, k, given));
      with_model += expected.back().ok();
    }
    EXPECT_GE(with_model, given.weights ? 5 : 4);
    for (const DeviceInfo& info : list_devices()) {
      SCOPED_TRACE(info.id);
      Queue queue{Device(info.id)};
      // On devices other than a CPU, sums differ by rounding, which the refinement does
      // not magnify.
      const double tolerance = info.kind == DeviceKind::cpu ? 0 : 1e-6;
      const BatchEstimate all = run(queue, content_, given);
      int other_ways = 0;
      for (size_t k = 0; k < expected.size(); ++k) {
        SCOPED_TRACE("pair " + std::to_string(k));
        const Estimate& e = all.pairs[k];
        const EstimateResult& s = expected[k];
        EXPECT_EQ(e.outcome, s.outcome);
        // If two samples have equal scores, rounding decides which is refined. Of pairs with half
        // of their matches correct, one or two in a hundred end at another model or maximum of
        // equal quality.
        if (tolerance > 0 && s.ok() &&
            (e.iterations != s.iterations || distance(e.model, s.model) > tolerance)) {
          EXPECT_LE(++other_ways, 1);
          EXPECT_NEAR(e.score, s.score, 0.01 * s.score);
          continue;
        }
        EXPECT_EQ(e.iterations, s.iterations);
        // Among several models of wrong matches, rounding may decide.
        if (tolerance > 0 && e.outcome == Outcome::not_significant) continue;
        EXPECT_EQ(e.num_inliers, s.num_inliers);
        EXPECT_LE(distance(e.model, s.model), tolerance);
        EXPECT_NEAR(e.score, s.score, tolerance * s.score);
        EXPECT_NEAR(e.rms, s.rms, tolerance * s.rms);
        EXPECT_NEAR(e.noise, s.noise, tolerance * s.noise);
        if (tolerance == 0) {
          EXPECT_EQ(e.significance, s.significance);
        }
        const auto from = all.inliers.begin() + static_cast<std::ptrdiff_t>(content_.first(k) - 5);
        EXPECT_TRUE(std::equal(s.inliers.begin(), s.inliers.end(), from));
      }
    }
  }
}

TEST_P(PriorBatch, is_the_same_in_host_and_device_memory) {
  for (const DeviceInfo& info : list_devices()) {
    SCOPED_TRACE(info.id);
    Queue queue{Device(info.id)};
    const BatchEstimate reference = run(queue, content_, {});
    for (const int where : {1, 2, 4, 6, 7}) {
      const BatchEstimate other = run(queue, content_,
                                      {.points_in_buffer = (where & 1) != 0,
                                       .weights_in_buffer = (where & 2) != 0,
                                       .qualities_in_buffer = (where & 4) != 0});
      EXPECT_EQ(other.inliers, reference.inliers) << where;
      for (size_t k = 0; k < reference.pairs.size(); ++k) {
        EXPECT_EQ(other.pairs[k].outcome, reference.pairs[k].outcome);
        EXPECT_EQ(other.pairs[k].model, reference.pairs[k].model) << where << ", pair " << k;
      }
    }
  }
}

TEST_P(PriorBatch, invalid_weights_on_a_device_count_as_0) {
  Content zero = content_, wrong = content_;
  const double none[] = {-1, kNaN, std::numeric_limits<double>::infinity()};
  for (size_t i = 0; i < 30; ++i) {
    zero.weights[zero.first(0) + 7 * i] = 0;
    wrong.weights[zero.first(0) + 7 * i] = none[i % 3];
  }
  for (const DeviceInfo& info : list_devices()) {
    SCOPED_TRACE(info.id);
    Queue queue{Device(info.id)};
    const bool is_cpu = info.kind == DeviceKind::cpu;
    for (const bool in_buffer : {false, true}) {
      try {
        const BatchEstimate e = run(queue, wrong, {.weights_in_buffer = in_buffer});
        EXPECT_TRUE(in_buffer && !is_cpu);
        EXPECT_EQ(e.pairs[0].model, run(queue, zero, {}).pairs[0].model);
      } catch (const Error& error) {
        EXPECT_TRUE(!in_buffer || is_cpu);
        EXPECT_EQ(error.code(), ErrorCode::usage);
        EXPECT_NE(std::string(error.what()).find("weights[5] = -1"), std::string::npos)
            << error.what();
      }
    }
  }
}

TEST_P(PriorBatch, too_few_numbers_are_named) {
  Queue queue{Device("cpu")};
  const Buffer<double> few(queue.device(), content_.points.size() - 1);
  BatchInput input{.offsets = content_.offsets,
                   .cameras1 = {&kCamera, 1},
                   .cameras2 = {&kCamera, 1},
                   .options = kOptions};
  for (const std::string name : {"weights", "qualities"}) {
    input.weights = input.qualities = nullptr;
    (name == "weights" ? input.weights : input.qualities) = few;
    try {
      (void)estimate_batch(queue, GetParam(), content_.points.data(), input);
      ADD_FAILURE() << name << " accepted";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::usage);
      EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, PriorBatch,
                         testing::Values(ModelKind::homography, ModelKind::fundamental,
                                         ModelKind::essential),
                         [](const auto& test) { return std::string(to_string(test.param)); });

}  // namespace
}  // namespace bifocal::test
