// SPDX-License-Identifier: BSD-3-Clause
// SIFT and SURF features, and brute-force matching of their descriptors. Descriptors of SIFT are
// RootSIFT by default.
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
inline constexpr int kMaxSiftSide = 1 << 18;  // px, largest side of an image

// A feature's position, scale and orientation.
struct Keypoint {
  float x, y;       // px
  float sigma;      // scale of the Gaussian at which the point was found, px of the input image
  float angle_deg;  // dominant gradient direction, [0, 360), x towards y (clockwise on screen)
  float response;   // |DoG| at the refined extremum, image values in [0, 1]
};

// Affine shape of a keypoint: a symmetric matrix A = [xx xy; xy yy] with determinant 1, whose axes
// differ by a factor of at most 6. The keypoint covers the ellipse (x, y) + sigma A (u, v) of the
// image, with (u, v) on the unit circle. angle_deg is the direction (u, v) of the dominant gradient
// in the normalised frame, in which the ellipse is a circle.
struct KeypointShape {
  float xx = 1, xy = 0, yy = 1;
};

// Features of one image. keypoints[i] has the descriptor descriptors[128 i .. 128 i + 127]. They
// are ordered by response * sigma, largest first; ties by y, x, sigma, angle.
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
  // Selection if an image has more than max_features. 0 keeps the strongest features of the whole
  // image. Values up to 128 are the number of square cells along the longer side; features are then
  // kept in rounds. Each round keeps the strongest remaining feature of every cell; the last round,
  // if incomplete, keeps the strongest among its candidates. The order of the kept features does
  // not change.
  int balance = 0;
  // A descriptor is the sum of the histograms of three neighbourhoods with 0.75, 1.25 and 1.75
  // times the usual size (J. Dong, S. Soatto, Domain-size pooling in local descriptors: DSP-SIFT,
  // CVPR 2015). Gives 20 % more correct matches between very different views and 5 % elsewhere, but
  // takes longer (docs/features.md). Descriptors with and without it must not be matched with
  // each other.
  bool domain_size_pooling = false;
  // Orientation and descriptor are computed in an ellipse instead of a circle: the ellipse in which
  // gradients are equally strong in all directions (A. Baumberg, CVPR 2000; K. Mikolajczyk, C.
  // Schmid, IJCV 60(1), 2004, here without changing position and scale). Features::shapes stores
  // the ellipses. Points whose shape does not converge, or is longer than six times its width, keep
  // the circle. Gives a third to a half more correct matches between distant views and 2 to 7 %
  // fewer between near views. Finds 20 % more features and takes longer (docs/features.md). May be
  // combined with domain_size_pooling.
  bool affine_shape = false;
};
constexpr const char* name_of(const SiftOptions&) { return "SiftOptions"; }
template <MaybeConst<SiftOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [max_features, octave_layers, contrast_threshold, edge_threshold, sigma, upsample, root,
         balance, domain_size_pooling, affine_shape] = options;
  BIFOCAL_FIELD(max_features,
                "largest number of features per image; the strongest are kept; 0: all",
                Range::at_least(0));
  BIFOCAL_FIELD(octave_layers, "scales per octave", Range::within(1, 16));
  BIFOCAL_FIELD(contrast_threshold,
                "smallest |DoG| times octave_layers, for image values in [0, 1]",
                Range::at_least(0).below(1e3));
  BIFOCAL_FIELD(edge_threshold, "largest ratio of principal curvatures",
                Range::at_least(1).below(1e6));
  BIFOCAL_FIELD(sigma, "blur of the first layer of an octave", Range::within(0.8, 8), "px");
  BIFOCAL_FIELD(upsample, "start from the image enlarged to twice its size");
  BIFOCAL_FIELD(root, "RootSIFT (L1-normalised, square root) instead of Lowe's clipped L2 norm");
  BIFOCAL_FIELD(balance,
                "spread features over square cells, this number along the longer side; 0: keep the "
                "strongest of the whole image",
                Range::within(0, 128));
  BIFOCAL_FIELD(domain_size_pooling,
                "descriptors that combine three sizes of neighbourhood: more correct matches "
                "between very different views, for 1.4 to 1.9 times the time");
  BIFOCAL_FIELD(
      affine_shape,
      "features on ellipses instead of circles: a third to a half more correct matches between "
      "distant views, 2 to 7 % fewer between near views, for 1.2 to 1.5 times the time");
}

