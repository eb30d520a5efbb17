// SPDX-License-Identifier: BSD-3-Clause
// Many pairs in one call, on every available device: each pair gets the result that it gets alone,
// whatever the neighbouring pairs are.
#include <gtest/gtest.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <bifocal/robust.hpp>
#include <bifocal/device.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "support/long_tests.hpp"
#include "support/needs_problem.hpp"
#include "synthetic/two_view_scenes.hpp"

namespace bifocal::test {
namespace {

using Pairs = std::vector<PointPair>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr RobustOptions kOptions = {
    .threshold = 2.5, .max_iterations = 2000, .min_inlier_ratio = 0.2, .seed = 9};
constexpr std::int64_t kBefore = 5;  // points in front of the first pair's

struct Content {
  ModelKind kind;
  std::vector<Pairs> pairs;
  std::vector<Intrinsics> cameras1, cameras2;  // essential
};

// Makes pairs of all sizes from empty to large, and pairs without geometry.
Content make_content(ModelKind kind) {
  std::mt19937_64 random(31);
  Content c{kind, {}, {}, {}};
  const auto scene = [&](int points, double inliers) {
    return synthetic::make_scene(
        {.points = points, .inliers = inliers, .planar = kind == ModelKind::homography}, random);
  };
  for (const int n : {0, 3, 200, 4, 50, 2000, 5, 7, 8, 129, 700}) {
    c.pairs.push_back(n ? scene(n, 0.7).points : Pairs{});
    if (kind != ModelKind::essential) continue;
    const double k = static_cast<double>(c.pairs.size());
    c.cameras1.push_back({1000, 1000, 640, 480});
    c.cameras2.push_back({900 + 20 * k, 1000, 600, 480 + k});
    for (PointPair& p : c.pairs.back()) {
      p.x2 = (p.x2 - 640) / 1000 * c.cameras2.back().fx + c.cameras2.back().cx;
      p.y2 = p.y2 - 480 + c.cameras2.back().cy;
    }
  }
  c.pairs.push_back(scene(150, 0).points);
  c.pairs.push_back(c.pairs[2]);
  c.pairs.back()[0].x1 = c.pairs.back()[77].y2 = kNaN;
  c.pairs.back()[199].x2 = std::numeric_limits<double>::infinity();
  c.pairs.emplace_back(20, PointPair{kNaN, 1, 2, 3});
  c.pairs.emplace_back(100, PointPair{10, 20, 30, 40});
  c.pairs.emplace_back(300, PointPair{100, 200, 110, 190});
  c.pairs.back().push_back({500, 300, 520, 310});
  c.pairs.back().push_back({700, 100, 690, 130});
  c.pairs.push_back(scene(60, 0).points);  // each match three times
  const Pairs once = c.pairs.back();
  for (int i = 0; i < 2; ++i) c.pairs.back().insert(c.pairs.back().end(), once.begin(), once.end());
  c.pairs.push_back(c.pairs[4]);  // some correct matches twice
  c.pairs.back().insert(c.pairs.back().end(), c.pairs[4].begin(), c.pairs[4].begin() + 20);
  if (kind == ModelKind::essential) {
    c.cameras1.resize(c.pairs.size(), {1000, 1000, 640, 480});
    c.cameras2.resize(c.pairs.size(), {1100, 1000, 640, 480});
    c.cameras2[12] = c.cameras2[2];
    c.cameras2.back() = c.cameras2[4];
  }
  return c;
}

Content reversed(Content c) {
  std::reverse(c.pairs.begin(), c.pairs.end());
  std::reverse(c.cameras1.begin(), c.cameras1.end());
  std::reverse(c.cameras2.begin(), c.cameras2.end());
  return c;
}

Content alone(const Content& c, size_t k) {
  if (c.kind != ModelKind::essential) return {c.kind, {c.pairs[k]}, {}, {}};
  return {c.kind, {c.pairs[k]}, {c.cameras1[k]}, {c.cameras2[k]}};
}

// The results of a pair in a batch.
struct Found {
  Estimate estimate;
  std::vector<std::uint8_t> inliers;

