// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/stereo.hpp>

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <fstream>
#include <random>

#include "support/data.hpp"

namespace bifocal {
namespace {

using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Matrix eigen(const Mat3& m) { return Eigen::Map<const Matrix>(m.data()); }

struct Rig {
  Intrinsics k1, k2;
  Pose pose;
  int w1 = 640, h1 = 480, w2 = 700, h2 = 500;
  [[nodiscard]] Rectification rectified() const {
    return rectify({k1, {}, w1, h1}, {k2, {}, w2, h2}, pose);
  }
};

Pose pose_of(const Matrix& R, const Eigen::Vector3d& centre2) {
  Pose pose;
  Eigen::Map<Matrix>(pose.R.data()) = R;
  Eigen::Map<Eigen::Vector3d>(pose.t.data()) = (-R * centre2).normalized();
  return pose;
}

Rig random_rig(std::mt19937& random, double turn_deg) {
  std::uniform_real_distribution<double> unit(-1, 1);
  Rig rig{{600 + 80 * unit(random), 610 + 80 * unit(random), 320 + 20 * unit(random),
           240 + 20 * unit(random)},
          {650 + 80 * unit(random), 640 + 80 * unit(random), 350 + 20 * unit(random),
           250 + 20 * unit(random)},
          {}};
  const double angle = turn_deg * unit(random) * EIGEN_PI / 180;
  const Eigen::Vector3d axis =
      Eigen::Vector3d(unit(random), unit(random), unit(random)).normalized();
  const Matrix R = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
  const double side = unit(random) < 0 ? -1 : 1;
  rig.pose = pose_of(R, {side, 0.4 * unit(random), 0.4 * unit(random)});
  return rig;
}

Eigen::Vector2d project(const Mat3& H, const Intrinsics& k, const Eigen::Vector3d& X) {
  const Eigen::Vector3d p = eigen(H) * eigen(k.matrix()) * X;
  return p.hnormalized();
}

TEST(Rectify, matching_points_share_rows_and_depth_follows_from_disparity) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int trial = 0; trial < 500; ++trial) {
    const Rig rig = random_rig(random, 15);
    const Rectification r = rig.rectified();
    ASSERT_GT(r.width, 0) << trial;
    ASSERT_LE(double(r.width) * r.height, 1.5 * rig.w2 * rig.h2);
    EXPECT_EQ(r.sides[0].camera.fx, r.sides[0].camera.fy);
    EXPECT_EQ(r.sides[0].camera.fx, r.sides[1].camera.fx);
    EXPECT_EQ(r.sides[0].camera.cy, r.sides[1].camera.cy);
    EXPECT_NEAR((eigen(r.sides[0].R) * eigen(r.sides[0].R).transpose() - Matrix::Identity()).norm(),
                0, 1e-12);
    const double doffs = r.sides[1].camera.cx - r.sides[0].camera.cx;
    for (int i = 0; i < 20; ++i) {
      const double z = 5 + 4 * unit(random);
      const Eigen::Vector3d X1(z * 0.4 * unit(random), z * 0.3 * unit(random), z);
      const Eigen::Vector3d X2 =
          eigen(rig.pose.R) * X1 + Eigen::Map<const Eigen::Vector3d>(rig.pose.t.data());
      const Eigen::Vector3d& XL = r.is_swapped ? X2 : X1;
      const Eigen::Vector3d& XR = r.is_swapped ? X1 : X2;
      const Eigen::Vector2d l = project(r.sides[0].H, r.is_swapped ? rig.k2 : rig.k1, XL);
      const Eigen::Vector2d p = project(r.sides[1].H, r.is_swapped ? rig.k1 : rig.k2, XR);
      ASSERT_NEAR(l.y(), p.y(), 1e-9) << trial;
      const double shift = l.x() - p.x() + doffs;
      ASSERT_GT(shift, 0) << trial;
      const double depth = (eigen(r.sides[0].R) * XL).z();
      ASSERT_NEAR(r.sides[0].camera.fx / shift, depth, 1e-9 * depth) << trial;
    }
  }
}

