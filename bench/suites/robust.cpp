// SPDX-License-Identifier: BSD-3-Clause
// Every problem of bifocal/problems.def on synthetic scenes with ground truth: ms per pair on one
// core and the error of the estimate, compared with OpenCV in the same run if it has an estimator.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/robust.hpp>
#include <bifocal/device.hpp>
#include <chrono>
#include <cmath>

#include "frame/bench.hpp"
#include "peers/opencv_estimates.hpp"
#include "robust_suite.hpp"
#include "synthetic/accuracy.hpp"
#ifdef BIFOCAL_PEER_OPENCV
#include <opencv2/core.hpp>
#endif

namespace bifocal::bench {

void Accuracy::add(const ProblemScene& scene, const FoundModel& e) {
  failures_ += !e.ok;
  errors_.push_back(e.ok ? scene_error(scene, e.model, e.pose) : 180);
  if (!problem_info(problem_).is_two_view)
    positions_.push_back(e.ok ? position_error(e.pose, scene.pose) : 1e9);
}

void Accuracy::report(const std::string& prefix, Figures& figures) const {
  const ProblemInfo info = problem_info(problem_);
  figures[prefix + "failures"] = failures_;
  if (!info.is_two_view) {
    figures[prefix + "median_rotation_deg"] = median(errors_);
    figures[prefix + "median_position"] = median(positions_);
    figures[prefix + "auc_0.02deg"] = area_under_recall(errors_, 0.02);
    return;
  }
  figures[prefix + (info.has_pose ? "median_error_deg" : "mean_error_px")] = median(errors_);
  figures[prefix + "auc1"] = area_under_recall(errors_, 1);
}

std::vector<ProblemScene> make_scenes(ModelKind problem, int count, int points,
                                      int inliers_percent) {
  std::mt19937_64 random(1);
  std::vector<ProblemScene> scenes;
  for (int i = 0; i < count; ++i) {
    scenes.push_back(make_problem_scene(
        problem, {.points = points, .inliers = inliers_percent / 100.0}, random));
  }
  return scenes;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

double median_deviation(std::vector<double> values) {
  const double middle = median(values);
  for (double& v : values) v = std::abs(v - middle);
  return median(values);
}

Record pairs_record(const std::string& name, const std::vector<double>& ms, int runs) {
  Record record;
  record.suite = "robust";
  record.case_name = name;
  record.unit = "ms/pair";
  record.value = median(ms);
  record.mad = median_deviation(ms);
  record.runs = runs;
  return record;
}

namespace {

constexpr int kScenes = 40, kPoints = 2000;

struct Scores {
  explicit Scores(ModelKind problem) : accuracy(problem) {}
  std::vector<double> ms;
  Accuracy accuracy;
};

template <class Estimator>
Scores run(const std::vector<ProblemScene>& scenes, const Estimator& estimator, double threshold) {
  using Clock = std::chrono::steady_clock;
  Scores scores(scenes.front().problem);
  (void)estimator(scenes.front(), threshold);  // warm-up
  for (const ProblemScene& scene : scenes) {
    const auto start = Clock::now();
    const FoundModel e = estimator(scene, threshold);
    scores.ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    scores.accuracy.add(scene, e);
  }
  return scores;
}

FoundModel ours(const ProblemScene& scene, double threshold) {
  const EstimateResult r = estimate_scene(scene, {.threshold = threshold});
  return {r.ok(), r.model, r.pose};
}

void run_case(Context& context, ModelKind problem, int inliers, double threshold) {
  const std::string name = fmt::format("robust/{}/n{}/inliers{}/thr{:.1f}", to_string(problem),
                                       kPoints, inliers, threshold);
  if (!context.wanted(name)) return;
  const std::vector<ProblemScene> scenes = make_scenes(problem, kScenes, kPoints, inliers);
  const Scores scores = run(scenes, ours, threshold);
  Record record = pairs_record(name, scores.ms, kScenes);
  scores.accuracy.report("", record.extra);
  record.extra["pairs_per_s"] = 1000 / record.value;
#ifdef BIFOCAL_PEER_OPENCV
  if (const OpencvPeer peer = opencv_peer(problem); peer.estimate) {
    const Scores theirs = run(scenes, peer.estimate, threshold);
    theirs.accuracy.report("reference_", record.extra);
    record.reference = Reference{peer.name, median(theirs.ms)};
  }
#endif
  context.report(std::move(record));
}

}  // namespace

void run_robust(Context& context) {
  run_robust_batches(context);
  if (Device(context.device).info().kind != DeviceKind::cpu) return;
  const ThreadLimit one(1);
#ifdef BIFOCAL_PEER_OPENCV
  cv::setNumThreads(1);
#endif
  for (const ModelKind problem : kModelKinds) {
    for (const double threshold : {2.5, 1.0}) {
      for (const int inliers : {80, 50, 30}) run_case(context, problem, inliers, threshold);
    }
    run_case(context, problem, 0, 2.5);
  }
  run_robust_planes(context);
  run_robust_real(context);
}

}  // namespace bifocal::bench
