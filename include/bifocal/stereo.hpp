// SPDX-License-Identifier: BSD-3-Clause
// Dense stereo by block matching, of a rectified pair (rectify.hpp).
//
// Disparity d = x_left - x_right, px: left pixel (x, y) is seen at (x - d, y) on the right. Unknown
// is NaN.
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

// This says how pixels that no match is believed of get a value.
enum class Fill {
  none,        // they stay unknown, NaN
  background,  // the smaller of the nearest known disparities left and right in the row: what only
               // one camera sees is background. The second smallest of the nearest in eight
               // directions where that is larger: a single stray one does not spread
  mean,    // the mean of the known ones in a window around the pixel, again and again until none
           // is left, as in the first OpenCL system
  planes,  // on the plane that best fits the known ones of the same flat region of the left
           // picture, where enough of them lie on one; elsewhere as `background`
};
inline constexpr std::string_view kFillWords[] = {"none", "background", "mean", "planes"};

// What happens to disparities after the winners are known, in this order.
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
  BIFOCAL_FIELD(cross_check, "largest difference of both directions; negative: no check", {}, "px");
  BIFOCAL_FIELD(uniqueness, "per cent by which a match must be better than the best elsewhere",
                Range::within(0, 99));
  BIFOCAL_FIELD(median, "side of the median filter over known neighbours; 0: none",
                Range::one_of({0, 3, 5}), "px");
  BIFOCAL_FIELD(speckle_size, "smaller regions become unknown; 0: none", Range::within(0, 1 << 30),
                "px");
  BIFOCAL_FIELD(speckle_range, "neighbours of one region differ by at most this",
                Range::at_least(0), "px");
  BIFOCAL_FIELD(fill, "how unknown pixels get a value", Range::one_of(kFillWords));
  BIFOCAL_FIELD(fill_window, "side of the window that the mean is taken over", Range::odd(3, 31),
                "px");
}
inline constexpr Range kDisparityStarts = Range::within(-(1 << 20), 1 << 20);
inline constexpr Range kDisparityCounts = Range::within(1, 1024);

struct SsdOptions {
  int min_disparity = 0;
  int disparities = 64;
  int window = 15;
  // Neither medians nor speckles unless they are asked for: o.filter.fill = ... keeps the rest, a
  // new DisparityFilter{...} brings its own defaults. Block matching has no uniqueness: 0.
  DisparityFilter filter{.median = 0, .speckle_size = 0, .fill = Fill::background};
};
constexpr const char* name_of(const SsdOptions&) { return "SsdOptions"; }
template <MaybeConst<SsdOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [min_disparity, disparities, window, filter] = options;
  BIFOCAL_FIELD(min_disparity, "start of the search", kDisparityStarts, "px");
  BIFOCAL_FIELD(disparities, "searched: min_disparity to min_disparity + disparities - 1",
                kDisparityCounts);
  BIFOCAL_FIELD(window, "side of the square window", Range::odd(3, 31), "px");
  BIFOCAL_FIELD(filter, "what happens to the disparities");
}

// These are codes of a pixel's neighbourhood of 9 x 7, compared bit by bit.
enum class Census {
  sparse,     // every other neighbour against the centre: 31 bits
  symmetric,  // neighbours that face each other: 31 bits
  full,       // every neighbour against the centre: 62 bits
};
inline constexpr std::string_view kCensusWords[] = {"sparse", "symmetric", "full"};