TEST(Rectify, keeps_the_rows_that_both_pictures_have) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 100; ++trial) {
    const Rig rig = random_rig(random, 10);
    const Rectification r = rig.rectified();
    ASSERT_GT(r.width, 0);
    for (const auto& [H, w, h] :
         {std::tuple{r.sides[0].H, r.is_swapped ? rig.w2 : rig.w1, r.is_swapped ? rig.h2 : rig.h1},
          std::tuple{r.sides[1].H, r.is_swapped ? rig.w1 : rig.w2,
                     r.is_swapped ? rig.h1 : rig.h2}}) {
      double least = 1e9, top = 1e9, bottom = -1e9;
      for (int corner = 0; corner < 4; ++corner) {
        const Eigen::Vector2d p =
            (eigen(H) * Eigen::Vector3d(corner & 1 ? w - 1 : 0, corner & 2 ? h - 1 : 0, 1))
                .hnormalized();
        least = std::min(least, p.x());
        top = std::min(top, p.y());
        bottom = std::max(bottom, p.y());
        EXPECT_LT(p.x(), r.width);
      }
      EXPECT_NEAR(least, 0, 1e-6);
      EXPECT_LE(top, 1e-6);
      EXPECT_GE(bottom, r.height - 1 - 1e-6);
    }
  }
}

TEST(Rectify, parallel_cameras_are_left_as_they_are) {
  Rig rig{{500, 500, 320, 240},
          {500, 500, 320, 240},
          pose_of(Matrix::Identity(), {1, 0, 0}),
          640,
          480,
          640,
          480};
  const Rectification r = rig.rectified();
  EXPECT_FALSE(r.is_swapped);
  EXPECT_EQ(r.width, 640);
  EXPECT_EQ(r.height, 480);
  EXPECT_NEAR((eigen(r.sides[0].H) / r.sides[0].H[8] - Matrix::Identity()).norm(), 0, 1e-12);
  rig.pose = pose_of(Matrix::Identity(), {-1, 0, 0});
  EXPECT_TRUE(rig.rectified().is_swapped);
}

// max_scale refers to the larger image, whether it is first or second.
TEST(Rectify, a_small_and_a_large_picture_have_the_same_canvas_either_way) {
  const Camera small{{300, 300, 160, 120}, {}, 320, 240}, large{{900, 900, 480, 360}, {}, 960, 720};
  const Pose right = pose_of(Matrix::Identity(), {1, 0, 0});
  const Rectification a = rectify(small, large, right, {.max_scale = 0.5}),
                      b = rectify(large, small, right, {.max_scale = 0.5});
  EXPECT_GT(a.width * a.height, 2 * 320 * 240);
  EXPECT_LE(a.width * a.height, 960 * 720 / 2);
  EXPECT_EQ(a.width, b.width);
  EXPECT_EQ(a.height, b.height);
}

TEST(Rectify, forward_motion_and_opposite_cameras_give_no_picture) {
  std::mt19937 random(3);
  Rig rig = random_rig(random, 0);
  for (const Eigen::Vector3d& centre : {Eigen::Vector3d(0, 0, 1), Eigen::Vector3d(0.2, 0.1, -1)}) {
    rig.pose = pose_of(Matrix::Identity(), centre);
    EXPECT_EQ(rig.rectified().width, 0);
  }
  rig.pose =
      pose_of(Eigen::AngleAxisd(EIGEN_PI, Eigen::Vector3d::UnitY()).toRotationMatrix(), {1, 0, 0});
  EXPECT_EQ(rig.rectified().width, 0);
}

