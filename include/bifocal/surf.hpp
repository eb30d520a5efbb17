// SPDX-License-Identifier: BSD-3-Clause
// SURF features: maxima of box-filtered Hessian determinants, described by Haar wavelets, all from
// an integral image. For those who ask for them: nothing here is a default, and the method is under
// patents (US 8,165,401 and US 8,670,619 among others) that run until about 2027
// (docs/features.md).
//
//   H. Bay, A. Ess, T. Tuytelaars, L. Van Gool, Speeded-up robust features (SURF), CVIU 110(3),
//   2008. M. Agrawal, K. Konolige, M. R. Blas, CenSurE, ECCV 2008 (subregions that overlap).
#pragma once

#include <bifocal/features.hpp>

namespace bifocal {

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
[[nodiscard]] Features detect_surf(const PictureView& image, const SurfOptions& options = {},
                                   ImageView<const std::uint8_t> mask = {});
// This computes on the queue's device. A GPU finds what a CPU does, but for rounding: positions
// agree to 0.001 px, one descriptor in 50 has a sample on the next pixel; the same on every run. It
// needs about 6 bytes of its memory per pixel, 24 with `upsample`.
[[nodiscard]] Features detect_surf(Queue& queue, const PictureView& image,
                                   const SurfOptions& options = {},
                                   ImageView<const std::uint8_t> mask = {});

// A SurfDetector finds SURF of images of one size on a device, again and again or several at once;
// all is as with SiftDetector.
class SurfDetector {
 public:
  SurfDetector(Queue& queue, int width, int height, const SurfOptions& options = {}, int batch = 1);
  ~SurfDetector();
  SurfDetector(SurfDetector&&) noexcept;
  SurfDetector& operator=(SurfDetector&&) noexcept;

  [[nodiscard]] std::size_t memory() const;  // bytes of the device
  void set_mask(ImageView<const std::uint8_t> mask);

  [[nodiscard]] std::vector<Features> operator()(
      std::span<const ImageView<const std::uint8_t>> images);
  [[nodiscard]] std::vector<Features> operator()(std::span<const PictureView> images);
  [[nodiscard]] Features operator()(const PictureView& image);

  int add(const Memory<const std::uint8_t>& images, int count, FeatureSet& set, int channels = 1);
  int add(const Memory<const std::uint16_t>& images, int count, FeatureSet& set, int channels = 1);
  int add(std::span<const ImageView<const std::uint8_t>> images, FeatureSet& set);
  int add(std::span<const PictureView> images, FeatureSet& set);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace bifocal
