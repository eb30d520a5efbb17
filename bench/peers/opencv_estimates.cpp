// SPDX-License-Identifier: BSD-3-Clause
#include "opencv_estimates.hpp"

#ifdef BIFOCAL_PEER_OPENCV
#include <opencv2/calib3d.hpp>

namespace bifocal::bench {
namespace {

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

Estimate opencv_homography(std::span<const PointPair> points, double threshold) {
  const OpencvPoints p(points);
  const cv::Mat H =
      cv::findHomography(p.a, p.b, cv::USAC_MAGSAC, threshold, cv::noArray(), 10000, 0.9999);
  return {!H.empty(), to_mat3(H), {}};
}

Estimate opencv_fundamental(std::span<const PointPair> points, double threshold) {
  const OpencvPoints p(points);
  const cv::Mat F = cv::findFundamentalMat(p.a, p.b, cv::USAC_MAGSAC, threshold, 0.9999, 10000);
  return {!F.empty(), to_mat3(F), {}};
}

Estimate opencv_essential(std::span<const PointPair> points, const Intrinsics& camera1,
                          const Intrinsics& camera2, double threshold) {
  OpencvPoints p(points);
  for (cv::Point2d& b : p.b) {
    b = {(b.x - camera2.cx) / camera2.fx * camera1.fx + camera1.cx,
         (b.y - camera2.cy) / camera2.fy * camera1.fy + camera1.cy};
  }
  const Intrinsics& k = camera1;
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

}  // namespace bifocal::bench
#endif
