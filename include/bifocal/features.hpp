// SPDX-License-Identifier: BSD-3-Clause
// SIFT features with RootSIFT descriptors, and brute-force matching.
//
//   D. G. Lowe, Distinctive image features from scale-invariant keypoints, IJCV 60(2), 2004.
//   R. Arandjelovic, A. Zisserman, Three things everyone should know to improve object retrieval,
//   CVPR 2012 (RootSIFT).
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/fields.hpp>
#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace bifocal {

inline constexpr int kDescriptorBytes = 128;
inline constexpr int kMaxSiftSide = 1 << 18;  // px, of an image

struct Keypoint {
  float x, y;       // px
  float sigma;      // scale of the Gaussian that the point was found at, px of the input image
  float angle_deg;  // dominant gradient direction, [0, 360), x towards y (clockwise on screen)
  float response;   // |DoG| at the refined extremum, image values in [0, 1]
};

// The affine shape of a keypoint: a symmetric matrix A = [xx xy; xy yy] of determinant 1, whose
// axes differ by a factor of 6 at most. The keypoint is what A makes of a round one of the same
// sigma: (x, y) + sigma A (u, v), (u, v) on the unit circle, is an ellipse in the picture, and
// angle_deg is the direction (u, v) of the dominant gradient in the frame of the round one.
struct KeypointShape {
  float xx = 1, xy = 0, yy = 1;
};

// keypoints[i] has descriptors[128 i .. 128 i + 127]. Order: response * sigma descending,
// ties by y, x, sigma, angle.
struct Features {
  std::vector<Keypoint> keypoints;
  std::vector<std::uint8_t> descriptors;   // [keypoints, 128]
  std::vector<KeypointShape> shapes = {};  // [keypoints] with SiftOptions::affine_shape, else empty

  [[nodiscard]] int size() const { return static_cast<int>(keypoints.size()); }
};

struct SiftOptions {
  int max_features = 65536;
  int octave_layers = 3;
  double contrast_threshold = 0.04;
  double edge_threshold = 10.0;
  double sigma = 1.6;
  bool upsample = true;
  bool root = true;
  // Where there are more than max_features: 0 keeps the strongest, wherever they are. Above 0, up
  // to 128, is the number of square cells along the image's longer side, which take turns: a round
  // takes the strongest of each cell that is left, and the last round, which is not whole, its
  // strongest. The order of what is kept stays the same.
  int balance = 0;
  // A descriptor is the sum of the histograms of three neighbourhoods of 0.75, 1.25 and 1.75 times
  // the usual size (J. Dong, S. Soatto, Domain-size pooling in local descriptors: DSP-SIFT, CVPR
  // 2015): a fifth more right matches where views differ most, a twentieth elsewhere, for more
  // time (docs/features.md). Descriptors with and without it don't go together.
  bool domain_size_pooling = false;
  // Orientation and descriptor are those of the ellipse in which gradients are equally strong in
  // all directions, instead of a circle (A. Baumberg, CVPR 2000; K. Mikolajczyk, C. Schmid, IJCV
  // 60(1), 2004, at the point's own place and scale); Features::shapes has it. Points whose shape
  // does not settle, or is longer than six times its width, stay round. Between views far apart a
  // third to a half more right matches, between near ones 2 to 7 % fewer; a fifth more features,
  // for more time (docs/features.md). Goes with domain_size_pooling.
  bool affine_shape = false;
};
constexpr const char* name_of(const SiftOptions&) { return "SiftOptions"; }
template <MaybeConst<SiftOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [max_features, octave_layers, contrast_threshold, edge_threshold, sigma, upsample, root,
         balance, domain_size_pooling, affine_shape] = options;
  BIFOCAL_FIELD(max_features, "features kept of a picture, strongest first; 0: all",
                Range::at_least(0));
  BIFOCAL_FIELD(octave_layers, "scales an octave", Range::within(1, 16));
  BIFOCAL_FIELD(contrast_threshold, "least |DoG| times octave_layers, of image values in [0, 1]",
                Range::at_least(0).below(1e3));
  BIFOCAL_FIELD(edge_threshold, "largest ratio of principal curvatures",
                Range::at_least(1).below(1e6));
  BIFOCAL_FIELD(sigma, "blur of the first layer of an octave", Range::within(0.8, 8), "px");
  BIFOCAL_FIELD(upsample, "start from the picture doubled in size");
  BIFOCAL_FIELD(root, "RootSIFT (L1-normalised, square root) instead of Lowe's clipped L2 norm");
  BIFOCAL_FIELD(balance,
                "cells along the longer side that take turns where there are more features; 0: the "
                "strongest, wherever they are",
                Range::within(0, 128));
  BIFOCAL_FIELD(
      domain_size_pooling,
      "descriptors of three sizes of neighbourhood in one: more right matches between views "
      "that differ much, for 1.4 to 1.9 times the time");
  BIFOCAL_FIELD(
      affine_shape,
      "features of ellipses instead of circles: a third to a half more right matches between "
      "views far apart, 2 to 7 % fewer between near ones, for 1.2 to 1.5 times the time");
}

