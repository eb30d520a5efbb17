// SPDX-License-Identifier: BSD-3-Clause
// Robust estimators on synthetic scenes with their truth: ms a pair on one core, and how far the
// estimate is from the truth.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/robust.hpp>
#include <bifocal/threads.hpp>
#include <chrono>
#include <functional>

#include "bench.hpp"
#include "robust_suite.hpp"
#ifdef BIFOCAL_PEER_OPENCV
#include <opencv2/calib3d.hpp>
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

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

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
  for (double& t : times) t = std::abs(t - scores.ms.median);
  scores.ms.mad = median(times);
  scores.auc1 = area_under_recall(errors, 1);
  scores.median_error = median(errors);
  return scores;
}

#ifdef BIFOCAL_PEER_OPENCV
struct OpencvPoints {
  explicit OpencvPoints(const TwoViewScene& scene) {
    for (const PointPair& p : scene.points) {
      a.emplace_back(p.x1, p.y1);
      b.emplace_back(p.x2, p.y2);
    }
  }
  std::vector<cv::Point2d> a, b;
};

Mat3 to_mat3(const cv::Mat& m) {
  Mat3 out{};
  if (m.rows == 3 && m.cols == 3) std::copy_n(m.ptr<double>(), 9, out.begin());
  return out;
}

Estimate opencv_homography(const TwoViewScene& scene, double threshold) {
  const OpencvPoints p(scene);
  const cv::Mat H =
      cv::findHomography(p.a, p.b, cv::USAC_MAGSAC, threshold, cv::noArray(), 10000, 0.9999);
  return {!H.empty(), to_mat3(H), {}};
}

Estimate opencv_fundamental(const TwoViewScene& scene, double threshold) {
  const OpencvPoints p(scene);
  const cv::Mat F = cv::findFundamentalMat(p.a, p.b, cv::USAC_MAGSAC, threshold, 0.9999, 10000);
  return {!F.empty(), to_mat3(F), {}};
}

Estimate opencv_essential(const TwoViewScene& scene, double threshold) {
  const OpencvPoints p(scene);
  const Intrinsics& k = scene.camera;
  const cv::Mat K = (cv::Mat_<double>(3, 3) << k.fx, 0, k.cx, 0, k.fy, k.cy, 0, 0, 1);
  cv::Mat mask, R, t;
  const cv::Mat E = cv::findEssentialMat(p.a, p.b, K, cv::USAC_MAGSAC, 0.9999, threshold, mask);
  if (E.rows != 3) return {};
  cv::recoverPose(E, p.a, p.b, K, R, t, mask);
  Estimate e{true, to_mat3(E), {}};
  e.pose.R = to_mat3(R);
  std::copy_n(t.ptr<double>(), 3, e.pose.t.begin());
  return e;
}
#endif

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
  cv::setNumThreads(1);
  all[0].opencv = opencv_homography;
  all[1].opencv = opencv_fundamental;
  all[2].opencv = opencv_essential;
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
  for (const Problem& problem : problems()) {
    for (const double threshold : {2.5, 1.0}) {
      for (const int inliers : {80, 50, 30}) run_case(context, problem, inliers, threshold);
    }
    run_case(context, problem, 0, 2.5);
  }
}

}  // namespace bifocal::bench
