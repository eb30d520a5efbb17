// SPDX-License-Identifier: BSD-3-Clause
// Batches of pairs on one device: pairs a second from the device's memory and from the host's, with
// the accuracy, and how many pairs the device decides as one core does.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/robust.hpp>
#include <bifocal/threads.hpp>
#include <chrono>

#include "frame/bench.hpp"
#include "robust_suite.hpp"
#include "synthetic/accuracy.hpp"

namespace bifocal::bench {
namespace {

constexpr int kScenes = 128, kPoints = 2000;
constexpr double kThreshold = 2.5;

struct BatchCase {
  ModelKind kind;
  int inliers;  // per cent
  int pairs;
};

// `pairs` pairs, the scenes again and again.
struct Pairs {
  Pairs(const std::vector<TwoViewScene>& scenes, int count) {
    offsets.push_back(0);
    points.reserve(static_cast<size_t>(count) * kPoints);
    for (int k = 0; k < count; ++k) {
      const auto& p = scenes[static_cast<size_t>(k) % scenes.size()].points;
      points.insert(points.end(), p.begin(), p.end());
      offsets.push_back(static_cast<std::int64_t>(points.size()));
    }
    camera = scenes[0].camera;
  }
  [[nodiscard]] PairBatch batch(Memory<const PointPair> memory) const {
    return {memory, offsets, {&camera, 1}, {&camera, 1}};
  }
  std::vector<PointPair> points;
  std::vector<std::int64_t> offsets;
  Intrinsics camera;
};

double seconds_of(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The same outcome, and a model that differs by less than a part in 10^3.
bool same_decision(const PairEstimate& a, const PairEstimate& b) {
  if (a.outcome != b.outcome) return false;
  double plus = 0, minus = 0;
  for (size_t i = 0; i < 9; ++i) {
    plus = std::max(plus, std::abs(a.model[i] - b.model[i]));
    minus = std::max(minus, std::abs(a.model[i] + b.model[i]));
  }
  return std::min(plus, minus) < 1e-3;
}

void add_accuracy(const std::string& problem, const std::vector<TwoViewScene>& scenes,
                  const BatchEstimate& estimate, Figures& extra) {
  std::vector<double> errors;
  int failures = 0;
  for (size_t k = 0; k < scenes.size(); ++k) {
    const PairEstimate& e = estimate.pairs[k];
    const bool ok = e.outcome == Outcome::ok;
    failures += !ok;
    errors.push_back(ok ? error_of(problem, scenes[k], {true, e.model, e.pose}) : 180);
  }
  extra["failures"] = failures;
  extra["auc1"] = area_under_recall(errors, 1);
  std::nth_element(errors.begin(), errors.begin() + std::ptrdiff_t(errors.size() / 2),
                   errors.end());
  extra[problem == "essential" ? "median_error_deg" : "mean_error_px"] = errors[errors.size() / 2];
}

void run_case(Context& context, const BatchCase& c) {
  const std::string problem(to_string(c.kind));
  const std::string name =
      fmt::format("robust/batch{}/{}/n{}/inliers{}", c.pairs, problem, kPoints, c.inliers);
  if (!context.wanted(name)) return;
  const auto scenes = make_scenes(kScenes, kPoints, c.inliers, c.kind == ModelKind::homography);
  const Pairs pairs(scenes, c.pairs);
  const RobustOptions options = {.threshold = kThreshold};
  Queue queue{Device(context.device)};
  Buffer<PointPair> resident(queue.device(), pairs.points.size());
  resident.upload(queue, pairs.points);
  queue.wait();
  BatchEstimate estimate;
  const Sample device = measure(
      [&] { estimate = estimate_batch(queue, c.kind, pairs.batch(resident), options); }, 5, 0.2);
  const Sample host = measure(
      [&] { (void)estimate_batch(queue, c.kind, pairs.batch(pairs.points.data()), options); }, 5,
      0.2);
  // One core, a pair a call.
  const Pairs few(scenes, std::min(c.pairs, kScenes));
  Queue cpu{Device("cpu")};
  BatchEstimate expected;
  const ThreadLimit one(1);
  const double core = seconds_of(
      [&] { expected = estimate_batch(cpu, c.kind, few.batch(few.points.data()), options); });
  int same = 0;
  const size_t compared = expected.pairs.size();
  for (size_t k = 0; k < compared; ++k) same += same_decision(expected.pairs[k], estimate.pairs[k]);
  Record record;
  record.suite = "robust";
  record.case_name = name;
  record.device = context.device;
  record.unit = "ms/pair";
  record.value = 1e3 * device.median / c.pairs;
  record.mad = 1e3 * device.mad / c.pairs;
  record.runs = device.runs;
  record.reference = Reference{"one core, one pair a call", 1e3 * core / double(compared)};
  record.extra["pairs_per_s"] = c.pairs / device.median;
  record.extra["host_pairs_per_s"] = c.pairs / host.median;
  record.extra["decided_as_on_cpu"] = double(same) / double(compared);
  double trials = 0;
  for (const PairEstimate& e : estimate.pairs) trials += e.iterations;
  record.extra["iterations"] = trials / c.pairs;
  if (c.inliers > 0 && compared == scenes.size())
    add_accuracy(problem, scenes, estimate, record.extra);
  context.report(std::move(record));
}

}  // namespace

void run_robust_batches(Context& context) {
  const bool gpu = Device(context.device).info().is_gpu;
  const int many = gpu ? 10000 : kScenes;
  const BatchCase cases[] = {{ModelKind::essential, 50, many},   {ModelKind::essential, 30, many},
                             {ModelKind::essential, 0, many},    {ModelKind::fundamental, 50, many},
                             {ModelKind::fundamental, 30, many}, {ModelKind::homography, 50, many},
                             {ModelKind::homography, 30, many},  {ModelKind::essential, 30, 1},
                             {ModelKind::homography, 50, 1}};
  for (const BatchCase& c : cases) run_case(context, c);
}

}  // namespace bifocal::bench
