// SPDX-License-Identifier: BSD-3-Clause
// Compares guided matching with the naive double loop over candidates that fit the model, and tests
// it on photographs.
#include <bifocal/io.hpp>
#include <bifocal/matching.hpp>
#include <bifocal/robust.hpp>

#include <gtest/gtest.h>

#include <fstream>

#include "match_oracle.hpp"
#include "support/data.hpp"

namespace bifocal::test {
namespace {

// Sampson errors as in the textbook: Hartley and Zisserman, eq. 11.9 and 4.2.6.
double sampson(const Mat3& F, const Keypoint& p, const Keypoint& q) {
  const double x1[3] = {p.x, p.y, 1}, x2[3] = {q.x, q.y, 1};
  double Fx[3] = {}, Ftx[3] = {}, c = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      Fx[i] += F[std::size_t(3 * i + j)] * x1[j];
      Ftx[j] += F[std::size_t(3 * i + j)] * x2[i];
    }
  }
  for (int i = 0; i < 3; ++i) c += x2[i] * Fx[i];
  return std::fabs(c) /
         std::sqrt(Fx[0] * Fx[0] + Fx[1] * Fx[1] + Ftx[0] * Ftx[0] + Ftx[1] * Ftx[1]);
}
// Returns |J^T (J J^T)^-1 c| for c = (x2 w - u, y2 w - v).
double transfer(const Mat3& H, const Keypoint& p, const Keypoint& q) {
  const double u = H[0] * p.x + H[1] * p.y + H[2], v = H[3] * p.x + H[4] * p.y + H[5],
               w = H[6] * p.x + H[7] * p.y + H[8];
  const double c[2] = {q.x * w - u, q.y * w - v};
  const double J[2][4] = {{H[6] * q.x - H[0], H[7] * q.x - H[1], w, 0},
                          {H[6] * q.y - H[3], H[7] * q.y - H[4], 0, w}};
  double A[2][2] = {};
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b)
      for (int k = 0; k < 4; ++k) A[a][b] += J[a][k] * J[b][k];
  const double det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
  const double l[2] = {(A[1][1] * c[0] - A[0][1] * c[1]) / det,
                       (A[0][0] * c[1] - A[1][0] * c[0]) / det};
  return std::sqrt(c[0] * l[0] + c[1] * l[1]);
}

bool fits(const MatchGuide& guide, const Keypoint& p, const Keypoint& q) {
  return (guide.kind == GuideKind::epipolar ? sampson(guide.model, p, q)
                                            : transfer(guide.model, p, q)) < guide.threshold;
}

std::vector<Match> plain_guided(const Features& a, const Features& b, const MatchGuide& guide,
                                const MatchOptions& options) {
  const auto nearest = [&](const Features& from, int i, const Features& to, bool swapped) {
    Two two;
    int candidates = 0;
    for (int j = 0; j < to.size(); ++j) {
      const Keypoint &p = from.keypoints[std::size_t(i)], &q = to.keypoints[std::size_t(j)];
      if (!(swapped ? fits(guide, q, p) : fits(guide, p, q))) continue;
      ++candidates;
      const int d = distance(from, i, to, j);
      if (d < two.nearest) {
        two = {j, d, two.nearest};
      } else {
        two.second = std::min(two.second, d);
      }
    }
    return std::pair{two, candidates};
  };
  std::vector<Match> matches;
  for (int i = 0; i < a.size(); ++i) {
    const auto [two, candidates] = nearest(a, i, b, false);
    if (candidates == 0 || !distinct(two, candidates, options)) continue;
    if (options.max_distance > 0 && std::sqrt(double(two.nearest)) > options.max_distance) continue;
    const auto [back, others] = nearest(b, two.index, a, true);
    if (options.mutual && back.index != i) continue;
    if (options.ratio_both_ways && !distinct(back, others, options)) continue;
    matches.push_back({i, two.index, two.nearest, ratio_of(two, candidates)});
  }
  return matches;
}

Features scattered(int count, unsigned seed) {
  Features f = random_features(count, seed, 16);
  std::mt19937 random(seed);
  for (Keypoint& k : f.keypoints)
    k.x = float(random() % 64000) / 100, k.y = float(random() % 48000) / 100;
  return f;
}

const MatchGuide kGuides[] = {
    {GuideKind::epipolar, {1e-6, 2e-5, -0.012, -3e-5, 2e-6, 0.03, 0.011, -0.028, 0.4}, 12},
    {GuideKind::homography, {0.9, 0.1, 20, -0.08, 1.05, -5, 1e-4, -5e-5, 1}, 60},
    {GuideKind::homography, {1, 0, 5000, 0, 1, 0, 0, 0, 1}, 1}};  // no candidate fits