  friend bool operator==(const Found& a, const Found& b) {
    const Estimate &x = a.estimate, &y = b.estimate;
    const auto same = [](double u, double v) { return std::memcmp(&u, &v, sizeof u) == 0; };
    return x.outcome == y.outcome && x.model == y.model && x.pose.R == y.pose.R &&
           x.pose.t == y.pose.t && x.num_inliers == y.num_inliers && x.iterations == y.iterations &&
           same(x.score, y.score) && same(x.rms, y.rms) && same(x.noise, y.noise) &&
           same(x.significance, y.significance) && a.inliers == b.inliers;
  }
};

std::vector<Found> run(Queue& queue, const Content& c, bool in_buffer = false) {
  Pairs points(kBefore, PointPair{1, 2, 3, 4});
  std::vector<std::int64_t> offsets = {kBefore};
  for (const Pairs& p : c.pairs) {
    points.insert(points.end(), p.begin(), p.end());
    offsets.push_back(static_cast<std::int64_t>(points.size()));
  }
  Buffer<PointPair> buffer(queue.device(), in_buffer ? points.size() : 0);
  if (in_buffer) buffer.upload(queue, points);
  const auto memory =
      in_buffer ? Memory<const PointPair>(buffer) : Memory<const PointPair>(points.data());
  const BatchEstimate all = estimate_batch(
      queue, c.kind, memory,
      {.offsets = offsets, .cameras1 = c.cameras1, .cameras2 = c.cameras2, .options = kOptions});
  EXPECT_EQ(all.pairs.size(), c.pairs.size());
  EXPECT_EQ(static_cast<std::int64_t>(all.inliers.size()), offsets.back() - kBefore);
  std::vector<Found> found;
  for (size_t k = 0; k < c.pairs.size(); ++k) {
    const auto begin = all.inliers.begin() + (offsets[k] - kBefore);
    found.push_back({all.pairs[k], {begin, begin + (offsets[k + 1] - offsets[k])}});
  }
  return found;
}

EstimateResult run_single(const Content& c, size_t k) {
  if (c.kind != ModelKind::essential) return estimate(c.kind, c.pairs[k], {.options = kOptions});
  return estimate_relative_pose(
      ModelKind::essential, c.pairs[k],
      {.cameras = std::array{c.cameras1[k], c.cameras2[k]}, .options = kOptions});
}

// Largest difference of an element; with `any_sign`, up to the sign of the model.
double distance(const Mat3& a, const Mat3& b, bool any_sign) {
  double same = 0, other = 0;
  for (size_t i = 0; i < 9; ++i) {
    same = std::max(same, std::abs(a[i] - b[i]));
    other = std::max(other, std::abs(a[i] + b[i]));
  }
  return any_sign ? std::min(same, other) : same;
}

class Batch : public testing::TestWithParam<ModelKind> {
 protected:
  Content content_ = make_content(GetParam());

