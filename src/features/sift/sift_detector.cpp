// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/features.hpp>

#include "features/detector_work.hpp"
#include "features/sift/sift_device.hpp"

namespace bifocal {
namespace {

struct SiftMethod {
  using Options = SiftOptions;
  using Device = features::SiftDevice;
  static constexpr const char* kName = "SiftDetector";
  static Device make(Queue& queue, int width, int height, const SiftOptions& options, int batch,
                     int room, std::size_t memory) {
    return {queue, width, height, options, batch, room, memory};
  }
  static std::size_t bytes(int width, int height, const SiftOptions& options, int room,
                           std::size_t memory) {
    return features::plan_sift(width, height, options, room, memory).bytes;
  }
  static std::size_t least_bytes(int width, int height, const SiftOptions& options, int room) {
    return features::least_sift_plan(width, height, options, room).bytes;
  }
  static bool has_shapes(const SiftOptions& options) { return options.affine_shape; }
  static Features detect(const PictureView& image, const SiftOptions& options,
                         ImageView<const std::uint8_t> mask) {
    return detect_sift(image, options, mask);
  }
};

}  // namespace

class SiftDetector::Work : public features::DetectorWork<SiftMethod> {
  using DetectorWork::DetectorWork;
};

SiftDetector::SiftDetector(Queue& queue, int width, int height, const SiftOptions& options,
                           int batch, std::size_t memory) {
  check_options(options);
  features::check_size(SiftMethod::kName, width, height, options.upsample, batch);
  work_ = std::make_unique<Work>(queue, width, height, options, batch, memory);
}
SiftDetector::~SiftDetector() = default;
SiftDetector::SiftDetector(SiftDetector&&) noexcept = default;
SiftDetector& SiftDetector::operator=(SiftDetector&&) noexcept = default;

std::size_t SiftDetector::memory() const { return work_->memory(); }

std::size_t SiftDetector::least_memory(int width, int height, const SiftOptions& options) {
  check_options(options);
  features::check_size(SiftMethod::kName, width, height, options.upsample, 1);
  return features::least_sift_plan(width, height, options).bytes +
         static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
}

void SiftDetector::set_mask(ImageView<const std::uint8_t> mask) { work_->set_mask(mask); }

int SiftDetector::add(const Memory<const std::uint8_t>& images, int count, FeatureSet& set,
                      int channels) {
  return work_->add(images, count, set, channels);
}

int SiftDetector::add(const Memory<const std::uint16_t>& images, int count, FeatureSet& set,
                      int channels) {
  return work_->add(images, count, set, channels);
}

int SiftDetector::add(std::span<const ImageView<const std::uint8_t>> images, FeatureSet& set) {
  return work_->add(features::pictures_of(images), set);
}

int SiftDetector::add(std::span<const PictureView> images, FeatureSet& set) {
  return work_->add(images, set);
}

std::vector<Features> SiftDetector::operator()(
    std::span<const ImageView<const std::uint8_t>> images) {
  return work_->detect(features::pictures_of(images));
}

std::vector<Features> SiftDetector::operator()(std::span<const PictureView> images) {
  return work_->detect(images);
}

Features SiftDetector::operator()(const PictureView& image) {
  return std::move(work_->detect({&image, 1}).front());
}

Features detect_sift(Queue& queue, const PictureView& image, const SiftOptions& options,
                     ImageView<const std::uint8_t> mask) {
  if (queue.device().info().kind == DeviceKind::cpu) return detect_sift(image, options, mask);
  check_options(options);
  features::check_image(image, "detect_sift");
  features::check_mask("detect_sift", mask, image.width(), image.height());
  if (image.empty()) return {};
  SiftDetector detector(queue, image.width(), image.height(), options);
  detector.set_mask(mask);
  return detector(image);
}

}  // namespace bifocal