TEST(MatchGuided, equals_the_naive_double_loop_on_every_device) {
  const int sizes[][2] = {{0, 5}, {5, 0}, {1, 1}, {300, 131}, {65, 200}};
  std::size_t most = 0;
  for (const DeviceInfo& info : list_devices()) {
    Queue queue{Device(info.id)};
    for (const auto& size : sizes) {
      const Features a = scattered(size[0], 7), b = scattered(size[1], 8);
      for (const MatchGuide& guide : kGuides) {
        for (const MatchOptions& options :
             {MatchOptions{0.9, true}, {1.0, false}, {0.95, true, true}, {1.0, true, false, 900}}) {
          const std::vector<Match> want = plain_guided(a, b, guide, options);
          most = std::max(most, want.size());
          expect_same(match_guided(queue, a, b, guide, options), want,
                      info.id + " " + std::to_string(size[0]) + " x " + std::to_string(size[1]));
        }
      }
    }
  }
  EXPECT_GT(most, 40U);
}

TEST(MatchGuided, a_batch_equals_its_single_pairs) {
  const int sizes[] = {300, 0, 700};
  std::vector<Features> images;
  std::vector<ImagePair> pairs;
  std::vector<MatchGuide> guides;
  for (int k = 0; k < 3; ++k) images.push_back(scattered(sizes[k], unsigned(k)));
  for (int k = 0; k < 27; ++k) {
    pairs.push_back({k / 9, k / 3 % 3});
    guides.push_back(kGuides[k % 3]);
  }
  for (const DeviceInfo& info : list_devices()) {
    Queue queue{Device(info.id)};
    FeatureSet set(queue.device());
    for (const Features& f : images) set.add(queue, f);
    const MatchOptions options{0.95, true};
    const MatchBatch batch = match_guided(queue, set, pairs, guides, options);
    DeviceMatches found;
    match_guided(queue, set, pairs, guides, options, found);
    EXPECT_EQ(found.offsets, batch.offsets) << info.id;
    ASSERT_EQ(batch.offsets.size(), pairs.size() + 1);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const std::vector<Match> list(batch.matches.begin() + batch.offsets[k],
                                    batch.matches.begin() + batch.offsets[k + 1]);
      expect_same(list,
                  match_guided(images[std::size_t(pairs[k].image1)],
                               images[std::size_t(pairs[k].image2)], guides[k], options),
                  info.id + " pair " + std::to_string(k));
    }
  }
}

TEST(MatchGuided, refuses_wrong_arguments_by_name) {
  const Features f = scattered(3, 1);
  const auto message_of = [&](const MatchGuide& guide) {
    try {
      (void)match_guided(f, f, guide);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::usage);
      return std::string(e.what());
    }
    return std::string("no error");
  };
  MatchGuide guide = kGuides[0];
  for (const double bound : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    guide.threshold = bound;
    EXPECT_NE(message_of(guide).find("threshold"), std::string::npos) << bound;
  }
  guide = kGuides[0];
  guide.model[4] = std::nan("");
  EXPECT_NE(message_of(guide).find("model"), std::string::npos);
  Queue queue;
  FeatureSet set;
  set.add(queue, f);
  const ImagePair pair{0, 0};
  EXPECT_THROW((void)match_guided(queue, set, {&pair, 1}, {}), Error);
}

// Matches in a second round, guided by the homography of the first round.
struct Counts {
  int matches = 0, correct = 0;
  [[nodiscard]] double precision() const { return double(correct) / std::max(1, matches); }
};
Counts counts_of(const Mat3& H, const Features& a, const Features& b,
                 const std::vector<Match>& matches) {
  Counts counts;
  for (const PointPair& p : matched_points(a, b, matches)) {
    const double z = H[6] * p.x1 + H[7] * p.y1 + H[8];
    ++counts.matches;
    counts.correct += std::hypot((H[0] * p.x1 + H[1] * p.y1 + H[2]) / z - p.x2,
                                 (H[3] * p.x1 + H[4] * p.y1 + H[5]) / z - p.y2) < 3;
  }
  return counts;
}

TEST(MatchGuided, finds_more_correct_matches_of_photographs) {
  for (const auto& [folder, type, second] :
       {std::tuple{"graf", "png", "3"}, {"boat", "pgm", "3"}, {"wall", "png", "3"}}) {
    const std::string path = std::string("oxford_affine/") + folder + "/";
    BIFOCAL_NEEDS_DATA(path + "img" + second + "." + type);
    SiftOptions sift;
    sift.max_features = 8192;
    const auto features = [&](const std::string& number) {
      return detect_sift(to_grey(read_image(data(path + "img" + number + "." + type))), sift);
    };
    const Features a = features("1"), b = features(second);
    Mat3 truth;
    std::ifstream in(data(path + "H1to" + second + "p"));
    for (double& h : truth) in >> h;
    ASSERT_TRUE(in);
    const std::vector<Match> first = match(a, b);
    const EstimateResult found = estimate(ModelKind::homography, matched_points(a, b, first));
    ASSERT_EQ(found.outcome, Outcome::ok);
    const MatchGuide guide{GuideKind::homography, found.model, 2};
    const Counts before = counts_of(truth, a, b, first),
                 after = counts_of(truth, a, b, match_guided(a, b, guide));
    std::printf("%s1-%s: %d right of %d (%.1f %%), guided %d of %d (%.1f %%)\n", folder, second,
                before.correct, before.matches, 100 * before.precision(), after.correct,
                after.matches, 100 * after.precision());
    EXPECT_GT(after.correct, 1.1 * before.correct);
    EXPECT_GE(after.precision(), before.precision());
  }
}

}  // namespace
}  // namespace bifocal::test
