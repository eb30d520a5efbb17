// SPDX-License-Identifier: BSD-3-Clause
// Depth of real pairs, compared with independent truth: a laser scan, and matches of a third
// photograph with measured cameras.
#include <gtest/gtest.h>
#include <bifocal/io.hpp>
#include <bifocal/two_photographs.hpp>
#include <bifocal/two_view.hpp>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <fstream>

#include "support/data.hpp"
#include "support/needs_problem.hpp"

namespace bifocal {
namespace {

using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

// Relative errors, and the fractions within 1, 2 and 3 of the reported deviations.
class Errors {
 public:
  void add(double depth, double deviation, double truth) {
    ratios_.push_back(depth / truth);
    deviations_.push_back(deviation / truth);
  }
  [[nodiscard]] std::size_t count() const { return ratios_.size(); }
  // Prints the errors after dividing depths by `stretch`. Returns the median of |error| in
  // per cent.
  double report(const char* name, double stretch) const {
    std::vector<double> errors;
    double within[3] = {};
    for (std::size_t i = 0; i < ratios_.size(); ++i) {
      errors.push_back(std::abs(ratios_[i] / stretch - 1));
      for (int k = 0; k < 3; ++k) within[k] += errors[i] <= (k + 1) * deviations_[i] / stretch;
    }
    const double error = 100 * median(errors);
    std::printf(
        "%s: %zu depths, median error %.3f %%, median deviation stated %.3f %%; within 1, 2, "
        "3 deviations %.0f, %.0f, %.0f %%\n",
        name, count(), error, 100 * median(deviations_) / stretch,
        100 * within[0] / double(count()), 100 * within[1] / double(count()),
        100 * within[2] / double(count()));
    return error;
  }
  [[nodiscard]] double stretch() const { return median(ratios_); }

 private:
  static double median(std::vector<double> v) {
    std::nth_element(v.begin(), v.begin() + std::ptrdiff_t(v.size() / 2), v.end());
    return v[v.size() / 2];
  }
  std::vector<double> ratios_, deviations_;
};

// A rectified pair without cameras: depth is 1 / disparity up to a scale.
TEST(RealDepth, agrees_with_a_laser_scan_of_fountain23) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::shared_focal);
  BIFOCAL_NEEDS_DATA("fountain23_rectified");
  const std::string folder = "fountain23_rectified/fountain23-";
  const ImageU8 left = read_image(test::data(folder + "imL.png")),
                right = read_image(test::data(folder + "imR.png")),
                truth = to_grey(read_image(test::data(folder + "truedispL.png")));
  const PairResult r = estimate_pair(left, right);
  ASSERT_TRUE(r.dense.has_value()) << r.dense_reason;
  std::printf("%s; cameras %s\n", r.dense->choice.reason.c_str(),
              std::string(to_string(r.dense->cameras)).c_str());
  Errors errors;
  for (int y = 0; y < truth.height; ++y) {
    for (int x = 0; x < truth.width; ++x) {
      const float z = r.dense->depth.depth.at(x, y);
      if (truth.at(x, y) == 0 || std::isnan(z)) continue;
      errors.add(z, r.dense->depth.deviation.at(x, y), 1.0 / truth.at(x, y));
    }
  }
  std::printf("depth of %.1f %% of the pixels with truth\n",
              100 * double(errors.count()) / (truth.width * truth.height));
  EXPECT_GT(errors.count(), 0.5 * truth.width * truth.height);
  EXPECT_LT(errors.report("fountain23", errors.stretch()), 1.5);
}

struct View {
  ImageU8 image;
  Intrinsics K;
  Matrix3 world_from_camera;
  Eigen::Vector3d centre;
};
// Reads an image of half the size for which its camera was measured.
View read_view(const std::string& set, const std::string& name) {
  View v{read_image(test::data("collections/" + set + "/" + name + ".jpg")), {}, {}, {}};
  std::ifstream in(test::data("strecha/" + set + "/" + name + ".jpg.camera"));
  Matrix3 K;
  double zero = 0;
  for (double& x : K.reshaped<Eigen::RowMajor>()) in >> x;
  for (int i = 0; i < 3; ++i) in >> zero;
  for (double& x : v.world_from_camera.reshaped<Eigen::RowMajor>()) in >> x;
  for (double& x : v.centre) in >> x;
  v.K = {0.5 * K(0, 0), 0.5 * K(1, 1), (K(0, 2) + 0.5) / 2 - 0.5, (K(1, 2) + 0.5) / 2 - 0.5};
  return v;
}

// Returns the pose of camera b relative to camera a, t in metres.
Pose relative(const View& a, const View& b) {
  Pose pose;
  Eigen::Map<Matrix3> R(pose.R.data());
  R = b.world_from_camera.transpose() * a.world_from_camera;
  Eigen::Map<Eigen::Vector3d>(pose.t.data()) =
      b.world_from_camera.transpose() * (a.centre - b.centre);
  return pose;
}

struct Case {
  const char *set, *one, *two, *third;

  friend void PrintTo(const Case& c, std::ostream* out) {
    *out << c.set << " " << c.one << "-" << c.two << " by " << c.third;
  }
};
class ThirdView : public testing::TestWithParam<Case> {};

TEST_P(ThirdView, agrees_with_the_depth_of_the_pair) {
  const Case c = GetParam();
  BIFOCAL_NEEDS_DATA(std::string("collections/") + c.set);
  const View one = read_view(c.set, c.one), two = read_view(c.set, c.two),
             third = read_view(c.set, c.third);
  PairOptions options;
  options.camera1 = one.K;
  options.camera2 = two.K;
  const PairResult r = estimate_pair(one.image, two.image, options);
  ASSERT_TRUE(r.dense.has_value()) << r.dense_reason;
  const Features own = detect_sift(one.image), other = detect_sift(third.image);
  const std::vector<PointPair> points = matched_points(own, other, match(own, other));
  const RelativePoseResult inliers =
      estimate_relative_pose(ModelKind::essential, points, {.cameras = std::array{one.K, third.K}});
  const std::vector<Vec3> truth = triangulate(points, one.K, third.K, relative(one, third));
  const double baseline = (one.centre - two.centre).norm();
  Errors errors;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const int x = int(std::lround(points[i].x1)), y = int(std::lround(points[i].y1));
    const float z = r.dense->depth.depth.at(x, y);
    if (!inliers.inliers[i] || std::isnan(z) || std::isnan(truth[i][2])) continue;
    errors.add(z * baseline, r.dense->depth.deviation.at(x, y) * baseline, truth[i][2]);
  }
  const std::string name = std::string(c.set) + " " + c.one + "-" + c.two + " by " + c.third;
  std::printf("%s\n", r.dense->choice.reason.c_str());
  ASSERT_GT(errors.count(), 100U);
  EXPECT_LT(errors.report(name.c_str(), 1), 1);
}

INSTANTIATE_TEST_SUITE_P(, ThirdView,
                         testing::Values(Case{"fountain-P11", "0004", "0005", "0006"},
                                         Case{"Herz-Jesus-P8", "0003", "0004", "0005"}));

}  // namespace
}  // namespace bifocal
