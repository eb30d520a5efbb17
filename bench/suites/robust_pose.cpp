// SPDX-License-Identifier: BSD-3-Clause
// Absolute poses from wrong and right matches of scene points: ms a pair on one core, and how far
// the pose is from the truth, beside OpenCV's in the same run.
#include <fmt/format.h>

#include <bifocal/robust.hpp>
#include <chrono>

#include "synthetic/accuracy.hpp"
#include "synthetic/pose_scenes.hpp"
#include "robust_suite.hpp"
#ifdef BIFOCAL_PEER_OPENCV
#include <opencv2/calib3d.hpp>
#endif

namespace bifocal::bench {

using namespace synthetic;
namespace {

constexpr int kTrials = 40, kPoints = 2000;

struct FoundPose {
  bool ok = false;
  Pose pose;
};
using Estimator = FoundPose (*)(const PoseScene&, double threshold);

FoundPose estimate(const PoseScene& s, double threshold) {
  const AbsolutePoseResult r = estimate_absolute_pose(s.points, s.camera, {.threshold = threshold});
  return {r.ok(), r.cam_from_world};
}

#ifdef BIFOCAL_PEER_OPENCV
struct OpencvScene {
  explicit OpencvScene(const PoseScene& s)
      : K((cv::Mat_<double>(3, 3) << s.camera.fx, 0, s.camera.cx, 0, s.camera.fy, s.camera.cy, 0, 0,
           1)) {
    for (const ScenePoint& p : s.points) {
      image.emplace_back(p.x, p.y);
      scene.emplace_back(p.X, p.Y, p.Z);
    }
  }
  cv::Mat K;
  std::vector<cv::Point2d> image;
  std::vector<cv::Point3d> scene;
};

FoundPose found_pose(const cv::Mat& turn, const cv::Mat& t) {
  FoundPose found{true, {}};
  cv::Mat R;
  cv::Rodrigues(turn, R);
  std::copy_n(R.ptr<double>(), 9, found.pose.R.begin());
  for (int i = 0; i < 3; ++i) found.pose.t[static_cast<size_t>(i)] = t.at<double>(i);
  return found;
}

// What the flag USAC_MAGSAC stands for, with P3P.
FoundPose opencv_magsac(const PoseScene& s, double threshold) {
  const OpencvScene o(s);
  cv::UsacParams params;
  params.threshold = threshold;
  params.confidence = 0.9999;
  params.maxIterations = 10000;
  params.score = cv::SCORE_METHOD_MAGSAC;
  params.loMethod = cv::LOCAL_OPTIM_SIGMA;
  params.loIterations = 10;
  params.loSampleSize = 50;
  cv::Mat K = o.K, turn, t, inliers;
  if (!cv::solvePnPRansac(o.scene, o.image, K, cv::noArray(), turn, t, inliers, params)) return {};
  return found_pose(turn, t);
}
#endif

struct Scores {
  std::vector<double> ms, rotation, position;
  int failures = 0;
};

void run_scene(const PoseScene& scene, Estimator estimator, double threshold, Scores& scores) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const FoundPose found = estimator(scene, threshold);
  scores.ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  scores.rotation.push_back(found.ok ? rotation_error_deg(found.pose.R, scene.truth.R) : 180);
  scores.position.push_back(found.ok ? position_error(found.pose, scene.truth) : 1e9);
  scores.failures += !found.ok;
}

// `prefix`: of the figures' names.
void add(const std::string& prefix, const Scores& s, Record& record) {
  record.extra[prefix + "median_rotation_deg"] = median(s.rotation);
  record.extra[prefix + "median_position"] = median(s.position);
  record.extra[prefix + "auc_0.02deg"] = area_under_recall(s.rotation, 0.02);
  record.extra[prefix + "failures"] = s.failures;
}

void run_case(Context& context, int inliers, double threshold) {
  const std::string name =
      fmt::format("robust/pose/n{}/inliers{}/thr{:.1f}", kPoints, inliers, threshold);
  if (!context.wanted(name)) return;
  std::mt19937_64 random(1);
  std::vector<Estimator> estimators = {estimate};
#ifdef BIFOCAL_PEER_OPENCV
  estimators.push_back(opencv_magsac);
#endif
  std::vector<Scores> scores(estimators.size());
  for (int i = 0; i < kTrials; ++i) {
    const PoseScene scene = make_pose_scene(kPoints, inliers / 100.0, 1, random);
    for (size_t k = 0; k < estimators.size(); ++k) {
      if (i == 0) (void)estimators[k](scene, threshold);  // warm-up
      run_scene(scene, estimators[k], threshold, scores[k]);
    }
  }
  Record record = pairs_record(name, scores[0].ms, kTrials);
  add("", scores[0], record);
#ifdef BIFOCAL_PEER_OPENCV
  record.reference =
      Reference{"OpenCV " CV_VERSION " solvePnPRansac, USAC_MAGSAC", median(scores[1].ms)};
  add("reference_", scores[1], record);
#endif
  context.report(std::move(record));
}

}  // namespace

void run_robust_pose(Context& context) {
  for (const double threshold : {2.5, 1.0}) {
    for (const int inliers : {80, 50, 30}) run_case(context, inliers, threshold);
  }
  run_case(context, 0, 2.5);
}

}  // namespace bifocal::bench
