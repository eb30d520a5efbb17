// SPDX-License-Identifier: BSD-3-Clause
// Dense stereo matching of a rectified pair (rectify.hpp).
//
// The disparity is d = x_left - x_right in px: the left pixel (x, y) appears at (x - d, y) in the
// right image. Unknown disparities are NaN.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <bifocal/device.hpp>
#include <bifocal/fields.hpp>
#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>
#include <bifocal/io.hpp>
#include <bifocal/rectify.hpp>

namespace bifocal {

// How pixels without an accepted match get a disparity.
enum class Fill {
  none,        // they remain unknown, NaN
  background,  // the smaller of the nearest known disparities left and right in the row, because
               // pixels visible to one camera only belong to the background; or the second smallest
               // of the nearest disparities in eight directions if that is larger, so that a single
               // outlier does not spread
  mean,    // the mean of the known disparities in a window around the pixel, repeated until every
           // pixel has one, as in the first OpenCL system
  planes,  // on the plane that fits the known disparities of the same flat region of the left image
           // best, if enough known disparities lie on it; otherwise like `background`
};
inline constexpr std::string_view kFillWords[] = {"none", "background", "mean", "planes"};

// Filters applied to the disparity map, in this order.
struct DisparityFilter {
  double cross_check = 1;
  int uniqueness = 0;
  int median = 5;
  int speckle_size = 100;
  double speckle_range = 2;
  Fill fill = Fill::planes;
  int fill_window = 15;
};
constexpr const char* name_of(const DisparityFilter&) { return "DisparityFilter"; }
template <MaybeConst<DisparityFilter> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [cross_check, uniqueness, median, speckle_size, speckle_range, fill, fill_window] = options;
  BIFOCAL_FIELD(cross_check,
                "largest difference of the disparities of both directions; negative: no check", {},
                "px");
  BIFOCAL_FIELD(uniqueness, "percentage by which a match must be better than the best elsewhere",
                Range::within(0, 99));
  BIFOCAL_FIELD(median, "side of the median filter over known neighbours; 0: no filter",
                Range::one_of({0, 3, 5}), "px");
  BIFOCAL_FIELD(speckle_size, "regions with fewer pixels become unknown; 0: keep all regions",
                Range::within(0, 1 << 30), "px");
  BIFOCAL_FIELD(speckle_range, "largest difference between neighbours in one region",
                Range::at_least(0), "px");
  BIFOCAL_FIELD(fill, "how unknown pixels get a disparity", Range::one_of(kFillWords));
  BIFOCAL_FIELD(fill_window, "side of the window for the mean", Range::odd(3, 31), "px");
}
inline constexpr Range kDisparityStarts = Range::within(-(1 << 20), 1 << 20);
inline constexpr Range kDisparityCounts = Range::within(1, 1024);

// Options of block matching.
struct SsdOptions {
  int min_disparity = 0;
  int disparities = 64;
  int window = 15;
  // By default no median and no speckle filter. Assigning a member, as in o.filter.fill = ...,
  // keeps the other defaults; a new DisparityFilter{...} replaces the defaults. Block matching
  // has no uniqueness test: uniqueness must be 0.
  DisparityFilter filter{.median = 0, .speckle_size = 0, .fill = Fill::background};
};
constexpr const char* name_of(const SsdOptions&) { return "SsdOptions"; }
template <MaybeConst<SsdOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [min_disparity, disparities, window, filter] = options;
  BIFOCAL_FIELD(min_disparity, "first disparity of the search", kDisparityStarts, "px");
  BIFOCAL_FIELD(
      disparities,
      "number of disparities in the search: min_disparity to min_disparity + disparities - 1",
      kDisparityCounts);
  BIFOCAL_FIELD(window, "side of the square window", Range::odd(3, 31), "px");
  BIFOCAL_FIELD(filter, "filters of the disparity map");
}

