// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/features.hpp>

#include "features/detector_work.hpp"
#include "features/surf/surf_device.hpp"

namespace bifocal {
namespace {

struct SurfMethod {
  using Options = SurfOptions;
  using Device = features::SurfDevice;
  static constexpr const char* kName = "SurfDetector";
  // There are no bands: an image takes what it takes.
  static Device make(Queue& queue, int width, int height, const SurfOptions& options, int batch,
                     int room, std::size_t) {
    return {queue, width, height, options, batch, room};
  }
  static std::size_t bytes(int width, int height, const SurfOptions& options, int, std::size_t) {
    return Device::bytes(width, height, options);
  }
  static std::size_t least_bytes(int width, int height, const SurfOptions& options, int) {
    return Device::bytes(width, height, options);
  }
  static bool has_shapes(const SurfOptions&) { return false; }
  static Features detect(const PictureView& image, const SurfOptions& options,
                         ImageView<const std::uint8_t> mask) {
    return detect_surf(image, options, mask);
  }
};

}  // namespace

class SurfDetector::Work : public features::DetectorWork<SurfMethod> {
  using DetectorWork::DetectorWork;
};

SurfDetector::SurfDetector(Queue& queue, int width, int height, const SurfOptions& options,
                           int batch) {
  check_options(options);
  features::check_size(SurfMethod::kName, width, height, options.upsample, batch);
  work_ = std::make_unique<Work>(queue, width, height, options, batch);
}
SurfDetector::~SurfDetector() = default;
SurfDetector::SurfDetector(SurfDetector&&) noexcept = default;
SurfDetector& SurfDetector::operator=(SurfDetector&&) noexcept = default;

std::size_t SurfDetector::memory() const { return work_->memory(); }

void SurfDetector::set_mask(ImageView<const std::uint8_t> mask) { work_->set_mask(mask); }

int SurfDetector::add(const Memory<const std::uint8_t>& images, int count, FeatureSet& set,
                      int channels) {
  return work_->add(images, count, set, channels);
}

int SurfDetector::add(const Memory<const std::uint16_t>& images, int count, FeatureSet& set,
                      int channels) {
  return work_->add(images, count, set, channels);
}

int SurfDetector::add(std::span<const ImageView<const std::uint8_t>> images, FeatureSet& set) {
  return work_->add(features::pictures_of(images), set);
}

int SurfDetector::add(std::span<const PictureView> images, FeatureSet& set) {
  return work_->add(images, set);
}

std::vector<Features> SurfDetector::operator()(
    std::span<const ImageView<const std::uint8_t>> images) {
  return work_->detect(features::pictures_of(images));
}

std::vector<Features> SurfDetector::operator()(std::span<const PictureView> images) {
  return work_->detect(images);
}

Features SurfDetector::operator()(const PictureView& image) {
  return std::move(work_->detect({&image, 1}).front());
}

Features detect_surf(Queue& queue, const PictureView& image, const SurfOptions& options,
                     ImageView<const std::uint8_t> mask) {
  if (queue.device().info().kind == DeviceKind::cpu) return detect_surf(image, options, mask);
  check_options(options);
  features::check_image(image, "detect_surf");
  features::check_mask("detect_surf", mask, image.width(), image.height());
  if (image.empty()) return {};
  SurfDetector detector(queue, image.width(), image.height(), options);
  detector.set_mask(mask);
  return detector(image);
}

}  // namespace bifocal
