// SPDX-License-Identifier: BSD-3-Clause
// Dense matching of synthetic rooms with known truth, over planar and over polar rectification, by
// cameras that move sideways, forwards and in between. Prints the table of docs/rectification.md.
#include <bifocal/stereo.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "synthetic/random.hpp"
#include "synthetic/rooms.hpp"
#include "support/long_tests.hpp"

namespace bifocal {
namespace {

constexpr int kWidth = 480, kHeight = 360;
constexpr Intrinsics kCamera{430, 430, 239.5, 179.5};

struct Motion {
  const char* name;
  Vec3 to;          // centre of camera 2
  double turn_deg;  // about the vertical
  double zoom = 1;  // camera 2
  double roll_deg = 0;
};

struct Views {
  synthetic::RoomView one, two;
  synthetic::TrueMatches truth;
  Intrinsics camera2 = kCamera;
  Pose pose;
  std::vector<PointPair> matches;  // some true matches
};

Mat3 product(const Mat3& A, const Mat3& B) {
  Mat3 C{};
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t k = 0; k < 3; ++k) C[i] += A[3 * (i / 3) + k] * B[3 * k + i % 3];
  return C;
}

Views views_of(const Motion& m, std::uint32_t seed) {
  Views v;
  const synthetic::Room room = synthetic::make_room(seed);
  constexpr double kDegree = std::numbers::pi / 180;
  v.pose.R = product(synthetic::rotation_about({0, 0, 1}, m.roll_deg * kDegree),
                     synthetic::rotation_about({0, 1, 0}, m.turn_deg * kDegree));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) v.pose.t[i] -= v.pose.R[3 * i + k] * m.to[k];
  v.camera2.fx = v.camera2.fy = m.zoom * kCamera.fx;
  v.one = synthetic::render(room, kCamera, {}, kWidth, kHeight);
  v.two = synthetic::render(room, v.camera2, v.pose, kWidth, kHeight);
  v.truth = synthetic::true_matches(v.one, v.two, kCamera, v.camera2, v.pose);
  for (int y = 5; y < kHeight; y += 11) {
    for (int x = 5; x < kWidth; x += 13)
      if (!std::isnan(v.truth.x.at(x, y)))
        v.matches.push_back({double(x), double(y), v.truth.x.at(x, y), v.truth.y.at(x, y)});
  }
  return v;
}

struct Score {
  double known = 0, bad = 0;        // per cent of the pixels that both see; of the known pixels
  double depth = 0, has_depth = 0;  // median relative error, per cent; per cent of the pixels
  double within[3] = {};            // per cent within 1, 2, 3 deviations
};

Score score(const Views& v, const DenseMatches& found) {
  std::int64_t seen = 0, known = 0, bad = 0, within[3] = {};
  std::vector<double> errors;
  const DepthMap map = depth_map(found, kCamera, v.camera2, v.pose);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      if (std::isnan(v.truth.x.at(x, y))) continue;
      ++seen;
      if (std::isnan(found.x.at(x, y))) continue;
      ++known;
      bad += std::hypot(found.x.at(x, y) - v.truth.x.at(x, y),
                        found.y.at(x, y) - v.truth.y.at(x, y)) > 2;
      if (std::isnan(map.depth.at(x, y))) continue;
      const double error = std::abs(map.depth.at(x, y) - v.one.depth.at(x, y));
      errors.push_back(error / v.one.depth.at(x, y));
      for (int k = 0; k < 3; ++k) within[k] += error <= (k + 1) * map.deviation.at(x, y);
    }
  }
  Score s{100.0 * double(known) / double(seen), 100.0 * double(bad) / double(known), 0,
          100.0 * double(errors.size()) / double(seen)};
  for (int k = 0; k < 3; ++k) s.within[k] = 100.0 * double(within[k]) / double(errors.size());
  std::nth_element(errors.begin(), errors.begin() + std::ptrdiff_t(errors.size() / 2),
                   errors.end());
  if (!errors.empty()) s.depth = 100 * errors[errors.size() / 2];
  return s;
}

std::optional<Score> matched(const Views& v, const Rectification& r) {
  if (r.width == 0) return {};
  const DisparityRange range = disparity_range(r, v.matches);
  if (range.count > 1024) return {};
  const auto maps = sampling_maps(r);
  Queue queue;
  const ImageU8 left = Remapper(queue, maps[0])(queue, v.one.picture),
                right = Remapper(queue, maps[1])(queue, v.two.picture);
  const DisparityMap d =
      stereo_sgm(left, right, {.min_disparity = range.min, .disparities = range.count});
  std::printf("    %d x %d, %d disparities from %d, stretch %.2f\n", r.width, r.height, range.count,
              range.min, stretch(r));
  return score(v, dense_matches(r, d.raw));
}

void print(const char* name, const std::optional<Score>& s) {
  if (!s) return void(std::printf("  %-7s -\n", name));
  std::printf(
      "  %-7s known %5.1f %%, bad %5.2f %%; depth of %5.1f %%, error %.2f %%, within "
      "1/2/3 deviations %.0f/%.0f/%.0f %%\n",
      name, s->known, s->bad, s->has_depth, s->depth, s->within[0], s->within[1], s->within[2]);
}

TEST(Rooms, match_over_planar_and_polar_rectification) {
  const Motion motions[] = {{"sideways", {0.5, 0, 0}, 0},
                            {"sideways, turned", {0.6, 0.1, 0.1}, 5},
                            {"circling", {1.5, 0, 0.2}, -15},
                            {"diagonal", {0.4, 0, 0.4}, 3},
                            {"epipole at the border", {0.5, 0, 0.9}, 0},
                            {"epipole at a third", {0.2, 0.05, 0.9}, 2},
                            {"forwards", {0.02, 0.01, 1}, 0},
                            {"forwards, rolled", {0.02, 0.01, 0.8}, 2, 1, 12},
                            {"backwards", {0.1, 0, -1}, 0},
                            {"a large step forwards", {0.1, 0.05, 2.5}, 0},
                            {"sideways, zoom", {0.5, 0, 0}, 0, 1.7},
                            {"forwards, zoom", {0.05, 0, 0.7}, 0, 1.7}};
  for (std::size_t i = 0; i < std::size(motions); i += test::short_or_long(3U, 1U)) {
    const Motion& m = motions[i];
    const Views v = views_of(m, 3);
    std::printf("%s\n", m.name);
    const auto planar = matched(
        v, rectify({kCamera, {}, kWidth, kHeight}, {v.camera2, {}, kWidth, kHeight}, v.pose));
    const auto polar =
        matched(v, rectify_polar({kCamera, {}, kWidth, kHeight}, {v.camera2, {}, kWidth, kHeight},
                                 v.pose, v.matches));
    print("planar", planar);
    print("polar", polar);
    ASSERT_TRUE(polar.has_value());
    EXPECT_GT(polar->known, 85);
    EXPECT_LT(polar->bad, planar ? 1.3 * planar->bad + 0.1 : 2.0);
    EXPECT_GT(polar->within[1], 95);
  }
}

}  // namespace
}  // namespace bifocal
