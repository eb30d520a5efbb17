// SPDX-License-Identifier: BSD-3-Clause
// From pixels to a homography without downloads, by SURF and by SIFT: every device is compared with
// the CPU's separate calls and with the truth.
#include <bifocal/verify_pairs.hpp>
#include <bifocal/features.hpp>
#include <bifocal/two_view.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "features/pictures.hpp"
#include "support/devices.hpp"

namespace bifocal::test {
namespace {

constexpr int kWidth = 320, kHeight = 240;

Vec2 mapped(const Mat3& H, double x, double y) {
  const double w = H[6] * x + H[7] * y + H[8];
  return {(H[0] * x + H[1] * y + H[2]) / w, (H[3] * x + H[4] * y + H[5]) / w};
}

// Returns the largest distance at a corner of the image.
double corner_distance(const Mat3& A, const Mat3& B) {
  double worst = 0;
  for (const double x : {0.0, kWidth - 1.0}) {
    for (const double y : {0.0, kHeight - 1.0}) {
      const Vec2 a = mapped(A, x, y), b = mapped(B, x, y);
      worst = std::max(worst, std::hypot(a[0] - b[0], a[1] - b[1]));
    }
  }
  return worst;
}

struct Scene {
  Mat3 H{1.05, -0.12, 14, 0.12, 1.05, -9, 4e-5, -3e-5, 1};
  ImageU8 grey[2];
  std::vector<std::uint8_t> rgb;  // both images, as uploaded
};

// Makes an image of blobs and an image of the moved blobs, in grey stored as RGB.
Scene scene() {
  Scene s;
  std::vector<Blob> blobs = random_blob_list(kWidth, kHeight, 3);
  s.grey[0] = blob_image(kWidth, kHeight, blobs);
  for (Blob& b : blobs) {
    const Vec2 p = mapped(s.H, b.x, b.y);
    b.x = p[0], b.y = p[1], b.sigma *= std::sqrt(1.05 * 1.05 + 0.12 * 0.12);
  }
  s.grey[1] = blob_image(kWidth, kHeight, blobs);
  for (const ImageU8& image : s.grey)
    for (const std::uint8_t v : image.pixels) s.rgb.insert(s.rgb.end(), {v, v, v});
  return s;
}

EstimateResult through_the_host(const Features& one, const Features& two) {
  return estimate(ModelKind::homography, matched_points(one, two, match(one, two)));
}

// Computes the homography from pixels in device memory.
template <class Detector, class Options>
EstimateResult resident(Queue& queue, const Buffer<std::uint8_t>& pixels, const Options& options) {
  Detector detector(queue, kWidth, kHeight, options, 2);
  FeatureSet set(queue.device());
  (void)detector.add(pixels, 2, set, 3);
  const std::vector<ImagePair> pairs = {{0, 1}};
  DeviceMatches found;
  match(queue, set, pairs, {}, found);
  return single_result(estimate_batch(
      queue, ModelKind::homography, found.points,
      {.offsets = found.offsets,
       .options = one_pair_options(ModelKind::homography, std::size_t(found.offsets.back()), {})}));
}

void expect_near(const EstimateResult& there, const EstimateResult& here, const Scene& s,
                 const std::string& what) {
  ASSERT_EQ(here.outcome, Outcome::ok) << what;
  ASSERT_EQ(there.outcome, Outcome::ok) << what;
  const double off = corner_distance(there.model, here.model),
               error = corner_distance(there.model, s.H);
  std::printf(
      "%s: %d of %zu inliers, the CPU's %d of %zu; corners %.2g px from the CPU's, %.2f px "
      "from the truth\n",
      what.c_str(), there.num_inliers, there.inliers.size(), here.num_inliers, here.inliers.size(),
      off, error);
  // One feature in 200 may appear or vanish at a threshold (features.hpp).
  const double few = 1 + 0.02 * double(here.inliers.size());
  EXPECT_NEAR(double(there.inliers.size()), double(here.inliers.size()), few) << what;
  EXPECT_NEAR(there.num_inliers, here.num_inliers, few) << what;
  EXPECT_GT(there.num_inliers, 100) << what;
  EXPECT_LT(off, 0.1) << what;
  EXPECT_LT(error, 0.5) << what;
}

TEST(Resident, surf_gives_a_homography_on_every_device) {
  const Scene s = scene();
  const SurfOptions options{.upsample = true};
  const EstimateResult here =
      through_the_host(detect_surf(s.grey[0], options), detect_surf(s.grey[1], options));
  for_each_device([&](Queue& queue, const std::string& id) {
    Buffer<std::uint8_t> pixels(queue.device(), s.rgb.size());
    pixels.upload(queue, s.rgb);
    expect_near(resident<SurfDetector>(queue, pixels, options), here, s, "SURF, " + id);
  });
}

TEST(Resident, sift_gives_a_homography_on_every_device) {
  const Scene s = scene();
  const EstimateResult here = through_the_host(detect_sift(s.grey[0]), detect_sift(s.grey[1]));
  for_each_device([&](Queue& queue, const std::string& id) {
    Buffer<std::uint8_t> pixels(queue.device(), s.rgb.size());
    pixels.upload(queue, s.rgb);
    expect_near(resident<SiftDetector>(queue, pixels, SiftOptions{}), here, s, "SIFT, " + id);
  });
}

}  // namespace
}  // namespace bifocal::test
