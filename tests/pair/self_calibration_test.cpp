// SPDX-License-Identifier: BSD-3-Clause
// Self-calibration estimates the lens and the focal length of a camera that is not given, from the
// matches alone: photographs with measured cameras (Strecha et al., CVPR 2008), unchanged and
// distorted by the division model.
#include <gtest/gtest.h>
#include <bifocal/camera.hpp>
#include <bifocal/io.hpp>
#include <bifocal/rectify.hpp>
#include <bifocal/two_photographs.hpp>

#include <cmath>
#include <cstdio>

#include "support/data.hpp"
#include "support/long_tests.hpp"
#include "support/needs_problem.hpp"

namespace bifocal {
namespace {

// Focal length in px for images of half size. The principal point is 7 and 8 px off the centre, so
// estimated focal lengths are 3 to 4 % too short.
constexpr double kFountainFocal = 2759.48 / 2;

// Returns the photograph as a camera with the distortion k sees it, k in units of half the
// diagonal; the corners stay in place.
ImageU8 through_lens(const ImageU8& photograph, double k) {
  const double unit = std::hypot(photograph.width, photograph.height) / 2,
               cx = (photograph.width - 1) / 2.0, cy = (photograph.height - 1) / 2.0;
  SamplingMap map{photograph.width, photograph.height, photograph.width, photograph.height, {}, {}};
  for (int y = 0; y < map.height; ++y) {
    for (int x = 0; x < map.width; ++x) {
      const double dx = x - cx, dy = y - cy, r = std::hypot(dx, dy) / unit;
      const double s = (1 + k) / (1 + k * r * r);
      const double u = cx + s * dx, v = cy + s * dy;
      const bool in = u >= 0 && v >= 0 && u <= map.width - 1 && v <= map.height - 1;
      map.x.push_back(in ? static_cast<int>(256 * u) : -1);
      map.y.push_back(in ? static_cast<int>(256 * v) : -1);
    }
  }
  Queue queue;
  return Remapper(queue, map)(queue, photograph);
}

ImageU8 fountain(const char* view) {
  return read_image(test::data(std::string("collections/fountain-P11/") + view + ".jpg"));
}

TEST(SelfCalibration, of_a_wide_lens_has_its_distortion_and_focal_length) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::radial_fundamental);
  BIFOCAL_NEEDS_DATA("collections/fountain-P11");
  const ImageU8 one = fountain("0004"), two = fountain("0005");
  const PairResult straight = estimate_pair(one, two, {.dense = false});
  for (const double k :
       test::short_or_long<std::vector<double>>({-0.3}, {-0.3, -0.1, -0.03, 0.05})) {
    const PairResult r = estimate_pair(through_lens(one, k), through_lens(two, k));
    ASSERT_EQ(r.outcome, Outcome::ok) << r.reason;
    ASSERT_EQ(r.kind, ModelKind::radial_fundamental) << k << ": " << r.reason;
    std::printf("k = %g: %.4f +- %.4f, f %.0f +- %.0f (true %.0f); %d inliers, without lens %d\n",
                k, r.estimated_camera.distortion, r.estimated_camera.distortion_deviation,
                r.estimated_camera.focal_length, r.estimated_camera.focal_deviation,
                kFountainFocal / (1 + k), r.estimate.num_inliers, straight.estimate.num_inliers);
    EXPECT_NEAR(r.estimated_camera.distortion, k, 0.01);
    EXPECT_GT(r.estimate.num_inliers, 0.7 * straight.estimate.num_inliers);
    // The centre of the distorted image is magnified by 1 / (1 + k).
    EXPECT_NEAR(r.estimated_camera.focal_length, kFountainFocal / (1 + k), 0.07 * kFountainFocal);
    ASSERT_TRUE(r.undistorted && r.cam2_from_cam1 && r.dense) << r.dense_reason;
    EXPECT_EQ(r.undistorted->points.size(), r.points.size());
    EXPECT_EQ(r.triangulated.size(), r.points.size());
    EXPECT_EQ(r.dense->cameras, CameraSource::estimated);
    EXPECT_EQ(r.dense->depth.depth.width, r.undistorted->image1.width);
    EXPECT_GT(r.dense->cloud.size(), 100000u);
    int known = 0, outside = 0;
    for (std::size_t i = 0; i < r.undistorted->inside.pixels.size(); ++i) {
      if (std::isnan(r.dense->depth.depth.pixels[i])) continue;
      ++known;
      outside += r.undistorted->inside.pixels[i] == 0;
    }
    EXPECT_GT(known, 0.4 * double(r.undistorted->inside.pixels.size()));
    EXPECT_LE(outside, known / 1000);
    // F of the undistorted images holds at the undistorted points.
    int held = 0;
    for (std::size_t i = 0; i < r.points.size(); ++i) {
      const auto& [x1, y1, x2, y2] = r.undistorted->points[i];
      const Vec3 line = times(r.undistorted->F, Vec3{x1, y1, 1});
      const double distance =
          std::abs(line[0] * x2 + line[1] * y2 + line[2]) / std::hypot(line[0], line[1]);
      held += r.estimate.inliers[i] && distance < 4;
    }
    EXPECT_GT(held, 0.98 * r.estimate.num_inliers);
  }
}