// Census codes of the 9 x 7 neighbourhood of a pixel, compared by the number of different bits.
enum class Census {
  sparse,     // every second neighbour is compared with the centre: 31 bits
  symmetric,  // opposite neighbours are compared: 31 bits
  full,       // every neighbour is compared with the centre: 62 bits
};
inline constexpr std::string_view kCensusWords[] = {"sparse", "symmetric", "full"};

// Semi-global matching of census codes.
//   H. Hirschmueller, PAMI 30(2), 2008;  R. Zabih, J. Woodfill, ECCV 1994.
// All computations use integers, so results have the same bits on every device, for any number of
// threads and any max_memory. A pixel is unknown if two disparities that are not neighbours are
// equally good. All pixels are unknown if almost none has a unique best disparity, as in images
// without texture or with repetition from border to border. The defaults are the same for all
// images; docs/stereo.md explains their choice.
struct SgmOptions {
  int min_disparity = 0;
  int disparities = 128;
  Census census = Census::sparse;
  int paths = 8;  // 4 paths take 3/4 of the time
  int P1 = 9;
  int P2 = 60;  // up to 190 the costs of a path fit into a byte, also with 62-bit costs
  // A difference of g levels of 255 reduces P2 to P2 contrast / (contrast + g).
  int P2_contrast = 11;
  int vertical_tolerance = 0;
  int white = 0;
  // As in SsdOptions, a new DisparityFilter{...} replaces these defaults by its own.
  DisparityFilter filter{.uniqueness = 5};
  std::size_t max_memory = 0;
};
constexpr const char* name_of(const SgmOptions&) { return "SgmOptions"; }
template <MaybeConst<SgmOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [min_disparity, disparities, census, paths, P1, P2, P2_contrast, vertical_tolerance, white,
         filter, max_memory] = options;
  BIFOCAL_FIELD(min_disparity, "first disparity of the search", kDisparityStarts, "px");
  BIFOCAL_FIELD(
      disparities,
      "number of disparities in the search: min_disparity to min_disparity + disparities - 1",
      kDisparityCounts);
  BIFOCAL_FIELD(census, "census code of the 9 x 7 neighbourhood, with 31, 31 or 62 bits",
                Range::one_of(kCensusWords));
  BIFOCAL_FIELD(paths, "8, or 4: rows and columns only, faster", Range::one_of({4, 8}));
  BIFOCAL_FIELD(P1, "cost of a disparity step of 1 between neighbours", Range::within(0, 190),
                "bits");
  BIFOCAL_FIELD(P2, "cost of a larger step between neighbours of equal brightness, at least P1",
                Range::within(0, 190), "bits");
  BIFOCAL_FIELD(P2_contrast, "difference in brightness that halves P2; 0: constant P2",
                Range::within(0, 1 << 16), "levels of 255");
  BIFOCAL_FIELD(vertical_tolerance,
                "largest vertical offset of rows if the rectification is not exact",
                Range::within(0, 2), "px");
  BIFOCAL_FIELD(white, "brightest value of the images; 0: 255, or 65535 for 16 bits",
                Range::within(0, 65535));
  BIFOCAL_FIELD(filter, "filters of the disparity map");
  BIFOCAL_FIELD(max_memory, "memory limit of the matcher; 0: no limit", {}, "bytes");
}

// Result of dense stereo.
struct DisparityMap {
  ImageF raw;     // after all checks and filters; unknown is NaN
  ImageF filled;  // every pixel has a value, unless `raw` is completely unknown or fill is none
  ImageU8 confidence;  // 1 to 255, margin of the winner; 0: unknown. Empty for SSD
  double density = 0;  // percentage of known pixels in `raw`
};

// Returns a reason to doubt the disparities of a search of [min_disparity, min_disparity +
// disparities) px: fewer than a tenth of the pixels are known, or most known disparities lie at an
// end of the search. Empty without a reason.
[[nodiscard]] std::string disparity_doubt(const DisparityMap& disparity, int min_disparity,
                                          int disparities);