// Detects SIFT features in an image of up to 262144 px a side. Images of 1 to 4 channels and 8 or
// 16 bits are converted by to_grey_8; very small images have few or no features.
//
// The result is the same for any number of threads. Another SIMD instruction set may gain or lose
// one point in 200 at a threshold, and moves the remaining points by less than 0.01 px. Needs about
// 12 kB of memory per pixel of width (24 with domain_size_pooling or affine_shape, 48 with both)
// and 4 bytes per pixel, in addition to the features.
//
// mask: one channel, of the image's size; features are kept only if the pixel nearest to them is
// not 0. Empty: no mask. Throws Error(usage) if an option is out of range, if the image is too
// large or does not have 1 to 4 channels, or if the mask has another size.
//
//
// Three constants differ from Lowe's paper, because measurements on the Oxford pairs favoured it:
// the assumed blur of a photograph is 0.2 px (0.5), the orientation window is 2 sigma wide (1.5),
// and a bin of the descriptor is 3.6 sigma wide (3).
[[nodiscard]] Features detect_sift(const AnyImageView& image, const SiftOptions& options = {},
                                   ImageView<const std::uint8_t> mask = {});
// Detects SIFT features on the queue's device, which also converts the image to grey, bit for bit
// like to_grey_8. A GPU finds the same features as a CPU up to rounding: one point in 200 may
// appear or disappear at a threshold, the remaining points agree to 0.01 px. The result is the same
// in every run. Takes as much device memory as a SiftDetector.
[[nodiscard]] Features detect_sift(Queue& queue, const AnyImageView& image,
                                   const SiftOptions& options = {},
                                   ImageView<const std::uint8_t> mask = {});

// A match between feature index1 of the first image and feature index2 of the second.
struct Match {
  int index1, index2;
  int distance;  // squared Euclidean distance of the 8-bit descriptors, exact
  float ratio;   // nearest over second nearest distance (not squared), 0 without a second
};

struct MatchOptions {
  double max_ratio = 0.8;
  bool mutual = true;
  // Applies the ratio test also from image 2 to image 1. Gives fewer and more reliable matches,
  // which with `mutual` do not depend on the order of the images.
  bool ratio_both_ways = false;
  // Largest Euclidean distance (not squared) of the 8-bit descriptors of a match; 0: no limit. A
  // RootSIFT descriptor has length 512.
  double max_distance = 0;
};
constexpr const char* name_of(const MatchOptions&) { return "MatchOptions"; }
template <MaybeConst<MatchOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [max_ratio, mutual, ratio_both_ways, max_distance] = options;
  BIFOCAL_FIELD(max_ratio,
                "largest ratio of nearest and second nearest distance (Lowe's test), from image 1 "
                "to 2; 1 or more: no test",
                Range::above(0));
  BIFOCAL_FIELD(mutual, "matches must be nearest neighbours in both directions");
  BIFOCAL_FIELD(ratio_both_ways, "apply the ratio test also from image 2 to 1");
  BIFOCAL_FIELD(max_distance, "largest Euclidean distance of a match; 0: no limit",
                Range::at_least(0));
}

// Matches descriptors by exact brute force, ordered by index1; ties go to the lower index. Takes
// O(n1 + n2) memory. The result is the same on every machine and for any number of threads. Throws
// Error(usage) if a ratio or distance is out of range, or if the number of descriptors does not
// match the keypoints. For other devices see matching.hpp.
[[nodiscard]] std::vector<Match> match(const Features& features1, const Features& features2,
                                       const MatchOptions& options = {});

