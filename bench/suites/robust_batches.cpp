// SPDX-License-Identifier: BSD-3-Clause
// Batches of pairs of every problem on one device: pairs per second from device memory and from
// host memory, with the accuracy, and the fraction of pairs accepted or rejected as on one core.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/robust.hpp>
#include <bifocal/device.hpp>
#include <chrono>
#include <cmath>
#include <functional>
#include <type_traits>

#include "frame/bench.hpp"
#include "robust_suite.hpp"

namespace bifocal::bench {
namespace {

constexpr int kScenes = 128;
constexpr RobustOptions kOptions = {.threshold = 2.5};

// `count` pairs, by cyclic repetition of the scenes. Point: the point type of the problem.
template <class Point>
struct Pairs {
  Pairs(const std::vector<ProblemScene>& scenes, int count) : kind(scenes[0].problem) {
    offsets.push_back(0);
    points.reserve(static_cast<size_t>(count) * static_cast<size_t>(scenes[0].count()));
    for (int k = 0; k < count; ++k) {
      const ProblemScene& scene = scenes[static_cast<size_t>(k) % scenes.size()];
      const auto* first = reinterpret_cast<const Point*>(scene.numbers.data());
      points.insert(points.end(), first, first + scene.count());
      offsets.push_back(static_cast<std::int64_t>(points.size()));
    }
    if (!scenes[0].cameras.empty()) camera = {scenes[0].cameras[0]};
  }
  [[nodiscard]] BatchEstimate estimate(Queue& queue, const Memory<const Point>& memory) const {
    return estimate_batch(
        queue, kind, memory,
        {.offsets = offsets, .cameras1 = camera, .cameras2 = camera, .options = kOptions});
  }

  ModelKind kind;
  std::vector<Point> points;
  std::vector<std::int64_t> offsets;
  std::vector<Intrinsics> camera;  // of all pairs, if the problem takes one
};

double seconds_of(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The same outcome, and a model that differs by less than a part in 10^3.
bool same_decision(const Estimate& a, const Estimate& b) {
  if (a.outcome != b.outcome) return false;
  double plus = 0, minus = 0;
  for (size_t i = 0; i < 9; ++i) {
    plus = std::max(plus, std::abs(a.model[i] - b.model[i]));
    minus = std::max(minus, std::abs(a.model[i] + b.model[i]));
  }
  return std::min(plus, minus) < 1e-3;
}

template <class Point>
Record measure_batch(Context& context, const std::vector<ProblemScene>& scenes, int count) {
  const Pairs<Point> pairs(scenes, count);
  Queue queue{Device(context.device)};
  Buffer<Point> resident(queue.device(), pairs.points.size());
  resident.upload(queue, pairs.points);
  queue.wait();
  BatchEstimate estimate;
  const Sample device = measure([&] { estimate = pairs.estimate(queue, resident); }, 3, 0.2);
  const Sample host = measure([&] { (void)pairs.estimate(queue, pairs.points.data()); }, 3, 0.2);
  // One core, one pair per call.
  const Pairs<Point> few(scenes, std::min(count, kScenes));
  Queue cpu{Device("cpu")};
  BatchEstimate expected;
  const ThreadLimit one(1);
  const double core = seconds_of([&] { expected = few.estimate(cpu, few.points.data()); });
  int same = 0;
  const size_t compared = expected.pairs.size();
  for (size_t k = 0; k < compared; ++k) same += same_decision(expected.pairs[k], estimate.pairs[k]);
  Record record;
  record.value = 1e3 * device.median / count;
  record.mad = 1e3 * device.mad / count;
  record.runs = device.runs;
  record.reference = Reference{"one core, one pair a call", 1e3 * core / double(compared)};
  record.extra["pairs_per_s"] = count / device.median;
  record.extra["host_pairs_per_s"] = count / host.median;
  record.extra["decided_as_on_cpu"] = double(same) / double(compared);
  double samples = 0;
  for (const Estimate& e : estimate.pairs) samples += e.iterations;
  record.extra["iterations"] = samples / count;
  if (estimate.pairs.size() >= scenes.size()) {
    Accuracy accuracy(pairs.kind);
    for (size_t k = 0; k < scenes.size(); ++k) {
      const Estimate& e = estimate.pairs[k];
      accuracy.add(scenes[k], {e.outcome == Outcome::ok, e.model, e.pose});
    }
    accuracy.report("", record.extra);
  }
  return record;
}

void run_case(Context& context, ModelKind problem, int points, int inliers, int count) {
  const std::string name =
      fmt::format("robust/batch{}/{}/n{}/inliers{}", count, to_string(problem), points, inliers);
  if (!context.wanted(name)) return;
  const auto scenes = make_scenes(problem, kScenes, points, inliers);
  Record record = synthetic::with_points(problem, nullptr, [&]<class Point>(const Point*) {
    return measure_batch<Point>(context, scenes, count);
  });
  record.suite = "robust";
  record.case_name = name;
  record.device = context.device;
  record.unit = "ms/pair";
  context.report(std::move(record));
}

}  // namespace

void run_robust_batches(Context& context) {
  const bool gpu = Device(context.device).info().is_gpu;
  const int many = gpu ? 10000 : kScenes;
  for (const ModelKind problem : kModelKinds) {
    for (const int inliers : {50, 30, 0}) run_case(context, problem, 2000, inliers, many);
    for (const int inliers : {50, 30}) run_case(context, problem, 2000, inliers, 1);
  }
  // Typical pairs of an exhaustive collection: few matches, and mostly no inliers.
  for (const ModelKind problem :
       {ModelKind::homography, ModelKind::fundamental, ModelKind::essential}) {
    for (const int points : {20, 50, 100, 200}) {
      for (const int inliers : {50, 0})
        run_case(context, problem, points, inliers, gpu ? 20000 : kScenes);
    }
  }
}

}  // namespace bifocal::bench
