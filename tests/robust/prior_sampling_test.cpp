// SPDX-License-Identifier: BSD-3-Clause
// Sampling in proportion to weights, and sampling from the best matches first.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "ransac_scene.hpp"
#include "robust/scalar_math.hpp"

namespace bifocal::robust {
namespace {

template <class Problem>
class PriorSampling : public testing::Test {};
TYPED_TEST_SUITE(PriorSampling, AllProblems, ProblemNames);

// The input of a pair's sampling, with points in the order of their quality.
template <class Functions>
struct Source {
  explicit Source(std::vector<double> weights) : cumulative_weights(std::move(weights)) {
    std::partial_sum(cumulative_weights.begin(), cumulative_weights.end(),
                     cumulative_weights.begin());
  }
  std::vector<int> draw(int trial, bool weighted, bool ranked, int n = 0) const {
    const typename Functions::sample_source source = {
        n ? n : static_cast<int>(cumulative_weights.size()), weighted, ranked,
        cumulative_weights.data(), ranking.data()};
    std::vector<int> sample(Functions::SAMPLE_SIZE, -1);
    Functions::prior_draw(5, 9, trial, &source, nullptr, 0, sample.data());
    return sample;
  }
  std::vector<double> cumulative_weights;
  std::vector<int> ranking;
};

bool all_different(std::vector<int> sample, int n) {
  std::sort(sample.begin(), sample.end());
  return sample.front() >= 0 && sample.back() < n &&
         std::adjacent_find(sample.begin(), sample.end()) == sample.end();
}

// Tests the probability of each point in a sample: the first and second draw are in proportion to
// the weights, the second without the first point.
TYPED_TEST(PriorSampling, is_in_proportion_to_the_weights) {
  const std::vector<double> weights = {1, 5, 2, 8, 1, 1, 3, 9, 4, 6, 2, 7};
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  const Source<typename TypeParam::Functions> source(weights);
  constexpr int kTrials = 200000;
  std::vector<double> first(weights.size()), second(weights.size());
  for (int t = 0; t < kTrials; ++t) {
    const std::vector<int> sample = source.draw(t, true, false);
    ASSERT_TRUE(all_different(sample, 12));
    first[static_cast<size_t>(sample[0])] += 1;
    if (sample.size() > 1) second[static_cast<size_t>(sample[1])] += 1;
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    const double p = weights[i] / all;
    double q = 0;
    for (size_t j = 0; j < weights.size(); ++j) {
      if (j != i) q += weights[j] / all * weights[i] / (all - weights[j]);
    }
    EXPECT_NEAR(first[i], kTrials * p, 5 * std::sqrt(kTrials * p * (1 - p))) << i;
    if (TypeParam::Functions::SAMPLE_SIZE < 2) continue;
    EXPECT_NEAR(second[i], kTrials * q, 5 * std::sqrt(kTrials * q * (1 - q))) << i;
  }
}

TYPED_TEST(PriorSampling, ends_for_any_weights) {
  using Functions = typename TypeParam::Functions;
  constexpr double kMost = 1 << 24;
  std::vector<double> one(1000, 1), falling(1000);
  one[500] = kMost;
  for (size_t i = 0; i < falling.size(); ++i)
    falling[i] = std::max(1.0, std::floor(std::ldexp(kMost, -static_cast<int>(i))));
  for (const std::vector<double>& weights : {one, falling}) {
    const Source<Functions> source(weights);
    for (int t = 0; t < 500; ++t) {
      ASSERT_TRUE(all_different(source.draw(t, true, false), 1000));
      // No more points than the sample needs.
      ASSERT_TRUE(all_different(source.draw(t, true, false, Functions::SAMPLE_SIZE),
                                Functions::SAMPLE_SIZE));
    }
  }
}

// The recursion of the paper: the set grows by one match after the number of samples given by T'_n.
std::vector<int> paper_growth(int n, int m, int samples) {
  double T = 200000;
  for (int i = 0; i < m; ++i) T *= double(m - i) / (n - i);
  std::vector<int> sizes;
  double whole = 1;
  int size = m;
  for (int t = 1; t <= samples; ++t) {
    while (t > whole && size < n) {
      const double next = T * (size + 1) / (size + 1 - m);
      whole += std::ceil(next - T);
      T = next;
      ++size;
    }
    sizes.push_back(size);
  }
  return sizes;
}

TYPED_TEST(PriorSampling, grows_as_in_the_paper) {
  using Functions = typename TypeParam::Functions;
  for (const int n : {60, 1000, 5000}) {
    const std::vector<int> paper = paper_growth(n, Functions::SAMPLE_SIZE, 250000);
    int before = 0;
    for (int t = 0; t < 250000; ++t) {
      const int size = Functions::grown_size(n, t);
      ASSERT_GE(size, before);
      before = size;
      // The paper rounds its steps up one by one, so its sets grow later; its first step is a
      // single trial.
      ASSERT_GE(size + 1, paper[static_cast<size_t>(t)]) << n << ", " << t;
      if (t < 20000) {
        ASSERT_LE(size, 1.35 * paper[static_cast<size_t>(t)] + 3) << n << ", " << t;
      }
    }
    EXPECT_EQ(Functions::grown_size(n, 0), Functions::SAMPLE_SIZE);
    EXPECT_EQ(before, n);
  }
}

TYPED_TEST(PriorSampling, every_second_trial_draws_from_the_best) {
  using Functions = typename TypeParam::Functions;
  constexpr int n = 300;
  Source<Functions> source(std::vector<double>(n, 1));
  for (int r = 0; r < n; ++r) source.ranking.push_back((r * 7 + 3) % n);
  std::vector<int> rank(n);
  for (int r = 0; r < n; ++r) rank[static_cast<size_t>(source.ranking[static_cast<size_t>(r)])] = r;
  for (const bool weighted : {false, true}) {
    double mean = 0;
    for (int t = 0; t < 3000; ++t) {
      const std::vector<int> sample = source.draw(t, weighted, true);
      ASSERT_TRUE(all_different(sample, n));
      int last = 0;
      for (const int i : sample) last = std::max(last, rank[static_cast<size_t>(i)]);
      if (t % 2 == 0) {
        ASSERT_EQ(last, Functions::grown_size(n, t / 2) - 1) << t;
      } else {
        mean += rank[static_cast<size_t>(sample.back())] / 1500.0;
      }
    }
    EXPECT_NEAR(mean, n / 2, 5 * n / std::sqrt(12 * 1500.0));
  }
}

TEST(QualityKey, keeps_the_order_of_the_numbers) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> rising = {-infinity, -1e30, -2, -1e-30, 0, 1e-30, 1, 2, 1e30, infinity};
  for (size_t i = 1; i < rising.size(); ++i)
    EXPECT_LT(ScalarMath::quality_key(rising[i - 1]), ScalarMath::quality_key(rising[i]));
  EXPECT_EQ(ScalarMath::quality_key(-0.0), ScalarMath::quality_key(0.0));
  EXPECT_LT(ScalarMath::quality_key(std::nan("")), ScalarMath::quality_key(-infinity));
}

}  // namespace
}  // namespace bifocal::robust
