// SPDX-License-Identifier: BSD-3-Clause
// Suite `chance`: the number of models accepted for pairs that consist of outliers (false alarms),
// one pair per call on the CPU, in batches with their usual number of samples, and in batches with
// as many samples as a single pair. Also the time of such pairs on one core. Suite `belief`: scenes
// whose model is found, and wrong models that are accepted, at several levels of the significance
// test.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bifocal/two_view.hpp>
#include <chrono>
#include <cmath>
#include <ctime>
#include <random>

#include "robust_suite.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::bench {

void run_belief(Context& context);
void run_chance(Context& context);

namespace {

constexpr int kTrials = 10000, kTimedTrials = 1000;
constexpr double kThreshold = 2.5, kWidth = 1280, kHeight = 960;
constexpr int kSizes[] = {20, 50, 100, 200, 500, 2000};
constexpr int kTimedSizes[] = {50, 300, 1000};
constexpr ModelKind kKinds[] = {ModelKind::homography, ModelKind::essential,
                                ModelKind::fundamental};
const Intrinsics kCamera = {1000, 1000, 640, 480};

std::vector<PointPair> wrong_matches(int trials, int points) {
  std::mt19937_64 random(20 + std::uint64_t(points));
  std::uniform_real_distribution<double> x(0, kWidth), y(0, kHeight);
  std::vector<PointPair> all(std::size_t(trials) * std::size_t(points));
  for (PointPair& p : all) {
    p.x1 = x(random);
    p.y1 = y(random);
    p.x2 = x(random);
    p.y2 = y(random);
  }
  return all;
}

// Returns the upper confidence limit of 95 % for the mean of a Poisson distribution: the largest
// mean for which this count or a smaller one has a probability of at least 5 %.
double limit_of_95_percent(int count) {
  double low = count, high = 2 * count + 10;
  for (int step = 0; step < 60; ++step) {
    const double mean = 0.5 * (low + high);
    double term = std::exp(-mean), sum = term;
    for (int k = 1; k <= count; ++k) sum += term *= mean / k;
    (sum > 0.05 ? low : high) = mean;
  }
  return high;
}

void report(Context& context, std::string name, std::string device, int believed,
            std::vector<double> ms) {
  std::sort(ms.begin(), ms.end());
  Record record;
  record.suite = "chance";
  record.case_name = std::move(name);
  record.device = std::move(device);
  record.unit = "believed per 1000";
  record.value = 1000.0 * believed / kTrials;
  record.runs = kTrials;
  record.extra["believed"] = believed;
  record.extra["limit_95_per_1000"] = 1000 * limit_of_95_percent(believed) / kTrials;
  if (!ms.empty()) {
    record.extra["ms_median"] = ms[ms.size() / 2];
    record.extra["ms_longest"] = ms.back();
  }
  context.report(std::move(record));
}

void run_one_by_one(Context& context, ModelKind kind, int points) {
  const std::string name = fmt::format("chance/{}/n{}/alone", to_string(kind), points);
  if (!context.wanted(name)) return;
  using Clock = std::chrono::steady_clock;
  const std::vector<PointPair> all = wrong_matches(kTrials, points);
  const Intrinsics cameras[] = {kCamera, kCamera};
  const auto known = std::span(cameras).first(std::size_t(problem_info(kind).cameras));
  std::vector<double> ms(kTrials);
  std::vector<std::uint8_t> believed(kTrials);
  runtime::parallel_for(kTrials, [&](int i) {
    const auto k = std::size_t(i);
    const std::span own(all.data() + k * std::size_t(points), std::size_t(points));
    const Clock::time_point start = Clock::now();
    const EstimateResult found = estimate(
        kind, own,
        {.cameras = known, .options = {.threshold = kThreshold, .seed = std::uint64_t(i)}});
    ms[k] = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    believed[k] = found.ok() || found.outcome == Outcome::rotation_only;
  });
  report(context, name, "cpu", int(std::count(believed.begin(), believed.end(), 1)), ms);
}

// Reports the CPU times of 1,000 pairs and their histogram, whose bins end at powers of two, in ms.
void run_times(Context& context, ModelKind kind, int points) {
  const std::string name = fmt::format("chance/{}/n{}/times", to_string(kind), points);
  if (!context.wanted(name)) return;
  const ThreadLimit one(1);
  const std::vector<PointPair> all = wrong_matches(kTimedTrials, points);
  const Intrinsics cameras[] = {kCamera, kCamera};
  const auto known = std::span(cameras).first(std::size_t(problem_info(kind).cameras));
  std::vector<double> ms;
  std::vector<int> samples;
  for (int i = 0; i < kTimedTrials; ++i) {
    const std::span own(all.data() + std::size_t(i) * std::size_t(points), std::size_t(points));
    const std::clock_t start = std::clock();
    const EstimateResult found = estimate(
        kind, own,
        {.cameras = known, .options = {.threshold = kThreshold, .seed = std::uint64_t(i)}});
    ms.push_back(1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    samples.push_back(found.iterations);
  }
  std::sort(ms.begin(), ms.end());
  std::sort(samples.begin(), samples.end());
  Record record;
  record.suite = "chance";
  record.case_name = name;
  record.unit = "ms";
  record.value = ms[ms.size() / 2];
  record.runs = kTimedTrials;
  record.extra["ms_99"] = ms[ms.size() * 99 / 100];
  record.extra["ms_longest"] = ms.back();
  record.extra["samples_median"] = samples[samples.size() / 2];
  record.extra["samples_most"] = samples.back();
  for (double low = 0, high = 2; low < ms.back(); low = high, high *= 2)
    record.extra[fmt::format("up_to_{:03.0f}_ms", high)] =
        std::count_if(ms.begin(), ms.end(), [=](double t) { return t > low && t <= high; });
  context.report(std::move(record));
}

void run_batch(Context& context, const std::string& device, ModelKind kind, int points,
               bool thorough) {
  const std::string name = fmt::format("chance/{}/n{}/{}", to_string(kind), points,
                                       thorough ? "batch_as_alone" : "batch");
  if (!context.wanted(name)) return;
  const std::vector<PointPair> all = wrong_matches(kTrials, points);
  std::vector<std::int64_t> offsets;
  for (std::int64_t k = 0; k <= kTrials; ++k) offsets.push_back(k * points);
  const std::span camera(&kCamera, problem_info(kind).cameras > 0 ? 1 : 0);
  Queue queue{Device(device)};
  RobustOptions options{.threshold = kThreshold};
  if (thorough) options = one_pair_options(kind, std::size_t(points), options);
  const BatchEstimate found = estimate_batch(
      queue, kind, all.data(),
      {.offsets = offsets, .cameras1 = camera, .cameras2 = camera, .options = options});
  const auto believed = std::count_if(found.pairs.begin(), found.pairs.end(), [](const auto& e) {
    return e.outcome == Outcome::ok || e.outcome == Outcome::rotation_only;
  });
  report(context, name, device, int(believed), {});
}

constexpr double kLevels[] = {0, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100};  // 0: the default
struct Scenes {
  int points, inliers_percent, count;
};
constexpr Scenes kScenes[] = {{20, 50, 1000}, {30, 50, 1000},  {50, 50, 1000},
                              {100, 50, 200}, {2000, 15, 100}, {2000, 10, 100},
                              {20, 0, 2000},  {50, 0, 2000},   {300, 0, 500}};

// limit_of(): error below which a model counts as found, in degrees for an essential matrix and in
// px otherwise. An accepted model with kWrong times this error or more is wrong.
constexpr double kWrong = 5;
double limit_of(ModelKind kind) { return kind == ModelKind::fundamental ? 1 : 2; }

struct Counts {
  std::atomic<int> found = 0, wrong = 0;
};

// Returns whether scenes are run at a level. Scenes of more than 50 points or 25 inliers run at the
// default (0) only, because the level has no influence on them.
bool is_measured(const Scenes& scenes, double level) {
  return level == 0 || (scenes.points <= 50 && scenes.points * scenes.inliers_percent <= 2500);
}

void run_level(Context& context, ModelKind kind, const Scenes& scenes, double level) {
  const std::string name =
      fmt::format("belief/{}/n{}/inliers{}/{}", to_string(kind), scenes.points,
                  scenes.inliers_percent, level > 0 ? fmt::format("{:g}", level) : "default");
  if (!context.wanted(name)) return;
  Counts counts;
  runtime::parallel_for(scenes.count, [&](int i) {
    std::mt19937_64 random(778801 + std::uint64_t(i));
    const ProblemScene scene = make_problem_scene(
        kind, {.points = scenes.points, .inliers = scenes.inliers_percent / 100.0}, random);
    const EstimateResult r =
        estimate_scene(scene, {.threshold = kThreshold, .seed = std::uint64_t(i), .belief = level});
    const bool is_believed = r.ok() || r.outcome == Outcome::rotation_only;
    const double error =
        r.ok() && scenes.inliers_percent > 0 ? scene_error(scene, r.model, r.pose) : HUGE_VAL;
    const double limit = limit_of(kind);
    counts.found += error < limit;
    counts.wrong += is_believed && !(error < kWrong * limit);
  });
  Record record;
  record.suite = "belief";
  record.case_name = name;
  record.unit = "% found";
  record.value = 100.0 * counts.found / scenes.count;
  record.higher_is_better = true;
  record.runs = scenes.count;
  record.extra["found"] = counts.found.load();
  record.extra["wrong"] = counts.wrong.load();
  context.report(std::move(record));
}

}  // namespace

void run_chance(Context& context) {
  if (context.device == "cpu") {
    for (const ModelKind kind : kKinds)
      for (const int points : kTimedSizes) run_times(context, kind, points);
  }
  for (const ModelKind kind : kKinds) {
    for (const int points : kSizes) {
      if (context.device == "cpu") run_one_by_one(context, kind, points);
      run_batch(context, context.device, kind, points, false);
      if (context.device != "cpu") run_batch(context, context.device, kind, points, true);
    }
  }
}

void run_belief(Context& context) {
  for (const ModelKind kind : kKinds)
    for (const Scenes& scenes : kScenes)
      for (const double level : kLevels)
        if (is_measured(scenes, level)) run_level(context, kind, scenes, level);
}

}  // namespace bifocal::bench
