// SPDX-License-Identifier: BSD-3-Clause
#include "robust/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <cmath>
#include <vector>

#include "robust/chance.hpp"
#include "robust/evidence.hpp"
#include "robust/philox.hpp"
#include "robust/polish.hpp"
#include "robust/refine.hpp"
#include "robust/stop.hpp"

namespace bifocal::robust {
namespace {

constexpr int kBlock = 32;  // samples solved together
constexpr std::uint32_t kPair = 0;

// Samples and solutions of a block of trials.
class SampleBlock {
 public:
  explicit SampleBlock(const Problem& problem)
      : problem_(problem),
        samples_(static_cast<size_t>(problem.sample_rows) * kBlock),
        solutions_(static_cast<size_t>(problem.max_solutions * problem.solution_rows) * kBlock) {}

  void solve(std::uint64_t seed, int first_trial, int trials) {
    std::array<int, 8> sample{};
    for (int i = 0; i < trials; ++i) {
      TrialRandom random(seed, kPair, static_cast<std::uint32_t>(first_trial + i));
      random.distinct(problem_.points.count, problem_.sample_size, sample.data());
      problem_.gather(sample.data(), samples_.data() + i, kBlock);
    }
    problem_.solve({samples_.data(), solutions_.data(), counts_.data(), kBlock, 0, trials});
  }
  [[nodiscard]] int count(int i) const { return counts_[static_cast<size_t>(i)]; }
  void model(int i, int k, Model& out) const {
    problem_.extract(solutions_.data() + i, kBlock, k, out);
  }

 private:
  const Problem& problem_;
  std::vector<double> samples_, solutions_;
  std::array<int, kBlock> counts_{};
};

// The best model so far and what the search has to know of it.
class Best {
 public:
  Best(const Problem& problem, const RobustOptions& options)
      : problem_(problem), options_(options) {
    needed_ = options.max_iterations;
    stages_ = stages_for(0, problem.points.count, problem.points.f32.padded);
  }

  void consider(const Model& model) {
    std::array<float, 12> m{};
    std::transform(model.begin(), model.end(), m.begin(),
                   [](double v) { return static_cast<float>(v); });
    const auto t = static_cast<float>(problem_.inverse_squared_threshold);
    const double gain = problem_.kernels.gain(problem_.points.f32, m.data(), stages_, t);
    if (gain < 0) return;
    stages_ = stages_for(gain, problem_.points.count, problem_.points.f32.padded);
    Model refined = model;
    RefineOptions local;
    local.inverse_squared_threshold = problem_.inverse_squared_threshold;
    refine(problem_, problem_.points, local, refined);
    // Again without the points that cannot be matches of it (Problem::errors).
    problem_.errors(refined, errors_);
    const double window = 3 / std::sqrt(problem_.inverse_squared_threshold);
    const Columns near = points_near(problem_, errors_, window);
    const Refined r = refine(problem_, near.points(), local, refined);
    if (!(r.gain > gain_)) return;
    gain_ = r.gain;
    model_ = refined;
    needed_ = std::max(options_.min_iterations,
                       samples_needed(r.inliers, problem_.points.count, problem_.sample_size,
                                      options_.confidence, options_.max_iterations));
  }
  [[nodiscard]] int needed() const { return std::min(needed_, options_.max_iterations); }
  [[nodiscard]] bool found() const { return gain_ > 0; }
  [[nodiscard]] const Model& model() const { return model_; }

 private:
  const Problem& problem_;
  const RobustOptions& options_;
  Model model_{};
  std::vector<double> errors_;
  double gain_ = 0;  // of the refined model
  Stages stages_;    // of the best model straight from a sample
  int needed_;
};

}  // namespace

void check_options(const RobustOptions& o) {
  const auto fail = [](const char* name, auto value, const char* range) {
    throw Error(ErrorCode::usage,
                fmt::format("robust estimation: {} = {}, must be {}", name, value, range));
  };
  if (!(o.threshold > 0) || !std::isfinite(o.threshold))
    fail("threshold", o.threshold, "positive and finite (px)");
  if (!(o.confidence > 0 && o.confidence < 1)) fail("confidence", o.confidence, "between 0 and 1");
  if (o.min_iterations < 1) fail("min_iterations", o.min_iterations, "at least 1");
  if (o.max_iterations < 1) fail("max_iterations", o.max_iterations, "at least 1");
}

SearchResult search(const Problem& problem, const RobustOptions& options) {
  SampleBlock block(problem);
  Best best(problem, options);
  Model model{};
  SearchResult result;
  bool solved = false;
  for (int trial = 0; trial < best.needed();) {
    const int trials = std::min(kBlock, best.needed() - trial);
    block.solve(options.seed, trial, trials);
    for (int i = 0; i < trials && trial < best.needed(); ++i, ++trial) {
      for (int k = 0; k < block.count(i); ++k) {
        solved = true;
        block.model(i, k, model);
        best.consider(model);
      }
    }
    result.iterations = trial;
  }
  result.outcome = solved ? Outcome::no_model : Outcome::degenerate_sample;
  if (!best.found()) return result;
  result.model = best.model();
  const Polished polished = polish(problem, result.model);
  result.inliers = polished.inliers;
  result.noise = polished.noise;
  const double chance_rate = chance_rate_of(problem, result.model);
  const auto believed = [&](int inliers, int count) {
    return log_false_alarms(inliers, count, problem.sample_size, problem.max_solutions,
                            chance_rate) < kLogFalseAlarms;
  };
  if (!believed(result.inliers, problem.points.count)) return result;
  std::vector<double> errors;
  problem.errors(result.model, errors);
  const Evidence evidence = evidence_of(problem, errors, result.noise);
  if (evidence.collinear) {
    result.outcome = Outcome::degenerate_sample;
  } else if (believed(evidence.inliers, evidence.count)) {
    result.outcome = Outcome::ok;
  }
  return result;
}

}  // namespace bifocal::robust