TEST(Rectify, bad_arguments_are_named) {
  Rig rig{{500, 500, 320, 240}, {500, 500, 320, 240}, pose_of(Matrix::Identity(), {1, 0, 0})};
  const auto message = [&](const Rig& bad) {
    try {
      (void)bad.rectified();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::usage);
      return std::string(e.what());
    }
    return std::string();
  };
  Rig bad = rig;
  bad.pose.t = {0, 0, 0};
  EXPECT_NE(message(bad).find("baseline"), std::string::npos);
  bad = rig;
  bad.pose.R[4] = std::nan("");
  EXPECT_NE(message(bad).find("R is not finite"), std::string::npos);
  bad = rig;
  bad.k2.fx = 0;
  EXPECT_NE(message(bad).find("fx"), std::string::npos);
  bad = rig;
  bad.h2 = 0;
  EXPECT_NE(message(bad).find("size 0"), std::string::npos);
}

// K, zeros, R (camera to world), centre.
struct StrechaCamera {
  Matrix K, R;
  Eigen::Vector3d centre;
};
StrechaCamera read_strecha(const std::filesystem::path& file) {
  std::ifstream in(file);
  StrechaCamera camera;
  double zero = 0;
  for (int i = 0; i < 9; ++i) in >> camera.K(i / 3, i % 3);
  for (int i = 0; i < 3; ++i) in >> zero;
  for (int i = 0; i < 9; ++i) in >> camera.R(i / 3, i % 3);
  for (int i = 0; i < 3; ++i) in >> camera.centre(i);
  return camera;
}

TEST(Rectify, photographs_with_measured_poses_match_along_rows) {
  BIFOCAL_NEEDS_DATA("strecha/fountain-P11/0004.jpg.camera");
  const StrechaCamera a = read_strecha(test::data("strecha/fountain-P11/0004.jpg.camera"));
  const StrechaCamera b = read_strecha(test::data("strecha/fountain-P11/0005.jpg.camera"));
  const auto quarter = [](const Matrix& K) {
    return Intrinsics{K(0, 0) / 4, K(1, 1) / 4, (K(0, 2) + 0.5) / 4 - 0.5,
                      (K(1, 2) + 0.5) / 4 - 0.5};
  };
  const Rig rig{quarter(a.K),
                quarter(b.K),
                pose_of(b.R.transpose() * a.R, a.R.transpose() * (b.centre - a.centre)),
                768,
                512,
                768,
                512};
  const Rectification r = rig.rectified();
  ASSERT_GT(r.width, 0);
  const auto reduced = [](const char* name) {
    const ImageU8 full =
        to_grey(read_image(test::data(std::string("strecha/fountain-P11/") + name)));
    ImageU8 small(full.width / 4, full.height / 4);
    for (int y = 0; y < small.height; ++y)
      for (int x = 0; x < small.width; ++x) {
        int sum = 8;
        for (int k = 0; k < 16; ++k) sum += full.at(4 * x + k % 4, 4 * y + k / 4);
        small.at(x, y) = static_cast<std::uint8_t>(sum / 16);
      }
    return small;
  };
  ImageU8 left_valid;
  const ImageU8 first = reduced("0004.jpg"), second = reduced("0005.jpg");
  const ImageU8 left =
      warp(r.is_swapped ? second : first, r.sides[0].H, r.width, r.height, &left_valid);
  const ImageU8 right = warp(r.is_swapped ? first : second, r.sides[1].H, r.width, r.height);
  const SsdOptions range{.min_disparity = -200, .disparities = 400, .window = 11};
  // Two images of one scene have more known disparities on common rows than after a shift by
  // 3 rows.
  const auto known = [&](int down) {
    const ImageView<const std::uint8_t> l(left.row(down), left.width, left.height - 3);
    const ImageView<const std::uint8_t> p(right.row(0), right.width, right.height - 3);
    return stereo_ssd(l, p, range).density;
  };
  const double aligned = known(0), shifted = known(3);
  RecordProperty("density_aligned", std::to_string(aligned));
  EXPECT_GT(aligned, 50);
  EXPECT_GT(aligned, 1.3 * shifted);
}

}  // namespace
}  // namespace bifocal