// Picture of any size up to 262144 px a side (a small one just has few or no features), of which
// the grey of to_grey_8 is looked at: colours and 16 bits are taken, and nothing is misread. Same
// result for any number of threads; another SIMD instruction set may gain or lose one point in 200
// (at a threshold) and moves the others by less than 0.01 px. Beside the features themselves it
// needs about 12 kB of memory per pixel of width (24 with domain_size_pooling or affine_shape, 48
// with both) and 4 bytes per pixel. Throws Error(usage) when an option is out of range, the image
// has not 1 to 4 channels or is too large, or the mask is of another size.
//
// mask: of one channel; features only where the pixel nearest to them is not 0. Empty: everywhere.
//
// Differs from Lowe's text where measurements on the Oxford pairs asked for it: a photograph is
// taken to have a blur of 0.2 px (0.5), the orientation window is 2 sigma wide (1.5), a bin of the
// descriptor 3.6 sigma (3).
[[nodiscard]] Features detect_sift(const AnyImageView& image, const SiftOptions& options = {},
                                   ImageView<const std::uint8_t> mask = {});
// This computes on the queue's device, where the picture is made grey, to the bits of to_grey_8. A
// GPU finds what a CPU does, but for rounding: one point in 200 may come or go at a threshold, the
// others agree to 0.01 px; the same on every run. It takes as much of its memory as a
// SiftDetector.
[[nodiscard]] Features detect_sift(Queue& queue, const AnyImageView& image,
                                   const SiftOptions& options = {},
                                   ImageView<const std::uint8_t> mask = {});

struct Match {
  int index1, index2;
  int distance;  // squared, of the 8-bit descriptors: exact
  float ratio;   // nearest over second nearest distance (not squared), 0 when there is no second
};

struct MatchOptions {
  double max_ratio = 0.8;
  bool mutual = true;
  // The ratio test from 2 to 1 as well gives fewer and safer matches, which don't depend on the
  // order of the images if `mutual`.
  bool ratio_both_ways = false;
  // The distance is the Euclidean one of the 8-bit descriptors (not squared): a RootSIFT descriptor
  // is 512 long.
  double max_distance = 0;
};
constexpr const char* name_of(const MatchOptions&) { return "MatchOptions"; }
template <MaybeConst<MatchOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [max_ratio, mutual, ratio_both_ways, max_distance] = options;
  BIFOCAL_FIELD(
      max_ratio,
      "nearest over second nearest distance of a match (Lowe's test), from 1 to 2; 1 and more: "
      "any",
      Range::above(0));
  BIFOCAL_FIELD(mutual, "each has to be the other's nearest");
  BIFOCAL_FIELD(ratio_both_ways, "the ratio test also from 2 to 1");
  BIFOCAL_FIELD(max_distance, "largest Euclidean distance of a match; 0: any", Range::at_least(0));
}