// Semi-global matching of census codes.
//   H. Hirschmueller, PAMI 30(2), 2008;  R. Zabih, J. Woodfill, ECCV 1994.
// Whole numbers throughout: the same bits on every device, for any number of threads and any
// max_memory. A pixel is unknown where two disparities that are no neighbours are equally good, and
// all are where (almost) no pixel has a disparity that fits its own neighbourhood best: pictures
// without texture, or that repeat themselves from border to border. One set of defaults for all
// pictures; docs/stereo.md has what they were chosen by.
struct SgmOptions {
  int min_disparity = 0;
  int disparities = 128;
  Census census = Census::sparse;
  int paths = 8;  // 4 take 3/4 of the time
  int P1 = 9;
  int P2 = 60;           // up to 190 a path's costs fit a byte, with 62 bits of cost too
  int P2_contrast = 11;  // a difference of g levels of 255 makes P2 P2 contrast / (contrast + g)
  int vertical_tolerance = 0;
  int white = 0;
  // As in SsdOptions, a new DisparityFilter{...} brings its own defaults.
  DisparityFilter filter{.uniqueness = 5};
  std::size_t max_memory = 0;
};
constexpr const char* name_of(const SgmOptions&) { return "SgmOptions"; }
template <MaybeConst<SgmOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [min_disparity, disparities, census, paths, P1, P2, P2_contrast, vertical_tolerance, white,
         filter, max_memory] = options;
  BIFOCAL_FIELD(min_disparity, "start of the search", kDisparityStarts, "px");
  BIFOCAL_FIELD(disparities, "searched: min_disparity to min_disparity + disparities - 1",
                kDisparityCounts);
  BIFOCAL_FIELD(census, "code of a neighbourhood of 9 x 7, of 31, 31 or 62 bits",
                Range::one_of(kCensusWords));
  BIFOCAL_FIELD(paths, "8, or 4: along rows and columns only, faster", Range::one_of({4, 8}));
  BIFOCAL_FIELD(P1, "cost of a step of one disparity between neighbours", Range::within(0, 190),
                "bits");
  BIFOCAL_FIELD(P2, "cost of a larger one where the brightness is the same, at least P1",
                Range::within(0, 190), "bits");
  BIFOCAL_FIELD(P2_contrast, "difference of brightness that halves P2; 0: P2 everywhere",
                Range::within(0, 1 << 16), "levels of 255");
  BIFOCAL_FIELD(vertical_tolerance, "rows may be apart by this where rectification is not exact",
                Range::within(0, 2), "px");
  BIFOCAL_FIELD(white, "brightest value of the pictures; 0: 255, or 65535 of 16 bits",
                Range::within(0, 65535));
  BIFOCAL_FIELD(filter, "what happens to the disparities");
  BIFOCAL_FIELD(max_memory, "most memory that the matcher takes; 0: any", {}, "bytes");
}

struct DisparityMap {
  ImageF raw;          // checked and filtered, unknown NaN
  ImageF filled;       // every pixel has a value, unless `raw` has none at all or fill is none
  ImageU8 confidence;  // 1 to 255, how far the winner is ahead; 0 unknown. Empty for SSD
  double density = 0;  // per cent of pixels known in `raw`
};

// Returns a reason to doubt the disparities of a search of [min_disparity, min_disparity +
// disparities) px, in words: less than a tenth of the pixels is known, or most of these are at an
// end of the search. Empty without one.
[[nodiscard]] std::string disparity_doubt(const DisparityMap& disparity, int min_disparity,
                                          int disparities);

// Sum of squared differences over a square window, both directions in one sweep by running sums
// (cost independent of the window), then the filters. Grey images of one size.
// - Windows: rows outside the images are left out; columns outside repeat the border's.
// - Search: disparities whose right pixel is inside the image; the smaller one of two equally good
//   neighbours. Other ties are unknown, and so are pairs without any texture (docs/stereo.md).
// - Sub-pixel by a parabola, to 1/32 px.
// - Cross-check: unknown unless the right image's winner at x - d is within cross_check of d.
// Integers throughout: the same result on every machine and device and for any number of threads.
// Throws Error(usage) naming the option on a value out of its range or images that differ in size.
[[nodiscard]] DisparityMap stereo_ssd(ImageView<const std::uint8_t> left,
                                      ImageView<const std::uint8_t> right,
                                      const SsdOptions& options = {});
// This computes on the queue's device, whatever it is, and returns when the result is there.
[[nodiscard]] DisparityMap stereo_ssd(Queue& queue, ImageView<const std::uint8_t> left,
                                      ImageView<const std::uint8_t> right,
                                      const SsdOptions& options = {});

// Semi-global matching; 8 or 16 bits, 1 channel grey or 3 and 4 channels RGB(A), which become grey
// (to_grey). Throws Error(usage) naming what does not fit.
[[nodiscard]] DisparityMap stereo_sgm(ImageView<const std::uint8_t> left,
                                      ImageView<const std::uint8_t> right,
                                      const SgmOptions& options = {});
[[nodiscard]] DisparityMap stereo_sgm(ImageView<const std::uint16_t> left,
                                      ImageView<const std::uint16_t> right,
                                      const SgmOptions& options = {});