// Matches a rectified pair by the sum of squared differences over a square window. Running sums
// compute both directions in one sweep, so the time does not depend on the window. The images must
// be grey and have one size.
// - Windows: rows outside the images are left out; columns outside repeat the column at the border.
// - Search: over disparities whose right pixel is inside the image. Of two equally good neighbours
// the smaller disparity wins; with other ties the pixel is unknown, and so is a pair without
// texture (docs/stereo.md).
// - Sub-pixel disparities come from a parabola, to 1/32 px.
// - Cross-check: a pixel is unknown unless the right image's winner at x - d is within cross_check
// of d. Results are the same on every machine and device and for any number of threads, because all
// computations use integers. Throws Error(usage) with the option that is out of its range, and for
// images of different sizes.
[[nodiscard]] DisparityMap stereo_ssd(ImageView<const std::uint8_t> left,
                                      ImageView<const std::uint8_t> right,
                                      const SsdOptions& options = {});
// Computes on the queue's device, with the same result, and returns when it is available.
[[nodiscard]] DisparityMap stereo_ssd(Queue& queue, ImageView<const std::uint8_t> left,
                                      ImageView<const std::uint8_t> right,
                                      const SsdOptions& options = {});

// Matches a rectified pair by semi-global matching. The images have 8 or 16 bits and 1 channel
// (grey), or 3 or 4 channels (RGB or RGBA) that are converted by to_grey. Throws Error(usage) with
// the argument that is out of range or does not match.
[[nodiscard]] DisparityMap stereo_sgm(ImageView<const std::uint8_t> left,
                                      ImageView<const std::uint8_t> right,
                                      const SgmOptions& options = {});
[[nodiscard]] DisparityMap stereo_sgm(ImageView<const std::uint16_t> left,
                                      ImageView<const std::uint16_t> right,
                                      const SgmOptions& options = {});

// Computes on the queue's device, with the same result, and returns when it is available. For
// several pairs use a StereoMatcher.
[[nodiscard]] DisparityMap stereo_sgm(Queue& queue, ImageView<const std::uint8_t> left,
                                      ImageView<const std::uint8_t> right,
                                      const SgmOptions& options = {});
[[nodiscard]] DisparityMap stereo_sgm(Queue& queue, ImageView<const std::uint16_t> left,
                                      ImageView<const std::uint16_t> right,
                                      const SgmOptions& options = {});

// Output of StereoMatcher::run: maps as in DisparityMap, [height][width] in memory accessible to
// the queue's device. Null: not stored.
struct StereoOutput {
  Memory<float> raw{}, filled{};
  Memory<std::uint8_t> confidence{};
};

namespace stereo {
template <class Pixel>
class PairMatcher;
}  // namespace stereo

// Matches pairs of one size one after another, by stereo_sgm, or by stereo_ssd if it is constructed
// with SsdOptions, with the same bits on every device. Memory is allocated at construction and with
// the first pairs only. On a CPU this requires that later pairs use no more threads than the first
// pairs, and colour images need memory for their grey.
//
//   Queue queue(Device("cuda:0"));
//   StereoMatcher matcher(queue, 1920, 1080, {.disparities = 128});
//   DisparityMap map = matcher(left, right);              // one pair of the host
//
//   matcher.run(left_on_device, right_on_device, {.filled = map_on_device});   // asynchronous
//
//   matcher.submit(camera.left(), camera.right());        // a stream of pairs of the host
//   while (camera.grab()) {
//     matcher.submit(camera.left(), camera.right());      // its copies overlap the work before it
//     matcher.next(map);                                  // of the pair before this one
//   }
//   matcher.next(map);
//
// A matcher must not be used from two threads simultaneously. Several matchers may share a device
// and a queue.
class StereoMatcher {
 public:
  // Allocates memory for images of width x height px with 8 or 16 bits. The queue must outlive the
  // matcher. Throws Error(usage) with the option that is out of range, or with max_memory if it
  // does not suffice, and Error(device) if device memory is insufficient.
  StereoMatcher(Queue& queue, int width, int height, const SgmOptions& options = {}, int bits = 8);
  // Makes a block matcher for 8 bits. (A template, so that braces mean SgmOptions.)
  template <std::same_as<SsdOptions> Options>
  StereoMatcher(Queue& queue, int width, int height, const Options& options)
      : StereoMatcher(Ssd(), queue, width, height, options) {}
  ~StereoMatcher();  // waits
  StereoMatcher(StereoMatcher&&) noexcept;
  StereoMatcher& operator=(StereoMatcher&&) noexcept;