// Brute force, exact; ties go to the lower index. Memory O(n1 + n2). Ordered by index1. Same result
// on every machine and for any number of threads. Throws Error(usage) on a ratio or distance out of
// range or descriptors that don't fit the keypoints. On other devices: matching.hpp.
[[nodiscard]] std::vector<Match> match(const Features& features1, const Features& features2,
                                       const MatchOptions& options = {});

// The matched pixel positions, in the order of `matches`.
[[nodiscard]] std::vector<PointPair> matched_points(const Features& features1,
                                                    const Features& features2,
                                                    std::span<const Match> matches);

// SURF features: maxima of box-filtered Hessian determinants, described by Haar wavelets, all from
// an integral image. For those who ask for them: nothing here is a default, and the method is under
// patents (US 8,165,401 and US 8,670,619 among others) that run until about 2027
// (docs/features.md).
//
//   H. Bay, A. Ess, T. Tuytelaars, L. Van Gool, Speeded-up robust features (SURF), CVIU 110(3),
//   2008. M. Agrawal, K. Konolige, M. R. Blas, CenSurE, ECCV 2008 (subregions that overlap).

struct SurfOptions {
  int max_features = 65536;
  int octaves = 4;  // of four filters each, of side 9..27, 15..51, 27..99, ... px
  double threshold = 2.5e-4;
  int numbers = 64;  // 128: sums are split by the sign of the other direction
  bool upright = false;
  bool upsample = false;
  int balance = 0;  // as SiftOptions::balance
};
constexpr const char* name_of(const SurfOptions&) { return "SurfOptions"; }
template <MaybeConst<SurfOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [max_features, octaves, threshold, numbers, upright, upsample, balance] = options;
  BIFOCAL_FIELD(max_features, "features kept of a picture, strongest first; 0: all",
                Range::at_least(0));
  BIFOCAL_FIELD(octaves, "octaves of four filters each", Range::within(1, 5));
  BIFOCAL_FIELD(
      threshold,
      "least determinant of the Hessian, of image values in [0, 1] and filters divided by their "
      "area",
      Range::at_least(0).below(1e3));
  BIFOCAL_FIELD(numbers, "numbers of a descriptor, padded to 128", Range::one_of({64, 128}));
  BIFOCAL_FIELD(upright, "no orientations: for cameras that are not turned about their axis");
  BIFOCAL_FIELD(upsample, "start from the picture doubled in size");
  BIFOCAL_FIELD(balance,
                "cells along the longer side that take turns where there are more features; 0: the "
                "strongest, wherever they are",
                Range::within(0, 128));
}

// Picture of any size up to 262144 px a side and any kind, as of detect_sift. The same order as of
// detect_sift, by response times sigma; `response` is the square root of the determinant at the
// refined maximum, `sigma` the scale of the Gaussian that the filter stands for, 1.2 for 9 px.
//
// Descriptors are of bytes as match() takes them: 128 + a number of the unit vector times 400. Of
// 64 numbers the other 64 bytes are equal, which changes no distance. Where the centre is brighter
// than around it, bytes are complemented: the distance of two points with different signs of the
// Laplacian is larger than that of any two with the same, which is what the paper compares signs
// for.
//
// Determinants are computed from whole numbers: the same for any number of threads, on every
// processor and device. Needs 8 bytes of memory per pixel, 32 with `upsample`, beside the features.
// Throws Error(usage) when an option is out of range, the image has not 1 to 4 channels or is too
// large, or the mask is of another size. mask: as of detect_sift.
//
// Differs from the paper where measurements on the Oxford pairs asked for it: octaves from the
// second on are sampled twice as densely, and a maximum is refined around the pixel, not around the
// sample, so that turned and mirrored pictures have the same points; descriptions are made of
// overlapping cells of 9 x 9 samples (Agrawal et al.), of wavelets of side 3 sigma. Windows of
// orientations are 61.9 degrees.
[[nodiscard]] Features detect_surf(const AnyImageView& image, const SurfOptions& options = {},
                                   ImageView<const std::uint8_t> mask = {});