// This computes on the queue's device, whatever it is, and returns when the result is there. A
// StereoMatcher is for more than one pair.
[[nodiscard]] DisparityMap stereo_sgm(Queue& queue, ImageView<const std::uint8_t> left,
                                      ImageView<const std::uint8_t> right,
                                      const SgmOptions& options = {});
[[nodiscard]] DisparityMap stereo_sgm(Queue& queue, ImageView<const std::uint16_t> left,
                                      ImageView<const std::uint16_t> right,
                                      const SgmOptions& options = {});

// Maps of StereoMatcher::run as DisparityMap has them, [height][width] in memory that the queue's
// device can reach. Null: not wanted.
struct StereoOutput {
  Memory<float> raw{}, filled{};
  Memory<std::uint8_t> confidence{};
};

namespace stereo {
template <class Pixel>
class PairMatcher;
}  // namespace stereo

// Matching of pairs of one size, one after the other: stereo_sgm, or stereo_ssd when it is made
// with SsdOptions, to the same bits on every device. Memory is taken once: when it is made, and
// with the first pairs. (On a CPU the first pairs are to be matched with as many threads as later
// ones, and colour takes memory for its grey.)
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
// Not for two threads at once; several matchers may share a device and a queue.
class StereoMatcher {
 public:
  // The queue lives longer than the matcher. bits: 8 or 16, of the pictures. Throws Error(usage)
  // naming an option out of its range, and max_memory when the work does not fit it; Error(device)
  // when the device has not enough memory.
  StereoMatcher(Queue& queue, int width, int height, const SgmOptions& options = {}, int bits = 8);
  // Block matching, of 8 bits. (A template, so that braces mean SgmOptions.)
  template <std::same_as<SsdOptions> Options>
  StereoMatcher(Queue& queue, int width, int height, const Options& options)
      : StereoMatcher(Ssd(), queue, width, height, options) {}
  ~StereoMatcher();  // waits
  StereoMatcher(StereoMatcher&&) noexcept;
  StereoMatcher& operator=(StereoMatcher&&) noexcept;

  // Bytes of the device's memory that the matcher takes. On a GPU each pixel takes about
  // (paths + 1) disparities bytes; on a CPU 2 disparities, or less with max_memory. SSD: 10 to 40.
  [[nodiscard]] std::size_t memory() const;

  // Grey pictures [height][width], rows without gaps, and maps in memory of the queue's device (on
  // a CPU also of the host). In the queue's order and, but on a CPU, asynchronous. On CUDA the
  // third run with the same memory and later ones are launched as one graph; the matcher keeps the
  // memory of its last runs alive for that. Throws Error(usage) for memory that is null, too small
  // or the host's, for a confidence of SSD, and while a stream is under way.
  void run(const Memory<const std::uint8_t>& left, const Memory<const std::uint8_t>& right,
           const StereoOutput& out);
  void run(const Memory<const std::uint16_t>& left, const Memory<const std::uint16_t>& right,
           const StereoOutput& out);

  // Pictures of the host, of 1 channel grey or 2 to 4 that become grey (to_grey). Throws
  // Error(usage) when they differ from the matcher's size or bits.
  [[nodiscard]] DisparityMap operator()(ImageView<const std::uint8_t> left,
                                        ImageView<const std::uint8_t> right);
  [[nodiscard]] DisparityMap operator()(ImageView<const std::uint16_t> left,
                                        ImageView<const std::uint16_t> right);

