// SPDX-License-Identifier: BSD-3-Clause
// Pose, dense depth and determinism on photographs with laser-measured cameras (Strecha et al.,
// CVPR 2008).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <bifocal/io.hpp>
#include <bifocal/two_photographs.hpp>
#include <bifocal/device.hpp>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <numbers>

#include "support/data.hpp"
#include "support/long_tests.hpp"

namespace bifocal {
namespace {

using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

struct Camera {
  Intrinsics K;
  Matrix3 world_from_camera;
  Eigen::Vector3d centre;
};

// File NNNN.jpg.camera: K, three zeros, R (world from camera), centre, width and height.
Camera read_camera(const std::filesystem::path& file) {
  std::ifstream in(file);
  Matrix3 K;
  Camera c;
  double zero;
  for (double& v : K.reshaped<Eigen::RowMajor>()) in >> v;
  for (int i = 0; i < 3; ++i) in >> zero;
  for (double& v : c.world_from_camera.reshaped<Eigen::RowMajor>()) in >> v;
  for (double& v : c.centre) in >> v;
  EXPECT_TRUE(in) << file;
  c.K = {K(0, 0), K(1, 1), K(0, 2), K(1, 2)};
  return c;
}

Intrinsics halved(const Intrinsics& k) {
  return {0.5 * k.fx, 0.5 * k.fy, (k.cx + 0.5) / 2 - 0.5, (k.cy + 0.5) / 2 - 0.5};
}

struct Scene {
  ImageU8 image1, image2;
  Camera camera1, camera2;
  PairOptions options;
};

Scene scene(const std::string& folder, const std::string& view1, const std::string& view2,
            bool half) {
  const std::string suffix = half ? "_half.jpg" : ".jpg";
  Scene s{read_image(test::data(folder + view1 + suffix)),
          read_image(test::data(folder + view2 + suffix)),
          read_camera(test::data(folder + view1 + ".jpg.camera")),
          read_camera(test::data(folder + view2 + ".jpg.camera")),
          {}};
  s.options.camera1 = half ? halved(s.camera1.K) : s.camera1.K;
  s.options.camera2 = half ? halved(s.camera2.K) : s.camera2.K;
  return s;
}

double degrees(double radians) { return radians * 180 / std::numbers::pi; }

void expect_true_pose(const std::string& name, const Scene& s, const PairResult& r) {
  ASSERT_EQ(r.outcome, Outcome::ok) << r.reason;
  ASSERT_TRUE(r.cam2_from_cam1.has_value()) << r.reason;
  const Matrix3 truth_R = s.camera2.world_from_camera.transpose() * s.camera1.world_from_camera;
  const Eigen::Vector3d truth_t =
      (s.camera2.world_from_camera.transpose() * (s.camera1.centre - s.camera2.centre))
          .normalized();
  const Eigen::Map<const Matrix3> R(r.cam2_from_cam1->R.data());
  const Eigen::Map<const Eigen::Vector3d> t(r.cam2_from_cam1->t.data());
  const double rotation =
      degrees(2 * std::asin(std::min(1.0, (R - truth_R).norm() / std::sqrt(8.0))));
  const double direction = degrees(2 * std::asin(std::min(1.0, 0.5 * (t - truth_t).norm())));
  fmt::print(
      "{}: {} of {} inliers, rotation error {:.4f} degrees, translation direction {:.4f} degrees\n",
      name, r.estimate.num_inliers, r.points.size(), rotation, direction);
  EXPECT_LE(rotation, 0.2);
  EXPECT_LE(direction, 0.5);
}

TEST(Strecha, fountain_pose_is_true_and_its_cloud_is_in_front) {
  BIFOCAL_NEEDS_DATA("strecha/fountain-P11");
  const Scene s = scene("strecha/fountain-P11/", "0004", "0005", false);
  const PairResult r = estimate_pair(s.image1, s.image2, s.options);
  expect_true_pose("fountain-P11 0004-0005", s, r);
  ASSERT_TRUE(r.dense.has_value()) << r.dense_reason;
  // The extra columns that keep the disparities of a pair rotated by 180 degrees positive do
  // not count.
  const int added = r.dense->rectification.is_reversed ? r.dense->disparities - 1 : 0;
  EXPECT_LE((r.dense->left.width - added) * r.dense->left.height,
            1.25 * s.options.max_dense_pixels);
  EXPECT_GE(r.dense->min_disparity, 0);
  EXPECT_GT(r.dense->disparity.density, 30);
  EXPECT_GT(r.dense->cloud.size(), 300000u);
  for (const CloudPoint& p : r.dense->cloud) ASSERT_GT(p.z, 0);
}

// Compares the depth of the cloud with the triangulated inliers, both in the frame of the rectified
// left camera.
TEST(Strecha, herz_jesus_pose_is_true_and_its_depth_agrees_with_the_points) {
  BIFOCAL_NEEDS_DATA("strecha/Herz-Jesus-P8");
  const Scene s = scene("strecha/Herz-Jesus-P8/", "0003", "0004", true);
  const PairResult r = estimate_pair(s.image1, s.image2, s.options);
  expect_true_pose("Herz-Jesus-P8 0003-0004", s, r);
  ASSERT_TRUE(r.dense.has_value()) << r.dense_reason;
  const Rectification& rectified = r.dense->rectification;
  int compared = 0, close = 0;
  for (std::size_t i = 0; i < r.points.size(); ++i) {
    if (!r.estimate.inliers[i]) continue;
    const auto& [x1, y1, x2, y2] = r.points[i];
    const auto map = [](const Mat3& H, double x, double y) {
      const double w = H[6] * x + H[7] * y + H[8];
      return std::pair((H[0] * x + H[1] * y + H[2]) / w, (H[3] * x + H[4] * y + H[5]) / w);
    };
    const auto [lx, ly] = rectified.is_swapped ? map(rectified.sides[0].H, x2, y2)
                                               : map(rectified.sides[0].H, x1, y1);
    const auto [rx, ry] = rectified.is_swapped ? map(rectified.sides[1].H, x1, y1)
                                               : map(rectified.sides[1].H, x2, y2);
    const int x = static_cast<int>(std::lround(lx)), y = static_cast<int>(std::lround(ly));
    EXPECT_NEAR(ly, ry, 4.0);  // the threshold of an inlier, both ways
    if (x < 0 || y < 0 || x >= rectified.width || y >= rectified.height) continue;
    const float d = r.dense->disparity.raw.at(x, y);
    if (std::isnan(d)) continue;
    ++compared;
    close += std::abs(d - (lx - rx)) <= 2;
  }
  fmt::print("Herz-Jesus: {} of {} inliers have the dense disparity within 2 px\n", close,
             compared);
  EXPECT_GT(compared, 200);
  EXPECT_GT(close, 0.9 * compared);
}

TEST(Strecha, the_result_is_the_same_for_any_number_of_threads) {
  BIFOCAL_NEEDS_DATA("strecha/Herz-Jesus-P8");
  Scene s = scene("strecha/Herz-Jesus-P8/", "0003", "0004", true);
  const auto with_threads = [&](int threads) {
    const ThreadLimit limit(threads);
    return estimate_pair(s.image1, s.image2, s.options);
  };
  const PairResult a = with_threads(1);
  ASSERT_TRUE(a.dense.has_value()) << a.dense_reason;
  for (const int threads : test::short_or_long<std::vector<int>>({3}, {2, 3})) {
    const PairResult b = with_threads(threads);
    ASSERT_EQ(a.points.size(), b.points.size());
    EXPECT_EQ(0,
              std::memcmp(a.points.data(), b.points.data(), a.points.size() * sizeof(PointPair)));
    EXPECT_EQ(a.estimate.model, b.estimate.model);
    EXPECT_EQ(a.estimate.inliers, b.estimate.inliers);
    EXPECT_EQ(a.cam2_from_cam1->R, b.cam2_from_cam1->R);
    EXPECT_EQ(a.cam2_from_cam1->t, b.cam2_from_cam1->t);
    ASSERT_TRUE(b.dense.has_value());
    EXPECT_EQ(a.dense->left.pixels, b.dense->left.pixels);
    EXPECT_EQ(a.dense->cloud.size(), b.dense->cloud.size());
    EXPECT_EQ(a.dense->disparity.density, b.dense->disparity.density);
  }
}

// Compares the model, the rectified images and the depth on each device with the CPU's results.
TEST(Strecha, every_device_finds_the_same_depth) {
  BIFOCAL_NEEDS_DATA("strecha/Herz-Jesus-P8");
  Scene s = scene("strecha/Herz-Jesus-P8/", "0003", "0004", true);
  s.options.max_dense_pixels = 150'000;
  const PairResult here = estimate_pair(s.image1, s.image2, s.options);
  ASSERT_TRUE(here.dense.has_value()) << here.dense_reason;
  for (const DeviceInfo& device : list_devices()) {
    Queue queue(Device(device.id));
    const PairResult there = estimate_pair(queue, s.image1, s.image2, s.options);
    expect_true_pose(device.id, s, there);
    ASSERT_TRUE(there.dense.has_value()) << device.id << " " << there.dense_reason;
    EXPECT_EQ(there.dense->left.width, here.dense->left.width) << device.id;
    EXPECT_NEAR(there.dense->disparity.density, here.dense->disparity.density, 0.2) << device.id;
  }
}

}  // namespace
}  // namespace bifocal
