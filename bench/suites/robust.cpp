// SPDX-License-Identifier: BSD-3-Clause
// Robust estimators on synthetic scenes with their truth: ms a pair on one core, and how far the
// estimate is from the truth.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/robust.hpp>
#include <bifocal/threads.hpp>
#include <chrono>
#include <functional>

#include "frame/bench.hpp"
#include "peers/opencv_estimates.hpp"
#include "robust_suite.hpp"
#include "synthetic/accuracy.hpp"
#ifdef BIFOCAL_PEER_OPENCV
#include <opencv2/core.hpp>
#endif

namespace bifocal::bench {

double error_of(const std::string& problem, const TwoViewScene& scene, const Estimate& e) {
  if (problem == "homography") return mean_transfer_px(e.model, scene.clean);
  if (problem == "fundamental") return mean_sampson_px(e.model, scene.clean);
  return std::max(rotation_error_deg(e.pose.R, scene.truth.R),
                  direction_error_deg(e.pose.t, scene.truth.t));
}

std::vector<TwoViewScene> make_scenes(int count, int points, int inliers_percent, bool planar) {
  std::mt19937_64 random(1);
  std::vector<TwoViewScene> scenes;
  for (int i = 0; i < count; ++i) {
    scenes.push_back(make_scene(
        {.points = points, .inliers = inliers_percent / 100.0, .planar = planar}, random));
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

constexpr int kTrials = 40, kPoints = 2000;

using Estimator = std::function<Estimate(const TwoViewScene&, double threshold)>;

struct Problem {
  std::string name;
  bool planar;
  Estimator ours, opencv;
};

struct Scores {
  Sample ms;
  int failures = 0;
  double auc1 = 0, median_error = 0;  // per cent; degrees, or px of the clean pairs
};

Scores run(const std::string& problem, const std::vector<TwoViewScene>& scenes,
           const Estimator& estimator, double threshold) {
  using Clock = std::chrono::steady_clock;
  Scores scores;
  std::vector<double> times, errors;
  (void)estimator(scenes.front(), threshold);  // warm-up
  for (const TwoViewScene& scene : scenes) {
    const auto start = Clock::now();
    const Estimate e = estimator(scene, threshold);
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    errors.push_back(e.ok ? error_of(problem, scene, e) : 180);
    scores.failures += !e.ok;
  }
  scores.ms.median = median(times);
  scores.ms.runs = static_cast<int>(times.size());
  scores.ms.mad = median_deviation(times);
  scores.auc1 = area_under_recall(errors, 1);
  scores.median_error = median(errors);
  return scores;
}

std::vector<Problem> problems() {
  const auto plain = [](const RobustResult& r) { return Estimate{r.ok(), r.model, {}}; };
  std::vector<Problem> all = {{"homography",
                               true,
                               [=](const TwoViewScene& s, double t) {
                                 return plain(estimate_homography(s.points, {.threshold = t}));
                               },
                               {}},
                              {"fundamental",
                               false,
                               [=](const TwoViewScene& s, double t) {
                                 return plain(estimate_fundamental(s.points, {.threshold = t}));
                               },
                               {}},
                              {"essential",
                               false,
                               [](const TwoViewScene& s, double t) {
                                 const RelativePoseResult r = estimate_essential(
                                     s.points, s.camera, s.camera, {.threshold = t});
                                 return Estimate{r.ok(), r.model, r.cam2_from_cam1};
                               },
                               {}}};
#ifdef BIFOCAL_PEER_OPENCV
  all[0].opencv = [](const TwoViewScene& s, double t) { return opencv_homography(s.points, t); };
  all[1].opencv = [](const TwoViewScene& s, double t) { return opencv_fundamental(s.points, t); };
  all[2].opencv = [](const TwoViewScene& s, double t) {
    return opencv_essential(s.points, s.camera, s.camera, t);
  };
#endif
  return all;
}

void run_case(Context& context, const Problem& problem, int inliers, double threshold) {
  const std::string name =
      fmt::format("robust/{}/n{}/inliers{}/thr{:.1f}", problem.name, kPoints, inliers, threshold);
  if (!context.wanted(name)) return;
  const std::vector<TwoViewScene> scenes = make_scenes(kTrials, kPoints, inliers, problem.planar);
  const Scores ours = run(problem.name, scenes, problem.ours, threshold);
  Record record;
  record.suite = "robust";
  record.case_name = name;
  record.unit = "ms/pair";
  record.value = ours.ms.median;
  record.mad = ours.ms.mad;
  record.runs = ours.ms.runs;
  const char* error = problem.name == "essential" ? "median_error_deg" : "mean_error_px";
  const auto add = [&](const std::string& prefix, const Scores& s) {
    record.extra[prefix + error] = s.median_error;
    record.extra[prefix + "auc1"] = s.auc1;
    record.extra[prefix + "failures"] = s.failures;
  };
  add("", ours);
  record.extra["pairs_per_s"] = 1000 / ours.ms.median;
  if (problem.opencv) {
    const Scores peer = run(problem.name, scenes, problem.opencv, threshold);
    add("reference_", peer);
#ifdef BIFOCAL_PEER_OPENCV
    record.reference = Reference{"OpenCV " CV_VERSION " USAC_MAGSAC", peer.ms.median};
#endif
  }
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
  for (const Problem& problem : problems()) {
    for (const double threshold : {2.5, 1.0}) {
      for (const int inliers : {80, 50, 30}) run_case(context, problem, inliers, threshold);
    }
    run_case(context, problem, 0, 2.5);
  }
  run_robust_planes(context);
  run_robust_pose(context);
  run_robust_real(context);
}

}  // namespace bifocal::bench