  // A stream: submit copies a pair and starts its work; next waits for the oldest one's maps,
  // which take the place of those in `map` (whose memory is used again). At most two pairs may be
  // on their way: Error(usage) for a third, and for next when there is none.
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

// Against truth (unknown NaN), over pixels whose truth is known and whose mask is 255 (no mask:
// all). Raw figures are over pixels with a value; in filled ones a pixel without a value counts as
// bad. A figure is NaN where there is nothing to count.
struct StereoScore {
  double density = 0;                     // per cent
  double bad1 = 0, bad2 = 0, avgerr = 0;  // per cent, per cent, px
  double bad1_filled = 0, bad2_filled = 0, avgerr_filled = 0;
  std::int64_t scored = 0;  // px
};
[[nodiscard]] StereoScore score_disparity(const DisparityMap& disparity,
                                          ImageView<const float> truth,
                                          ImageView<const std::uint16_t> mask = {});

// 3-D points of every known pixel: Z = baseline fx / (d + doffs), with doffs = cx_right - cx_left,
// in the frame of the left camera. `colour` is the left picture (grey or RGB). Points with d +
// doffs <= 0 are left out.
[[nodiscard]] std::vector<CloudPoint> disparity_to_cloud(ImageView<const float> disparity,
                                                         ImageView<const std::uint8_t> colour,
                                                         const Intrinsics& left, double doffs,
                                                         double baseline);

// From disparities to the depth of a photograph's own pixels:
//
//   const DenseMatches seen = dense_matches(rectification, disparity.raw);
//   const DepthMap map = depth_map(seen, camera1, camera2, cam2_from_cam1);
//   const auto cloud = depth_to_cloud(map.depth, photograph, camera1);
//
// For each pixel of the photograph of side 0, [height][width], its place in the photograph of side
// 1. (Side 0 is image 2 if the rectification `is_swapped`.)
struct DenseMatches {
  ImageF x, y;    // px; NaN: unknown
  ImageF dx, dy;  // px by which (x, y) moves as the disparity grows by 1 px
};

// Converts a disparity map to matches of the photographs' pixels. `disparity` [height][width] is
// that of the left rectified image, unknown NaN. Interpolates between four known pixels within 2 px
// of each other. If a pixel fills many polar rows, as near an epipole, it gets the median of their
// known disparities. Lenses are ignored: pixels are those of the undistorted photographs. Throws
// Error(usage) if the sizes differ.
[[nodiscard]] DenseMatches dense_matches(const Rectification& rectification,
                                         ImageView<const float> disparity);

// Cameras and pose with one of several independent quantities (noise of the pose, or what was
// assumed of a camera) one standard deviation off, and what follows from that.
struct DeviatingGeometry {
  Intrinsics camera1, camera2;  // px
  Pose cam2_from_cam1;          // |t| = 1
};

struct DepthOptions {
  double disparity_deviation = 0.5;  // docs/stereo.md has how it was measured
  // The pose has this covariance, as covariance() gives it (row-major [6][6] of w and t); empty: it
  // is exact.
  std::span<const double> pose_covariance = {};
  // Each adds the square of its difference of depth to the variance; the baseline stays the unit.
  // PoseDeviation (two_photographs.hpp) has those of a pair.
  std::span<const DeviatingGeometry> geometries = {};
  double max_deviation = 0.25;
};
constexpr const char* name_of(const DepthOptions&) { return "DepthOptions"; }
template <MaybeConst<DepthOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [disparity_deviation, pose_covariance, geometries, max_deviation] = options;
  BIFOCAL_FIELD(disparity_deviation, "standard deviation of a disparity of the rectified pictures",
                Range::at_least(0).finite(), "px");
  BIFOCAL_FIELD(pose_covariance, "covariance of the pose, 6 x 6");
  BIFOCAL_FIELD(geometries, "cameras and pose, one standard deviation off each");
  BIFOCAL_FIELD(
      max_deviation,
      "largest deviation, as a fraction of the depth: what is less certain is unknown, as near "
      "an epipole",
      Range::above(0));
}
struct DepthMap {
  ImageF depth;      // Z in the frame of camera 1, in the unit of t; NaN: unknown
  ImageF deviation;  // its standard deviation, to first order, in the same unit
};
// Z of the point of each ray of camera 1 that comes nearest, in picture 2, to where it is seen.
// Unknown too where rays meet behind a camera. The deviation contains that of the disparity, the
// covariance of the pose and the given geometries, nothing else. Throws Error(usage) on a camera
// that is none, a t that is zero, an option out of its range.
[[nodiscard]] DepthMap depth_map(const DenseMatches& matches, const Intrinsics& camera1,
                                 const Intrinsics& camera2, const Pose& cam2_from_cam1,
                                 const DepthOptions& options = {});

// The points of all known pixels in the frame of the camera, of every `step`-th one across and
// down. `colour` is the photograph, grey or RGB. Throws Error(usage) when the sizes differ.
[[nodiscard]] std::vector<CloudPoint> depth_to_cloud(ImageView<const float> depth,
                                                     ImageView<const std::uint8_t> colour,
                                                     const Intrinsics& camera, int step = 1);

}  // namespace bifocal
