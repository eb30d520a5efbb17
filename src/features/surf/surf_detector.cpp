// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/surf.hpp>

#include "features/detector_work.hpp"
#include "features/surf/surf_device.hpp"

namespace bifocal {
namespace {

struct SurfMethod {
  using Options = SurfOptions;
  using Device = features::SurfDevice;
  static constexpr const char* kName = "SurfDetector";
  static Features detect(ImageView<const std::uint8_t> grey, const SurfOptions& options) {
    return detect_surf(grey, options);
  }
};

}  // namespace

class SurfDetector::Work : public features::DetectorWork<SurfMethod> {
  using DetectorWork::DetectorWork;
};

SurfDetector::SurfDetector(Queue& queue, int width, int height, const SurfOptions& options,
                           int batch) {
  features::check_options(options);
  features::check_size(SurfMethod::kName, width, height, options.upsample, batch);
  work_ = std::make_unique<Work>(queue, width, height, options, batch);
}
SurfDetector::~SurfDetector() = default;
SurfDetector::SurfDetector(SurfDetector&&) noexcept = default;
SurfDetector& SurfDetector::operator=(SurfDetector&&) noexcept = default;

std::size_t SurfDetector::memory() const { return work_->memory(); }

int SurfDetector::add(const Memory<const std::uint8_t>& images, int count, FeatureSet& set) {
  return work_->add(images, count, set);
}

int SurfDetector::add(std::span<const ImageView<const std::uint8_t>> images, FeatureSet& set) {
  return work_->add(images, set);
}

std::vector<Features> SurfDetector::operator()(
    std::span<const ImageView<const std::uint8_t>> images) {
  return work_->detect(images);
}

Features SurfDetector::operator()(ImageView<const std::uint8_t> image) {
  return std::move(work_->detect({&image, 1}).front());
}

Features detect_surf(Queue& queue, ImageView<const std::uint8_t> grey, const SurfOptions& options) {
  if (queue.device().info().kind == DeviceKind::cpu) return detect_surf(grey, options);
  features::check_options(options);
  features::check_image(grey, "detect_surf");
  if (grey.empty()) return {};
  return SurfDetector(queue, grey.width, grey.height, options)(grey);
}

}  // namespace bifocal