  // Returns the device memory of the matcher in bytes. On a GPU a pixel takes about (paths + 1)
  // disparities bytes, on a CPU 2 disparities, or less with max_memory. SSD takes 10 to 40.
  [[nodiscard]] std::size_t memory() const;

  // Matches grey images [height][width] without gaps between rows, in memory of the queue's device
  // (on a CPU also host memory), and writes the maps to `out`. Runs in the queue's order,
  // asynchronously except on a CPU. On CUDA, from the third run with the same memory on, the work
  // is launched as one graph; for this the matcher keeps the memory of its last runs alive. Throws
  // Error(usage) for memory that is null, too small or on the host, for a confidence of SSD, and
  // while a stream of pairs is running.
  void run(const Memory<const std::uint8_t>& left, const Memory<const std::uint8_t>& right,
           const StereoOutput& out);
  void run(const Memory<const std::uint16_t>& left, const Memory<const std::uint16_t>& right,
           const StereoOutput& out);

  // Matches images in host memory with 1 channel, or with 2 to 4 channels converted by to_grey.
  // Throws Error(usage) if their size or bits differ from the matcher's.
  [[nodiscard]] DisparityMap operator()(ImageView<const std::uint8_t> left,
                                        ImageView<const std::uint8_t> right);
  [[nodiscard]] DisparityMap operator()(ImageView<const std::uint16_t> left,
                                        ImageView<const std::uint16_t> right);

  // Processes a stream of pairs: submit() copies a pair and starts its work; next() waits for the
  // oldest pair and stores its maps in `map`, reusing its memory. At most two pairs may be in
  // progress: submit() throws Error(usage) for a third, and next() without any.
  void submit(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right);
  void submit(ImageView<const std::uint16_t> left, ImageView<const std::uint16_t> right);
  void next(DisparityMap& map);
  [[nodiscard]] int pending() const;

 private:
  struct Ssd {};
  StereoMatcher(Ssd method, Queue& queue, int width, int height, const SsdOptions& options);
  template <class Pixel>
  stereo::PairMatcher<Pixel>& matcher();
  std::unique_ptr<stereo::PairMatcher<std::uint8_t>> matcher8_;  // one of the two
  std::unique_ptr<stereo::PairMatcher<std::uint16_t>> matcher16_;
};

// Accuracy of a disparity map against ground truth. Raw figures count pixels with a value; in
// filled figures a pixel without a value counts as bad. A figure is NaN if no pixel was counted.
struct StereoScore {
  double density = 0;  // per cent of the scored pixels
  double bad1 = 0, bad2 = 0,
         avgerr = 0;  // errors above 1 px and 2 px in per cent, mean absolute error in px
  double bad1_filled = 0, bad2_filled = 0, avgerr_filled = 0;
  std::int64_t scored = 0;  // number of pixels
};
// Compares a disparity map with the ground truth, in which unknown pixels are NaN. Counts pixels
// whose mask is 255 (without a mask: all pixels).
[[nodiscard]] StereoScore score_disparity(const DisparityMap& disparity,
                                          ImageView<const float> truth,
                                          ImageView<const std::uint16_t> mask = {});

// Returns the 3-D points of all known pixels in the frame of the left camera: Z = baseline fx / (d
// + doffs) with doffs = cx_right - cx_left. `colour` is the left image, grey or RGB. Pixels with d
// + doffs <= 0 are left out.
[[nodiscard]] std::vector<CloudPoint> disparity_to_cloud(ImageView<const float> disparity,
                                                         ImageView<const std::uint8_t> colour,
                                                         const Intrinsics& left, double doffs,
                                                         double baseline);