// The castle's photographs are unchanged, so the estimated lens must be the same in all pairs.
TEST(SelfCalibration, of_a_real_lens_is_the_same_in_every_pair) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::radial_fundamental);
  BIFOCAL_NEEDS_DATA("collections/sceaux");
  for (const auto& [first, second] : {std::pair{0, 1}, {2, 4}, {5, 6}, {7, 8}}) {
    const auto view = [](int k) {
      return read_image(test::data("collections/sceaux/100_710" + std::to_string(k) + ".JPG"));
    };
    const PairResult r = estimate_pair(view(first), view(second), {.dense = false});
    ASSERT_EQ(r.kind, ModelKind::radial_fundamental) << first << ": " << r.reason;
    std::printf("%d-%d: %.4f +- %.4f, f %.0f +- %.0f\n", first, second,
                r.estimated_camera.distortion, r.estimated_camera.distortion_deviation,
                r.estimated_camera.focal_length, r.estimated_camera.focal_deviation);
    EXPECT_NEAR(r.estimated_camera.distortion, -0.058, 0.012);
  }
}

// If the focal length is given, for example by EXIF, only the lens is estimated.
TEST(SelfCalibration, with_a_given_focal_length_estimates_the_lens) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::radial_fundamental);
  BIFOCAL_NEEDS_DATA("collections/fountain-P11");
  constexpr double k = -0.15, f = kFountainFocal / (1 + k);
  const ImageU8 one = through_lens(fountain("0004"), k), two = through_lens(fountain("0005"), k);
  const Intrinsics camera{f, f, (one.width - 1) / 2.0, (one.height - 1) / 2.0};
  PairOptions options{.camera1 = camera, .camera2 = camera, .escalate = false, .dense = false};
  const PairResult bent = estimate_pair(one, two, options);
  EXPECT_EQ(bent.estimated_camera.distortion, 0);
  options.lens_is_unknown = options.dense = true;
  const PairResult r = estimate_pair(one, two, options);
  ASSERT_EQ(r.kind, ModelKind::essential) << r.reason;
  std::printf("%d inliers, %d with the lens: %.4f +- %.4f\n", bent.estimate.num_inliers,
              r.estimate.num_inliers, r.estimated_camera.distortion,
              r.estimated_camera.distortion_deviation);
  EXPECT_NEAR(r.estimated_camera.distortion, k, 0.01);
  EXPECT_GT(r.estimate.num_inliers, 1.05 * bent.estimate.num_inliers);
  ASSERT_TRUE(r.undistorted && r.dense) << r.dense_reason;
  EXPECT_EQ(r.dense->cameras, CameraSource::given);
  EXPECT_NEAR(r.dense->camera1.fx, r.undistorted->scale * f, 1e-9);
}

// The guided round is skipped if a lens is estimated, because its epipolar lines would be straight.
TEST(SelfCalibration, keeps_its_lens_with_guided_matching) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::radial_fundamental);
  BIFOCAL_NEEDS_DATA("collections/fountain-P11");
  const ImageU8 one = through_lens(fountain("0004"), -0.3),
                two = through_lens(fountain("0005"), -0.3);
  const PairResult plain = estimate_pair(one, two, {.dense = false}),
                   guided = estimate_pair(one, two, {.guided = true, .dense = false});
  EXPECT_EQ(guided.kind, ModelKind::radial_fundamental);
  EXPECT_EQ(guided.estimate.inliers, plain.estimate.inliers);
  EXPECT_EQ(guided.points.size(), guided.estimate.inliers.size());
}

TEST(SelfCalibration, without_a_lens_estimates_none) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::shared_focal);
  BIFOCAL_NEEDS_DATA("collections/fountain-P11");
  const ImageU8 one = fountain("0004"), two = fountain("0005");
  const PairResult r = estimate_pair(one, two, {.dense = false});
  ASSERT_EQ(r.kind, ModelKind::fundamental) << r.reason;
  EXPECT_EQ(r.estimated_camera.distortion, 0);
  EXPECT_FALSE(r.undistorted);
  std::printf("f %.0f +- %.0f (true %.0f)\n", r.estimated_camera.focal_length,
              r.estimated_camera.focal_deviation, kFountainFocal);
  EXPECT_NEAR(r.estimated_camera.focal_length, kFountainFocal, 0.05 * kFountainFocal);
  EXPECT_TRUE(r.cam2_from_cam1);
}

TEST(SelfCalibration, is_skipped_if_a_camera_or_the_model_is_given) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::shared_focal);
  BIFOCAL_NEEDS_DATA("collections/fountain-P11");
  const ImageU8 one = through_lens(fountain("0004"), -0.3),
                two = through_lens(fountain("0005"), -0.3);
  const PairResult asked =
      estimate_pair(one, two, {.kind = ModelRequest::fundamental, .dense = false});
  EXPECT_EQ(asked.kind, ModelKind::fundamental);
  EXPECT_EQ(asked.estimated_camera.distortion, 0);
  const Intrinsics known{2000, 2000, 767.5, 511.5};
  const PairResult given = estimate_pair(one, two, {.camera1 = known, .dense = false});
  EXPECT_EQ(given.estimated_camera.distortion, 0);
  EXPECT_EQ(given.estimated_camera.focal_length, 0);
}

}  // namespace
}  // namespace bifocal
