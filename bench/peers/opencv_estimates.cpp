// SPDX-License-Identifier: BSD-3-Clause
#include "opencv_estimates.hpp"

#ifdef BIFOCAL_PEER_OPENCV
#include <algorithm>
#include <opencv2/calib3d.hpp>
#include <vector>

namespace bifocal::bench {
namespace {

constexpr double kConfidence = RobustOptions().confidence;
constexpr int kMostSamples = 10000;

// The meaning of the flag USAC_MAGSAC, for functions without a parameter for the number of samples.
cv::UsacParams magsac(double threshold) {
  cv::UsacParams params;
  params.threshold = threshold;
  params.confidence = kConfidence;
  params.maxIterations = kMostSamples;
  params.score = cv::SCORE_METHOD_MAGSAC;
  params.loMethod = cv::LOCAL_OPTIM_SIGMA;
  params.loIterations = 10;
  params.loSampleSize = 50;
  return params;
}

cv::Mat camera_matrix(const Intrinsics& k) {
  return (cv::Mat_<double>(3, 3) << k.fx, 0, k.cx, 0, k.fy, k.cy, 0, 0, 1);
}

struct OpencvPoints {
  explicit OpencvPoints(std::span<const PointPair> points) {
    for (const PointPair& p : points) {
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

}  // namespace

FoundModel opencv_homography(std::span<const PointPair> points, double threshold) {
  const OpencvPoints p(points);
  const cv::Mat H = cv::findHomography(p.a, p.b, cv::USAC_MAGSAC, threshold, cv::noArray(),
                                       kMostSamples, kConfidence);
  return {!H.empty(), to_mat3(H), {}};
}

FoundModel opencv_fundamental(std::span<const PointPair> points, double threshold) {
  const OpencvPoints p(points);
  const cv::Mat F =
      cv::findFundamentalMat(p.a, p.b, cv::USAC_MAGSAC, threshold, kConfidence, kMostSamples);
  return {!F.empty(), to_mat3(F), {}};
}

FoundModel opencv_essential(std::span<const PointPair> points, const Intrinsics& camera1,
                            const Intrinsics& camera2, double threshold) {
  OpencvPoints p(points);
  for (cv::Point2d& b : p.b) {
    b = {(b.x - camera2.cx) / camera2.fx * camera1.fx + camera1.cx,
         (b.y - camera2.cy) / camera2.fy * camera1.fy + camera1.cy};
  }
  const cv::Mat K = camera_matrix(camera1);
  cv::Mat mask, R, t;
  const cv::Mat E =
      cv::findEssentialMat(p.a, p.b, K, K, cv::noArray(), cv::noArray(), mask, magsac(threshold));
  if (E.rows != 3) return {};
  cv::recoverPose(E, p.a, p.b, K, R, t, mask);
  FoundModel e{true, to_mat3(E), {}};
  e.pose.R = to_mat3(R);
  std::copy_n(t.ptr<double>(), 3, e.pose.t.begin());
  return e;
}

namespace {

// 2 x 3 matrix of an affine map.
FoundModel map_estimate(const cv::Mat& m) {
  if (m.rows != 2) return {};
  FoundModel e{true, {0, 0, 0, 0, 0, 0, 0, 0, 1}, {}};
  std::copy_n(m.ptr<double>(), 6, e.model.begin());
  return e;
}

FoundModel opencv_affine(std::span<const PointPair> points, double threshold) {
  const OpencvPoints p(points);
  return map_estimate(cv::estimateAffine2D(p.a, p.b, cv::noArray(), magsac(threshold)));
}

FoundModel opencv_similarity(std::span<const PointPair> points, double threshold) {
  const OpencvPoints p(points);
  return map_estimate(cv::estimateAffinePartial2D(p.a, p.b, cv::noArray(), cv::RANSAC, threshold,
                                                  kMostSamples, kConfidence));
}

FoundModel opencv_pose(const ProblemScene& s, double threshold) {
  std::vector<cv::Point2d> image;
  std::vector<cv::Point3d> scene;
  for (const ScenePoint& p : std::span(s.scene_points(), static_cast<size_t>(s.count()))) {
    image.emplace_back(p.x, p.y);
    scene.emplace_back(p.X, p.Y, p.Z);
  }
  cv::Mat K = camera_matrix(s.cameras[0]), rotation, R, t, inliers;
  if (!cv::solvePnPRansac(scene, image, K, cv::noArray(), rotation, t, inliers, magsac(threshold)))
    return {};
  cv::Rodrigues(rotation, R);
  FoundModel e{true, to_mat3(R), {}};
  e.pose.R = e.model;
  for (int i = 0; i < 3; ++i) e.pose.t[static_cast<size_t>(i)] = t.at<double>(i);
  return e;
}

}  // namespace

OpencvPeer opencv_peer(ModelKind problem) {
  const std::string name = "OpenCV " CV_VERSION " ";
  const auto of_pairs = [](FoundModel (*estimate)(std::span<const PointPair>, double)) {
    return [estimate](const ProblemScene& s, double threshold) {
      return estimate(s.pairs(), threshold);
    };
  };
  const std::pair<ModelKind, OpencvPeer> peers[] = {
      {ModelKind::homography, {name + "USAC_MAGSAC", of_pairs(opencv_homography)}},
      {ModelKind::fundamental, {name + "USAC_MAGSAC", of_pairs(opencv_fundamental)}},
      {ModelKind::essential,
       {name + "USAC_MAGSAC",
        [](const ProblemScene& s, double threshold) {
          return opencv_essential(s.pairs(), s.cameras[0], s.cameras[1], threshold);
        }}},
      {ModelKind::absolute_pose, {name + "solvePnPRansac, USAC_MAGSAC", opencv_pose}},
      {ModelKind::similarity, {name + "estimateAffinePartial2D", of_pairs(opencv_similarity)}},
      {ModelKind::affine, {name + "estimateAffine2D, USAC_MAGSAC", of_pairs(opencv_affine)}}};
  const auto* found = std::ranges::find(peers, problem, [](const auto& p) { return p.first; });
  return found == std::end(peers) ? OpencvPeer() : found->second;
}

}  // namespace bifocal::bench
#endif