// Returns the pixel positions of matches, in the order of `matches`.
[[nodiscard]] std::vector<PointPair> matched_points(const Features& features1,
                                                    const Features& features2,
                                                    std::span<const Match> matches);

// SURF features: maxima of box-filtered Hessian determinants, with descriptors of Haar wavelets,
// all computed from an integral image. No default uses SURF: the method is covered by patents (US
// 8,165,401, US 8,670,619 and more) until about 2027 (docs/features.md).
//
//   H. Bay, A. Ess, T. Tuytelaars, L. Van Gool, Speeded-up robust features (SURF), CVIU 110(3),
//   2008. M. Agrawal, K. Konolige, M. R. Blas, CenSurE, ECCV 2008 (subregions that overlap).

struct SurfOptions {
  int max_features = 65536;
  int octaves = 4;  // each has four filters, with sides of 9..27, 15..51, 27..99, ... px
  double threshold = 2.5e-4;
  // Length of a descriptor; 128: sums are split by the sign of the perpendicular direction.
  int numbers = 64;
  bool upright = false;
  bool upsample = false;
  int balance = 0;  // like SiftOptions::balance
};
constexpr const char* name_of(const SurfOptions&) { return "SurfOptions"; }
template <MaybeConst<SurfOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [max_features, octaves, threshold, numbers, upright, upsample, balance] = options;
  BIFOCAL_FIELD(max_features,
                "largest number of features per image; the strongest are kept; 0: all",
                Range::at_least(0));
  BIFOCAL_FIELD(octaves, "octaves of four filters each", Range::within(1, 5));
  BIFOCAL_FIELD(threshold,
                "smallest determinant of the Hessian, for image values in [0, 1] and filters "
                "divided by their area",
                Range::at_least(0).below(1e3));
  BIFOCAL_FIELD(numbers, "numbers per descriptor, padded to 128", Range::one_of({64, 128}));
  BIFOCAL_FIELD(upright, "no orientations: for cameras without rotation about the optical axis");
  BIFOCAL_FIELD(upsample, "start from the image enlarged to twice its size");
  BIFOCAL_FIELD(balance,
                "spread features over square cells, this number along the longer side; 0: keep the "
                "strongest of the whole image",
                Range::within(0, 128));
}

// Detects SURF features in the same kinds of images as detect_sift, and returns them in the same
// order, by response times sigma. `response` is the square root of the determinant at the refined
// maximum; `sigma` is the scale of the Gaussian that the filter approximates, 1.2 px for a filter
// of 9 px.
//
// Descriptors consist of bytes, as match() takes them: 128 + 400 times an element of the unit
// vector. Descriptors of 64 numbers have 64 equal bytes at the end, which changes no distance. If
// the centre is brighter than its surroundings, the bytes are complemented. Points with different
// signs of the Laplacian then have a larger distance than any two points with the same sign; the
// paper compares the signs for this purpose.
//
// Determinants are computed from integers, so they are the same on every processor and device and
// for any number of threads. Needs 8 bytes of memory per pixel, 32 with `upsample`, in addition to
// the features. mask: as in detect_sift. Throws Error(usage) if an option is out of range, if the
// image is too large or does not have 1 to 4 channels, or if the mask has another size.
//
// The method differs from the paper where measurements on the Oxford pairs favoured it. Octaves
// from the second on are sampled twice as densely. A maximum is refined around the pixel, not
// around the sample, so rotated and mirrored images have the same points. Descriptors use
// overlapping cells of 9 x 9 samples (Agrawal et al.), with wavelets of side 3 sigma. Orientation
// windows are 61.9 degrees wide.
[[nodiscard]] Features detect_surf(const AnyImageView& image, const SurfOptions& options = {},
                                   ImageView<const std::uint8_t> mask = {});