// Depth of the original photograph's pixels from disparities:
//
//   const DenseMatches seen = dense_matches(rectification, disparity.raw);
//   const DepthMap map = depth_map(seen, camera1, camera2, cam2_from_cam1);
//   const auto cloud = depth_to_cloud(map.depth, photograph, camera1);
//
// For each pixel of the photograph of side 0, [height][width], the corresponding position in the
// photograph of side 1. Side 0 is image 2 if the rectification `is_swapped`.
struct DenseMatches {
  ImageF x, y;              // px; NaN: unknown
  ImageF dx, dy;            // px by which (x, y) moves as the disparity grows by 1 px
  bool is_swapped = false;  // as of the rectification: the pixels are those of image 2
};

// Converts a disparity map to correspondences between pixels of the photographs.
//
// disparity: [height][width], of the left rectified image, unknown NaN. Interpolates between four
// known pixels if they are within 2 px of each other. A pixel that covers many polar rows, as near
// an epipole, gets the median of their known disparities. Lenses are ignored: pixels belong to the
// undistorted photographs. Throws Error(usage) if the sizes differ.
[[nodiscard]] DenseMatches dense_matches(const Rectification& rectification,
                                         ImageView<const float> disparity);

// Cameras and pose with one independent quantity changed by one standard deviation (noise of the
// pose, or an assumed camera parameter), and the consequences of this change.
struct DeviatingGeometry {
  Intrinsics camera1, camera2;  // px
  Pose cam2_from_cam1;          // |t| = 1
};

struct DepthOptions {
  double disparity_deviation = 0.5;  // docs/stereo.md explains the measurement
  // Covariance of the pose as from covariance(), row-major [6][6] for w and t; empty: the pose
  // is exact.
  std::vector<double> pose_covariance = {};
  // Each geometry adds the square of its difference in depth to the variance; the baseline remains
  // the unit. PoseDeviation (two_photographs.hpp) provides them for a pair.
  std::vector<DeviatingGeometry> geometries = {};
  double max_deviation = 0.25;
};
constexpr const char* name_of(const DepthOptions&) { return "DepthOptions"; }
template <MaybeConst<DepthOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [disparity_deviation, pose_covariance, geometries, max_deviation] = options;
  BIFOCAL_FIELD(disparity_deviation, "standard deviation of a disparity in the rectified images",
                Range::at_least(0).finite(), "px");
  BIFOCAL_FIELD(pose_covariance, "covariance of the pose, 6 x 6");
  BIFOCAL_FIELD(geometries,
                "cameras and pose, each with one quantity changed by a standard deviation");
  BIFOCAL_FIELD(max_deviation,
                "largest deviation, as a fraction of the depth; less certain depths are unknown, "
                "as near an epipole",
                Range::above(0));
}
// Depth of an image.
struct DepthMap {
  ImageF depth;      // Z in the frame of its camera, in the unit of t; unknown is NaN
  ImageF deviation;  // standard deviation to first order, in the same unit
};
// Computes the depth of each matched pixel of camera 1: Z of the point on its ray whose image in
// camera 2 is nearest to the match. If the matches are swapped, the pixels, the rays and Z are
// those of camera 2; the arguments keep their order.
//
// Depth is unknown if the rays meet behind a camera or the deviation is too large (DepthOptions).
// The deviation includes only the disparity, the covariance of the pose and the given geometries.
// Throws Error(usage) for an invalid camera, t = 0, and an option out of its range.
[[nodiscard]] DepthMap depth_map(const DenseMatches& matches, const Intrinsics& camera1,
                                 const Intrinsics& camera2, const Pose& cam2_from_cam1,
                                 const DepthOptions& options = {});

// Returns the 3-D points of all known pixels, in the frame of the camera, of every `step`-th pixel
// in both directions. `colour` is the photograph, grey or RGB. Throws Error(usage) if the
// sizes differ.
[[nodiscard]] std::vector<CloudPoint> depth_to_cloud(ImageView<const float> depth,
                                                     ImageView<const std::uint8_t> colour,
                                                     const Intrinsics& camera, int step = 1);

}  // namespace bifocal