// This computes on the queue's device. A GPU finds what a CPU does, but for rounding: positions
// agree to 0.001 px, one descriptor in 50 has a sample on the next pixel; the same on every run. It
// needs about 6 bytes of its memory per pixel, 24 with `upsample`.
[[nodiscard]] Features detect_surf(Queue& queue, const AnyImageView& image,
                                   const SurfOptions& options = {},
                                   ImageView<const std::uint8_t> mask = {});

class FeatureSet;  // matching.hpp

// Finds the features of images of one size on a device, again and again or several at once, in
// memory that is allocated once: SIFT with SiftOptions, SURF with SurfOptions.
template <class Options>
class Detector {
 public:
  // The queue lives longer than the detector. batch: images that a GPU works on at the same time;
  // more fill it better and take more memory. memory: bytes that it may take of a GPU or OpenCL
  // device, besides 148 for each feature that it may find (160 with its shape), a mask, and
  // images that are not 8-bit grey; 0: no limit.
  //
  // SIFT takes about 38 bytes a pixel for all levels of an image, 152 with `upsample`. If memory is
  // short the first octaves are made in bands of rows in turn, to the same bits:
  // least_memory() bytes are enough. Wide bands take 1.3 to 2 times as long, the narrowest 9 to 14
  // times. SURF has no bands. Two batches are in memory at a time if it suffices for them.
  //
  // Throws Error(usage) that names an argument out of range, or the bytes that suffice if `memory`
  // is too small, and Error(device) if the device has fewer than these.
  Detector(Queue& queue, int width, int height, const Options& options = {}, int batch = 1,
           std::size_t memory = 0);
  ~Detector();
  Detector(Detector&&) noexcept;
  Detector& operator=(Detector&&) noexcept;

  [[nodiscard]] std::size_t memory() const;  // bytes of the device
  // Bytes of a GPU or OpenCL device that an image takes at least.
  [[nodiscard]] static std::size_t least_memory(int width, int height, const Options& options = {});

  // Sets the mask of all images from now on, which is copied; an empty one is none. Throws
  // Error(usage) for one of another size.
  void set_mask(ImageView<const std::uint8_t> mask);

  // Finds the features of any number of images in the host's memory, of 1 to 4 channels and 8 or 16
  // bits. The device converts them to 8-bit grey, to the bits of to_grey_8. Throws Error(usage) for
  // an image of another size.
  [[nodiscard]] std::vector<Features> operator()(
      std::span<const ImageView<const std::uint8_t>> images);
  [[nodiscard]] std::vector<Features> operator()(std::span<const AnyImageView> images);
  [[nodiscard]] Features operator()(const AnyImageView& image);

  // Adds features to a set, in which they stay on the device: an image takes a slot of max_features
  // places, or of as many as it may have. Returns the number of the first slot.
  //
  // `count` images [count][height][width][channels] in memory of the queue's device (on a CPU the
  // host's), 1 to 4 channels interleaved.
  // Returns at once on a GPU. If an image has more extrema than one in 12 px of the doubled image
  // or of a band (SURF: one in 32 px), as only noise has, its batch gets no features.
  int add(const Memory<const std::uint8_t>& images, int count, FeatureSet& set, int channels = 1);
  int add(const Memory<const std::uint16_t>& images, int count, FeatureSet& set, int channels = 1);
  // Images of the host, copied there while the device works. Returns when all are done.
  int add(std::span<const ImageView<const std::uint8_t>> images, FeatureSet& set);
  int add(std::span<const AnyImageView> images, FeatureSet& set);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};
using SiftDetector = Detector<SiftOptions>;
using SurfDetector = Detector<SurfOptions>;

}  // namespace bifocal