  static void for_each_device(const std::function<void(Queue&)>& body) {
    for (const DeviceInfo& info : list_devices()) {
      SCOPED_TRACE(info.id);
      Queue queue{Device(info.id)};
      body(queue);
    }
  }
};

TEST_P(Batch, gives_the_result_of_each_single_pair) {
  std::vector<EstimateResult> expected;
  int with_model = 0;
  for (size_t k = 0; k < content_.pairs.size(); ++k) {
    expected.push_back(run_single(content_, k));
    with_model += expected.back().ok();
  }
  EXPECT_GE(with_model, 7);
  for_each_device([&](Queue& queue) {
    // On devices other than a CPU, sums differ by rounding, which the refinement does not magnify.
    const double tolerance = queue.device().info().kind == DeviceKind::cpu ? 0 : 1e-6;
    const std::vector<Found> found = run(queue, content_);
    int other_ways = 0;
    for (size_t k = 0; k < found.size(); ++k) {
      SCOPED_TRACE("pair " + std::to_string(k));
      const Estimate& e = found[k].estimate;
      const EstimateResult& s = expected[k];
      EXPECT_EQ(e.outcome, s.outcome) << to_string(e.outcome) << ", " << to_string(s.outcome);
      // In a pair with half of its matches correct, rounding may lead the refinement to another
      // maximum of equal quality.
      if (tolerance > 0 && s.ok() && distance(e.model, s.model, true) > tolerance) {
        EXPECT_LE(++other_ways, 1);
        EXPECT_NEAR(e.score, s.score, 0.01 * s.score);
        continue;
      }
      if (tolerance == 0) {
        EXPECT_EQ(e.iterations, s.iterations);
        EXPECT_EQ(e.significance, s.significance);
      }
      // Among several models of wrong matches, rounding may decide.
      if (tolerance > 0 && e.outcome == Outcome::not_significant) continue;
      EXPECT_EQ(e.num_inliers, s.num_inliers);
      EXPECT_EQ(found[k].inliers, s.inliers);
      EXPECT_LE(distance(e.model, s.model, tolerance > 0), tolerance);
      EXPECT_NEAR(e.score, s.score, tolerance * s.score);
      EXPECT_NEAR(e.rms, s.rms, tolerance * s.rms);
      EXPECT_NEAR(e.noise, s.noise, tolerance * s.noise);
      for (size_t i = 0; i < 9; ++i) EXPECT_NEAR(e.pose.R[i], s.pose.R[i], tolerance);
      for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(e.pose.t[i], s.pose.t[i], tolerance);
    }
  });
}

TEST_P(Batch, gives_the_same_bytes_in_any_order_and_place) {
  for_each_device([&](Queue& queue) {
    const std::vector<Found> reference = run(queue, content_);
    std::vector<Found> others = run(queue, reversed(content_));
    std::reverse(others.begin(), others.end());
    for (size_t k = 0; k < reference.size(); ++k)
      EXPECT_TRUE(others[k] == reference[k]) << "pair " << k;
    for (const size_t k : {size_t{2}, size_t{4}, size_t{12}, size_t{0}})
      EXPECT_TRUE(run(queue, alone(content_, k))[0] == reference[k]) << "pair " << k << " alone";
    const std::vector<Found> in_buffer = run(queue, content_, true);
    for (size_t k = 0; k < reference.size(); ++k)
      EXPECT_TRUE(in_buffer[k] == reference[k]) << "pair " << k << ", points in a Buffer";
  });
}

// Devices process 1024 to 4096 pairs at a time, and some such pieces at once.
TEST_P(Batch, of_several_pieces_gives_the_same_bytes) {
  constexpr size_t kDistinct = 12;
  const size_t pairs = GetParam() == ModelKind::homography ? 4200 : 2100;
  std::mt19937_64 random(32);
  Content some{GetParam(), {}, {}, {}}, many = some;
  for (size_t k = 0; k < pairs; ++k) {
    if (k < kDistinct) {
      some.pairs.push_back(synthetic::make_scene({.points = 12 + static_cast<int>(k),
                                                  .inliers = 0.9,
                                                  .planar = GetParam() == ModelKind::homography},
                                                 random)
                               .points);
    }
    many.pairs.push_back(some.pairs[k % kDistinct]);
  }
  if (GetParam() == ModelKind::essential) {
    some.cameras1 = some.cameras2 = {{1000, 1000, 640, 480}};
    many.cameras1 = many.cameras2 = some.cameras1;
  }
  for_each_device([&](Queue& queue) {
    const std::vector<Found> reference = run(queue, some);
    for (const bool in_buffer : {false, true}) {
      if (in_buffer && GetParam() != ModelKind::homography && !test::is_long()) continue;
      const std::vector<Found> all = run(queue, many, in_buffer);
      for (size_t k = 0; k < pairs; ++k)
        ASSERT_TRUE(all[k] == reference[k % kDistinct]) << "pair " << k << " in " << in_buffer;
    }
  });
}

TEST_P(Batch, does_not_depend_on_the_number_of_threads) {
  Queue queue{Device("cpu")};
  const std::vector<Found> reference = run(queue, content_);
  for (const int threads : {1, 2, 7}) {
    const ThreadLimit limit(threads);
    EXPECT_TRUE(run(queue, content_) == reference) << threads;
  }
}

INSTANTIATE_TEST_SUITE_P(, Batch,
                         testing::Values(ModelKind::homography, ModelKind::fundamental,
                                         ModelKind::essential),
                         [](const auto& test) { return std::string(to_string(test.param)); });

constexpr const PointPair* kNowhere = nullptr;

TEST(BatchArguments, without_pairs_give_an_empty_result) {
  Queue queue{Device("cpu")};
  const std::vector<std::int64_t> none = {3}, empty = {4, 4, 4};
  EXPECT_TRUE(
      estimate_batch(queue, ModelKind::homography, kNowhere, {.offsets = none}).pairs.empty());
  const BatchEstimate e =
      estimate_batch(queue, ModelKind::homography, kNowhere, {.offsets = empty});
  ASSERT_EQ(e.pairs.size(), 2u);
  EXPECT_EQ(e.pairs[1].outcome, Outcome::too_few_points);
  EXPECT_TRUE(e.inliers.empty());
}

TEST(BatchArguments, one_camera_serves_all_pairs) {
  Queue queue{Device("cpu")};
  Content c = make_content(ModelKind::essential);
  std::fill(c.cameras2.begin(), c.cameras2.end(), c.cameras2[2]);
  const std::vector<Found> one_each = run(queue, c);
  c.cameras1.resize(1);
  c.cameras2.resize(1);
  EXPECT_TRUE(run(queue, c) == one_each);
}

TEST(BatchArguments, that_do_not_fit_are_named) {
  Queue queue{Device("cpu")};
  const Pairs points(30, PointPair{1, 2, 3, 4});
  const Buffer<PointPair> buffer(queue.device(), 30);
  const std::vector<Intrinsics> one = {{1000, 1000, 0, 0}}, two(2, one[0]), wrong = {{0, 1, 0, 0}};
  const auto expect_named = [&](const Memory<const PointPair>& where, const BatchInput& input,
                                const std::string& name, ModelKind kind = ModelKind::homography) {
    try {
      (void)estimate_batch(queue, kind, where, input);
      ADD_FAILURE() << name << " accepted";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::usage);
      EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
    }
  };
  using Offsets = std::vector<std::int64_t>;
  const Offsets good = {0, 10, 20, 30}, falling = {0, 20, 10}, negative = {-1, 5}, past = {0, 31},
                huge = {0, std::int64_t{1} << 40};
  expect_named(points.data(), {}, "offsets");
  expect_named(points.data(), {.offsets = negative}, "offsets");
  expect_named(points.data(), {.offsets = falling}, "offsets[2]");
  expect_named(points.data(), {.offsets = huge}, "offsets[1]");
  expect_named(buffer, {.offsets = past}, "offsets");
  expect_named(kNowhere, {.offsets = good}, "points");
  const auto elsewhere = Memory<const PointPair>::on_device(points.data());
  expect_named(elsewhere, {.offsets = good}, "points is an address in a CUDA device's memory");
  expect_named(points.data(), {.offsets = good, .cameras2 = one}, "cameras1", ModelKind::essential);
  expect_named(points.data(), {.offsets = good, .cameras1 = two, .cameras2 = one}, "cameras1",
               ModelKind::essential);
  expect_named(points.data(), {.offsets = good, .cameras1 = one}, "cameras2", ModelKind::essential);
  expect_named(points.data(), {.offsets = good, .cameras1 = one, .cameras2 = two}, "cameras2",
               ModelKind::essential);
  expect_named(points.data(), {.offsets = good, .cameras1 = wrong, .cameras2 = one}, "cameras1",
               ModelKind::essential);
  expect_named(points.data(), {.offsets = good, .cameras1 = one, .cameras2 = wrong}, "cameras2",
               ModelKind::essential);
  expect_named(points.data(), {.offsets = good, .options = {.threshold = -1}}, "threshold");
}

// A Buffer of another device is refused, for every pair of devices of this machine.
TEST(BatchArguments, of_another_device_are_named) {
  const std::vector<std::int64_t> offsets = {0, 20};
  const Pairs points(20, PointPair{1, 2, 3, 4});
  const std::vector<DeviceInfo> devices = list_devices();
  for (const DeviceInfo& own : devices) {
    Queue queue{Device(own.id)};
    for (const DeviceInfo& other : devices) {
      if (other.id == own.id) continue;
      const Buffer<PointPair> buffer(Device(other.id), 20);
      const Buffer<double> numbers(Device(other.id), 20);
      const auto message = [&](const Memory<const PointPair>& where, const BatchInput& input) {
        try {
          (void)estimate_batch(queue, ModelKind::fundamental, where, input);
        } catch (const Error& e) {
          return std::string(e.what());
        }
        return std::string("accepted");
      };
      const std::string rest = " is memory of " + other.id + ", the queue is of " + own.id;
      EXPECT_EQ(message(buffer, {.offsets = offsets}), "estimate_batch: points" + rest);
      EXPECT_EQ(message(points.data(), {.offsets = offsets, .weights = numbers}),
                "estimate_batch: weights" + rest);
      EXPECT_EQ(message(points.data(), {.offsets = offsets, .qualities = numbers}),
                "estimate_batch: qualities" + rest);
    }
  }
}

}  // namespace
}  // namespace bifocal::test
