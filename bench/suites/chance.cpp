// SPDX-License-Identifier: BSD-3-Clause
// How often geometry is believed where there is none: pairs of wrong matches alone, one pair a call
// (CPU) and in batches at a batch's depth and at that of one pair.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/two_view.hpp>
#include <chrono>
#include <cmath>
#include <random>

#include "frame/bench.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::bench {

void run_chance(Context& context);

namespace {

constexpr int kTrials = 10000;
constexpr double kThreshold = 2.5, kWidth = 1280, kHeight = 960;
constexpr int kSizes[] = {20, 50, 100, 200, 500, 2000};
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

// The largest mean of a Poisson distribution of which so few are not rarer than 5 %.
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

}  // namespace

void run_chance(Context& context) {
  for (const ModelKind kind : kKinds) {
    for (const int points : kSizes) {
      if (context.device == "cpu") run_one_by_one(context, kind, points);
      run_batch(context, context.device, kind, points, false);
      if (context.device != "cpu") run_batch(context, context.device, kind, points, true);
    }
  }
}

}  // namespace bifocal::bench