// Detects SURF features on the queue's device. A GPU finds the same features as a CPU up to
// rounding: positions agree to 0.001 px, and one descriptor in 50 has a sample on the next pixel.
// The result is the same in every run. Needs about 6 bytes of device memory per pixel, 24
// with `upsample`.
[[nodiscard]] Features detect_surf(Queue& queue, const AnyImageView& image,
                                   const SurfOptions& options = {},
                                   ImageView<const std::uint8_t> mask = {});

class FeatureSet;  // matching.hpp

// Detects features in many images of one size on a device, several at a time, in memory that is
// allocated once. Uses SIFT with SiftOptions and SURF with SurfOptions.
template <class Options>
class Detector {
 public:
  // Allocates the memory for images of width x height px.
  //
  // queue: must outlive the detector. batch: number of images that a GPU processes simultaneously;
  // larger batches use the GPU better and take more memory. memory: limit in bytes on a GPU or
  // OpenCL device, 0: none. Not counted are 148 bytes for each feature (160 with its shape), a
  // mask, and images other than 8-bit grey.
  //
  // SIFT takes about 38 bytes per pixel for all levels of an image, 152 with `upsample`. If memory
  // is short, the first octaves are processed in bands of rows, with the same bits; least_memory()
  // bytes suffice. Wide bands take 1.3 to 2 times as long, the narrowest 9 to 14 times. SURF has no
  // bands. Two batches are in memory at a time if it suffices for them.
  //
  // Throws Error(usage) with the argument that is out of range, or with the required bytes if
  // `memory` is too small, and Error(device) if the device has less memory.
  Detector(Queue& queue, int width, int height, const Options& options = {}, int batch = 1,
           std::size_t memory = 0);
  ~Detector();
  Detector(Detector&&) noexcept;
  Detector& operator=(Detector&&) noexcept;

  [[nodiscard]] std::size_t memory() const;  // bytes on the device
  // Returns the minimum memory for one image on a GPU or OpenCL device, in bytes.
  [[nodiscard]] static std::size_t least_memory(int width, int height, const Options& options = {});

  // Sets the mask for all following images; it is copied, and an empty one removes the mask. Throws
  // Error(usage) if the mask has another size than the images.
  void set_mask(ImageView<const std::uint8_t> mask);

  // Detects features in any number of images in host memory, with 1 to 4 channels and 8 or 16 bits.
  // The device converts them to 8-bit grey, bit for bit like to_grey_8. Throws Error(usage) for an
  // image of another size.
  [[nodiscard]] std::vector<Features> operator()(
      std::span<const ImageView<const std::uint8_t>> images);
  [[nodiscard]] std::vector<Features> operator()(std::span<const AnyImageView> images);
  [[nodiscard]] Features operator()(const AnyImageView& image);
  // Returns the features of the last call of operator() in the memory of a GPU or OpenCL device, in
  // the order of the images. The set is valid until the next call. Returns null for a CPU.
  [[nodiscard]] const FeatureSet* found() const;

  // Detects features in `count` images [count][height][width][channels] and adds them to a set, in
  // which they stay on the device.
  //
  // images: in memory of the queue's device (for a CPU in host memory), 1 to 4 interleaved
  // channels. Each image gets a slot for max_features features, or for the largest possible number
  // without a limit. Returns the number of the first slot, on a GPU before the work is done.
  // If an image has more extrema than one per 12 px of the doubled image or of a band (SURF: one
  // per 32 px), which only noise has, its batch gets no features.
  int add(const Memory<const std::uint8_t>& images, int count, FeatureSet& set, int channels = 1);
  int add(const Memory<const std::uint16_t>& images, int count, FeatureSet& set, int channels = 1);
  // Detects features in host images, which are copied while the device works, and adds them to a
  // set. Returns the number of the first slot when all are done.
  int add(std::span<const ImageView<const std::uint8_t>> images, FeatureSet& set);
  int add(std::span<const AnyImageView> images, FeatureSet& set);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};
using SiftDetector = Detector<SiftOptions>;
using SurfDetector = Detector<SurfOptions>;

}  // namespace bifocal
