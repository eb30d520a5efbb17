// SPDX-License-Identifier: BSD-3-Clause
// Rectification from F alone: rows, shape, refusals.
#include <bifocal/error.hpp>
#include <bifocal/rectify.hpp>
#include <bifocal/robust.hpp>

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>

#include "support/data.hpp"

namespace bifocal {
namespace {

using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Matrix cross_matrix(const Eigen::Vector3d& v) {
  Matrix m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

struct Rig {
  Matrix K1, K2, R;
  Eigen::Vector3d t;
  int w1 = 640, h1 = 480, w2 = 720, h2 = 500;

  [[nodiscard]] Mat3 F() const {
    Mat3 out;
    Eigen::Map<Matrix>(out.data()) = K2.inverse().transpose() * cross_matrix(t) * R * K1.inverse();
    return out;
  }
  [[nodiscard]] Rectification rectified() const {
    return rectify_uncalibrated(F(), {}, w1, h1, w2, h2);
  }
};

Rig random_rig(std::mt19937& random, double turn) {
  std::uniform_real_distribution<double> u(-1, 1);
  Rig rig;
  rig.K1 << 600 + 90 * u(random), 0, 320 + 30 * u(random), 0, 600 + 90 * u(random),
      240 + 30 * u(random), 0, 0, 1;
  rig.K2 << 650 + 90 * u(random), 0, 360 + 30 * u(random), 0, 650 + 90 * u(random),
      250 + 30 * u(random), 0, 0, 1;
  const Eigen::Vector3d axis = Eigen::Vector3d(u(random), u(random), u(random)).normalized();
  rig.R = Eigen::AngleAxisd(turn * u(random), axis).toRotationMatrix();
  rig.t = Eigen::Vector3d(u(random) < 0 ? -1 : 1, 0.3 * u(random), 0.2 * u(random));
  return rig;
}

std::vector<PointPair> matches_of(const Rig& rig, std::mt19937& random, int count) {
  std::uniform_real_distribution<double> u(-1, 1);
  std::vector<PointPair> out;
  while (static_cast<int>(out.size()) < count) {
    const double z = 6 + 3 * u(random);
    const Eigen::Vector3d X(0.5 * z * u(random), 0.4 * z * u(random), z);
    const Eigen::Vector3d p = rig.K1 * X, q = rig.K2 * (rig.R * X + rig.t);
    out.push_back({p.x() / p.z(), p.y() / p.z(), q.x() / q.z(), q.y() / q.z()});
  }
  return out;
}

// Measures how a homography changes the shape of an image: the ratio of the lengths of the mapped
// diagonals, and the angle in degrees between the mapped middle lines.
struct Shape {
  double diagonals, corner_deg;
};
Shape shape_of(const Mat3& H, int width, int height) {
  const auto map = [&](double x, double y) {
    return (Eigen::Map<const Matrix>(H.data()) * Eigen::Vector3d(x, y, 1)).hnormalized().eval();
  };
  const double w = width - 1, h = height - 1;
  const double a = (map(w, h) - map(0, 0)).norm(), b = (map(0, h) - map(w, 0)).norm();
  const Eigen::Vector2d x = map(w, h / 2) - map(0, h / 2), y = map(w / 2, h) - map(w / 2, 0);
  return {a / b, std::atan2(std::abs(x.x() * y.y() - x.y() * y.x()), x.dot(y)) * 57.29577951308232};
}

TEST(Uncalibrated, exact_matches_share_rows_and_pictures_keep_their_shape) {
  std::mt19937 random(31);
  double worst = 0, worst_corner = 0, worst_diagonal = 1;
  int refused = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const Rig rig = random_rig(random, 0.12);
    const Rectification r = rig.rectified();
    if (r.width == 0) {
      ++refused;
      continue;
    }
    ASSERT_FALSE(r.sides[0].camera.valid());
    const VerticalDisparity v = vertical_disparity(r, matches_of(rig, random, 50));
    ASSERT_GE(v.counted, 45);
    worst = std::max(worst, v.percentile95);
    ASSERT_LE(double(r.width) * r.height, 1.5 * rig.w2 * rig.h2);
    for (const auto& [H, w, h] :
         {std::tuple{r.sides[0].H, rig.w1, rig.h1}, std::tuple{r.sides[1].H, rig.w2, rig.h2}}) {
      const Shape s = shape_of(H, w, h);
      worst_corner = std::max(worst_corner, std::abs(s.corner_deg - 90));
      worst_diagonal = std::max({worst_diagonal, s.diagonals, 1 / s.diagonals});
      double least = 1e9, most = -1e9, top = 1e9;
      for (int corner = 0; corner < 4; ++corner) {
        const Eigen::Vector2d p =
            (Eigen::Map<const Matrix>(H.data()) *
             Eigen::Vector3d(corner & 1 ? w - 1 : 0, corner & 2 ? h - 1 : 0, 1))
                .hnormalized();
        least = std::min(least, p.x());
        most = std::max(most, p.x());
        top = std::min(top, p.y());
      }
      EXPECT_NEAR(least, 0, 1e-6);
      EXPECT_LT(most, r.width);
      EXPECT_LE(top, 1e-6);
    }
  }
  RecordProperty("worst_row_px", std::to_string(worst));
  RecordProperty("worst_corner_deg", std::to_string(worst_corner));
  RecordProperty("worst_diagonal", std::to_string(worst_diagonal));
  RecordProperty("refused", refused);
  printf("rows %.2e px, corner %.2f deg, diagonals 1:%.3f, refused %d\n", worst, worst_corner,
         worst_diagonal, refused);
  EXPECT_LT(worst, 1e-6);
  EXPECT_LT(worst_corner, 0.01);
  EXPECT_LE(refused, 5);
}

TEST(Uncalibrated, a_rectified_pair_stays_as_it_is) {
  const Rectification r =
      rectify_uncalibrated({0, 0, 0, 0, 0, -1, 0, 1, 0}, {}, 640, 480, 640, 480);
  ASSERT_EQ(r.outcome, RectifyOutcome::ok);
  EXPECT_EQ(r.width, 640);
  EXPECT_EQ(r.height, 480);
  for (const Mat3& H : {r.sides[0].H, r.sides[1].H})
    for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(H[i] / H[8], i % 4 == 0, 1e-9) << i;
}

TEST(Uncalibrated, sign_and_size_of_F_do_not_matter) {
  std::mt19937 random(32);
  const Rig rig = random_rig(random, 0.1);
  const Rectification r = rig.rectified();
  ASSERT_GT(r.width, 0);
  for (const double factor : {-1.0, 1e-9, -1e12}) {
    Mat3 F = rig.F();
    for (double& v : F) v *= factor;
    const Rectification s = rectify_uncalibrated(F, {}, rig.w1, rig.h1, rig.w2, rig.h2);
    EXPECT_EQ(s.width, r.width);
    for (std::size_t i = 0; i < 9; ++i)
      EXPECT_NEAR(s.sides[0].H[i] / s.sides[0].H[8], r.sides[0].H[i] / r.sides[0].H[8],
                  1e-6 * (1 + std::abs(r.sides[0].H[i] / r.sides[0].H[8])));
  }
}

TEST(Uncalibrated, refusals_have_reasons) {
  std::mt19937 random(33);
  Rig rig = random_rig(random, 0.05);
  rig.t = {0.05, 0.02, 1};  // forwards: the epipole is in the image
  EXPECT_EQ(rig.rectified().outcome, RectifyOutcome::epipole_near_image);
  EXPECT_EQ(rig.rectified().width, 0);
  rig.t = {1, 0, 1.4};  // just outside of the image
  EXPECT_EQ(rig.rectified().outcome, RectifyOutcome::epipole_near_image);
  EXPECT_EQ(rectify_uncalibrated({1, 0, 0, 0, 1, 0, 0, 0, 4e5}, {}, 640, 480, 640, 480).outcome,
            RectifyOutcome::no_geometry);
  EXPECT_EQ(rectify_uncalibrated({1, 2, 3, 2, 4, 6, 3, 6, 9}, {}, 640, 480, 640, 480).outcome,
            RectifyOutcome::no_geometry);
  // The two images' rows lie 1000 px apart.
  EXPECT_EQ(rectify_uncalibrated({0, 0, 0, 0, 0, -1, 0, 1, 1000}, {}, 640, 480, 640, 480).outcome,
            RectifyOutcome::no_common_rows);
  EXPECT_THROW((void)rectify_uncalibrated({}, {}, 640, 480, 640, 480), Error);
  EXPECT_THROW((void)rectify_uncalibrated({std::nan("")}, {}, 640, 480, 640, 480), Error);
  EXPECT_THROW((void)rectify_uncalibrated(rig.F(), {}, 0, 480, 640, 480), Error);
  EXPECT_THROW((void)rectify_uncalibrated(rig.F(), {}, 640, 480, 640, 480, {.max_scale = -1}),
               Error);
}

TEST(Uncalibrated, takes_small_and_odd_images) {
  for (const auto& [w, h] : {std::pair{1, 1}, std::pair{1, 7}, std::pair{9, 1}, std::pair{3, 2}}) {
    const Rectification r = rectify_uncalibrated({0, 0, 0, 0, 0, -1, 0, 1, 0}, {}, w, h, w, h);
    EXPECT_TRUE(r.width == 0 || (r.width <= 2 * w && r.height <= 2 * h));
  }
}

TEST(Uncalibrated, ranges_cover_the_matches) {
  std::mt19937 random(34);
  const Rig rig = random_rig(random, 0.1);
  const Rectification r = rig.rectified();
  const auto matches = matches_of(rig, random, 300);
  const DisparityRange range = disparity_range(r, matches);
  int covered = 0;
  for (const PointPair& m : matches) {
    const double d =
        rectified_point(r, 0, {m.x1, m.y1})[0] - rectified_point(r, 1, {m.x2, m.y2})[0];
    covered += d >= range.min && d < range.min + range.count;
  }
  EXPECT_GE(covered, 295);
  EXPECT_LT(range.count, 640);
  EXPECT_EQ(disparity_range(r, {}).count, 0);
}

// Rectifies the same rig by the calibrated method.
Rectification calibrated(const Rig& rig) {
  Pose pose;
  Eigen::Map<Matrix>(pose.R.data()) = rig.R;
  Eigen::Map<Eigen::Vector3d>(pose.t.data()) = rig.t;
  const auto camera = [](const Matrix& K) {
    return Intrinsics{K(0, 0), K(1, 1), K(0, 2), K(1, 2)};
  };
  return rectify({camera(rig.K1), {}, rig.w1, rig.h1}, {camera(rig.K2), {}, rig.w2, rig.h2}, pose);
}

TEST(Uncalibrated, matches_decide_the_left_image) {
  std::mt19937 random(36);
  int wrong = 0, swapped = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const Rig rig = random_rig(random, 0.12);
    const auto matches = matches_of(rig, random, 50);
    const Rectification r = rectify_uncalibrated(rig.F(), matches, rig.w1, rig.h1, rig.w2, rig.h2);
    ASSERT_EQ(r.outcome, RectifyOutcome::ok);
    wrong += r.is_swapped != calibrated(rig).is_swapped;
    swapped += r.is_swapped;
    ASSERT_LT(vertical_disparity(r, matches).percentile95, 1e-6);
    EXPECT_EQ(r.sides[0].input.width, r.is_swapped ? rig.w2 : rig.w1);
  }
  printf("left and right wrong: %d of 500, %d swapped\n", wrong, swapped);
  EXPECT_LE(wrong, 5);
  EXPECT_GT(swapped, 150);
  EXPECT_LT(swapped, 350);
}

// Reads ground-truth cameras from two sequences of photographs: K, zeros, R (camera to
// world), centre.
Rig read_rig(const std::filesystem::path& folder, int a, int b) {
  struct View {
    Matrix K, R;
    Eigen::Vector3d centre;
  };
  const auto read = [&](int i) {
    std::ifstream in(folder / ("000" + std::to_string(i) + ".jpg.camera"));
    View v;
    double zero = 0;
    for (int k = 0; k < 9; ++k) in >> v.K(k / 3, k % 3);
    for (int k = 0; k < 3; ++k) in >> zero;
    for (int k = 0; k < 9; ++k) in >> v.R(k / 3, k % 3);
    for (int k = 0; k < 3; ++k) in >> v.centre(k);
    return v;
  };
  const View one = read(a), two = read(b);
  return {one.K,
          two.K,
          two.R.transpose() * one.R,
          two.R.transpose() * (one.centre - two.centre),
          3072,
          2048,
          3072,
          2048};
}

TEST(Uncalibrated, agrees_with_measured_cameras_of_photographs) {
  BIFOCAL_NEEDS_DATA("strecha/fountain-P11/0004.jpg.camera");
  for (const auto& [name, views] :
       {std::pair{"strecha/fountain-P11", 10}, std::pair{"strecha/Herz-Jesus-P8", 8}}) {
    std::mt19937 random(35);
    double worst = 0, corner = 0, diagonal = 1;
    int refused[4] = {}, pairs[4] = {};
    for (int a = 0; a < views; ++a) {
      for (int b = a + 1; b < views && b <= a + 3; ++b) {
        const Rig rig = read_rig(test::data(name), a, b);
        const Rectification r = rig.rectified();
        ++pairs[b - a];
        refused[b - a] += r.width == 0;
        if (r.width == 0) {
          EXPECT_EQ(calibrated(rig).width, 0) << a << " " << b << " " << to_string(r.outcome);
          continue;
        }
        worst = std::max(worst, vertical_disparity(r, matches_of(rig, random, 100)).percentile95);
        for (const Mat3& H : {r.sides[0].H, r.sides[1].H}) {
          const Shape shape = shape_of(H, 3072, 2048);
          corner = std::max(corner, std::abs(shape.corner_deg - 90));
          diagonal = std::max({diagonal, shape.diagonals, 1 / shape.diagonals});
        }
      }
    }
    printf(
        "%s: rows %.1e px, corner %.3f deg, diagonals 1:%.3f, refused %d/%d neighbours, %d/%d, "
        "%d/%d\n",
        name, worst, corner, diagonal, refused[1], pairs[1], refused[2], pairs[2], refused[3],
        pairs[3]);
    EXPECT_LT(worst, 1e-6);
    EXPECT_LE(refused[1] + refused[2] + refused[3], 1);
  }
}

// F is estimated from tentative matches. The files do not contain the image sizes, so the extent of
// the points is used.
TEST(Uncalibrated, puts_matches_of_photographs_on_rows) {
  BIFOCAL_NEEDS_DATA("correspondences/kusvod2/box_pts.txt");
  int made = 0;
  for (const char* name : {"Brussels", "Dresden", "Kyoto", "Leuven1", "Leuven2", "booksh", "box",
                           "castle", "corr", "graff", "head", "kampa", "leafs", "plant"}) {
    std::ifstream in(test::data(std::string("correspondences/kusvod2/") + name + "_pts.txt"));
    std::vector<PointPair> points, inliers;
    double one = 0, label = 0, w = 0, h = 0;
    for (PointPair p; in >> p.x1 >> p.y1 >> one >> p.x2 >> p.y2 >> one >> label;) {
      points.push_back(p);
      w = std::max({w, p.x1, p.x2});
      h = std::max({h, p.y1, p.y2});
    }
    const EstimateResult f = estimate(ModelKind::fundamental, points);
    ASSERT_TRUE(f.ok()) << name;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (f.inliers[i]) inliers.push_back(points[i]);
    const int width = static_cast<int>(w) + 1, height = static_cast<int>(h) + 1;
    const Rectification r = rectify_uncalibrated(f.model, {}, width, height, width, height);
    if (r.width == 0) {
      printf("%s: %s\n", name, std::string(to_string(r.outcome)).c_str());
      continue;
    }
    ++made;
    const VerticalDisparity v = vertical_disparity(r, inliers);
    const DisparityRange range = disparity_range(r, inliers);
    printf("%s: %zu inliers, rows %.2f px median, %.2f px 95 %%, disparities %d + %d, %d x %d\n",
           name, inliers.size(), v.median, v.percentile95, range.min, range.count, r.width,
           r.height);
    EXPECT_LT(v.median, 1) << name;
    EXPECT_LT(v.percentile95, 4) << name;
  }
  EXPECT_EQ(made, 8);  // in the rest an epipole is in an image or just outside
}

}  // namespace
}  // namespace bifocal
