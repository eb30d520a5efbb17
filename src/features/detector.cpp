// SPDX-License-Identifier: BSD-3-Clause
// Detectors of SIFT and SURF: Detector<Options> and the functions that take a queue.
#include <bifocal/features.hpp>

#include "features/detector_work.hpp"
#include "features/sift/sift_device.hpp"
#include "features/surf/surf_device.hpp"

namespace bifocal {
namespace {

// Traits of a method for DetectorWork.
template <class Options>
struct Method;

template <>
struct Method<SiftOptions> {
  using Options = SiftOptions;
  using Device = features::SiftDevice;
  static constexpr const char *kName = "SiftDetector", *kFunction = "detect_sift";
  static Device make(Queue& queue, int width, int height, const SiftOptions& options, int batch,
                     int capacity, std::size_t memory) {
    return {queue, width, height, options, batch, capacity, memory};
  }
  static std::size_t bytes(int width, int height, const SiftOptions& options, int capacity,
                           std::size_t memory) {
    return features::plan_sift(width, height, options, capacity, memory).bytes;
  }
  static std::size_t least_bytes(int width, int height, const SiftOptions& options, int capacity) {
    return features::least_sift_plan(width, height, options, capacity).bytes;
  }
  static bool has_shapes(const SiftOptions& options) { return options.affine_shape; }
  static Features detect(const AnyImageView& image, const SiftOptions& options,
                         ImageView<const std::uint8_t> mask) {
    return detect_sift(image, options, mask);
  }
};

template <>
struct Method<SurfOptions> {
  using Options = SurfOptions;
  using Device = features::SurfDevice;
  static constexpr const char *kName = "SurfDetector", *kFunction = "detect_surf";
  // SURF has no bands and ignores `memory`.
  static Device make(Queue& queue, int width, int height, const SurfOptions& options, int batch,
                     int capacity, std::size_t) {
    return {queue, width, height, options, batch, capacity};
  }
  static std::size_t bytes(int width, int height, const SurfOptions& options, int, std::size_t) {
    return Device::bytes(width, height, options);
  }
  static std::size_t least_bytes(int width, int height, const SurfOptions& options, int) {
    return Device::bytes(width, height, options);
  }
  static bool has_shapes(const SurfOptions&) { return false; }
  static Features detect(const AnyImageView& image, const SurfOptions& options,
                         ImageView<const std::uint8_t> mask) {
    return detect_surf(image, options, mask);
  }
};

template <class Options>
Features detect_on(Queue& queue, const AnyImageView& image, const Options& options,
                   ImageView<const std::uint8_t> mask) {
  using Own = Method<Options>;
  if (queue.device().info().kind == DeviceKind::cpu) return Own::detect(image, options, mask);
  check_options(options);
  features::check_image(image, Own::kFunction);
  features::check_mask(Own::kFunction, mask, image.width(), image.height());
  if (image.empty()) return {};
  Detector<Options> detector(queue, image.width(), image.height(), options);
  detector.set_mask(mask);
  return detector(image);
}

}  // namespace

template <class Options>
class Detector<Options>::Work : public features::DetectorWork<Method<Options>> {
  using features::DetectorWork<Method<Options>>::DetectorWork;
};

template <class Options>
Detector<Options>::Detector(Queue& queue, int width, int height, const Options& options, int batch,
                            std::size_t memory) {
  check_options(options);
  features::check_size(Method<Options>::kName, width, height, options.upsample, batch);
  work_ = std::make_unique<Work>(queue, width, height, options, batch, memory);
}
template <class Options>
Detector<Options>::~Detector() = default;
template <class Options>
Detector<Options>::Detector(Detector&&) noexcept = default;
template <class Options>
Detector<Options>& Detector<Options>::operator=(Detector&&) noexcept = default;

template <class Options>
std::size_t Detector<Options>::memory() const {
  return work_->memory();
}

template <class Options>
std::size_t Detector<Options>::least_memory(int width, int height, const Options& options) {
  check_options(options);
  features::check_size(Method<Options>::kName, width, height, options.upsample, 1);
  return Method<Options>::least_bytes(width, height, options, 0) +
         static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
}

template <class Options>
void Detector<Options>::set_mask(ImageView<const std::uint8_t> mask) {
  work_->set_mask(mask);
}

template <class Options>
int Detector<Options>::add(const Memory<const std::uint8_t>& images, int count, FeatureSet& set,
                           int channels) {
  return work_->add(images, count, set, channels);
}

template <class Options>
int Detector<Options>::add(const Memory<const std::uint16_t>& images, int count, FeatureSet& set,
                           int channels) {
  return work_->add(images, count, set, channels);
}

template <class Options>
int Detector<Options>::add(std::span<const ImageView<const std::uint8_t>> images, FeatureSet& set) {
  return work_->add(features::pictures_of(images), set);
}

template <class Options>
int Detector<Options>::add(std::span<const AnyImageView> images, FeatureSet& set) {
  return work_->add(images, set);
}

template <class Options>
std::vector<Features> Detector<Options>::operator()(
    std::span<const ImageView<const std::uint8_t>> images) {
  return work_->detect(features::pictures_of(images));
}

template <class Options>
std::vector<Features> Detector<Options>::operator()(std::span<const AnyImageView> images) {
  return work_->detect(images);
}

template <class Options>
Features Detector<Options>::operator()(const AnyImageView& image) {
  return std::move(work_->detect({&image, 1}).front());
}

template <class Options>
const FeatureSet* Detector<Options>::found() const {
  return work_->found();
}

template class Detector<SiftOptions>;
template class Detector<SurfOptions>;

Features detect_sift(Queue& queue, const AnyImageView& image, const SiftOptions& options,
                     ImageView<const std::uint8_t> mask) {
  return detect_on(queue, image, options, mask);
}

Features detect_surf(Queue& queue, const AnyImageView& image, const SurfOptions& options,
                     ImageView<const std::uint8_t> mask) {
  return detect_on(queue, image, options, mask);
}

}  // namespace bifocal
