// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/features.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <optional>

#include "features/sift.hpp"
#include "features/sift_device.hpp"

namespace bifocal {
namespace {

constexpr const char* kName = "SiftDetector";

// Grey rows without gaps.
void copy_rows(ImageView<const std::uint8_t> image, std::uint8_t* to) {
  for (int y = 0; y < image.height; ++y)
    std::copy_n(image.row(y), image.width, to + std::ptrdiff_t{y} * image.width);
}

void check_size(int width, int height, const SiftOptions& options, int batch) {
  const int enlarged = options.upsample ? 4 : 1;
  if (width < 1 || height < 1 || width > kMaxSiftSide || height > kMaxSiftSide)
    throw Error(ErrorCode::usage, fmt::format("{}: images of {} x {} px: sides must be 1 to {}",
                                              kName, width, height, kMaxSiftSide));
  if (batch < 1 || std::int64_t{width} * height * enlarged * batch > INT_MAX / 2)
    throw Error(
        ErrorCode::usage,
        fmt::format("{}: a batch of {} images of {} x {} px: must be 1 to {}", kName, batch, width,
                    height, INT_MAX / 2 / (std::int64_t{width} * height * enlarged)));
}

}  // namespace

// On a CPU only the options; else a device's work with its images and results.
class SiftDetector::Work {
 public:
  Work(Queue& queue, int width, int height, const SiftOptions& options, int batch)
      : queue_(queue), width_(width), height_(height), options_(options), batch_(batch) {
    if (!is_cpu()) make(0);
  }

  [[nodiscard]] bool is_cpu() const { return queue_.device().info().kind == DeviceKind::cpu; }
  [[nodiscard]] std::size_t memory() const {
    return is_cpu()
               ? 0
               : static_cast<std::size_t>(batch_) *
                     (features::SiftDevice::bytes(width_, height_, options_) + pixels() +
                      static_cast<std::size_t>(most()) * (sizeof(Keypoint) + kDescriptorBytes));
  }

  std::vector<Features> detect(std::span<const ImageView<const std::uint8_t>> images) {
    for (const ImageView<const std::uint8_t>& image : images) {
      features::check_image(image);
      if (image.width != width_ || image.height != height_)
        throw Error(ErrorCode::usage,
                    fmt::format("{}: an image of {} x {} px, made for {} x {}", kName, image.width,
                                image.height, width_, height_));
    }
    std::vector<Features> all;
    for (std::size_t first = 0; first < images.size();) {
      const std::size_t count =
          is_cpu() ? 1 : std::min(images.size() - first, static_cast<std::size_t>(batch_));
      if (is_cpu())
        all.push_back(detect_sift(images[first], options_));
      else
        detect_batch(images.subspan(first, count), all);
      first += count;
    }
    return all;
  }

 private:
  [[nodiscard]] std::size_t pixels() const {
    return static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
  }
  [[nodiscard]] int most() const {
    return options_.max_features > 0 ? std::min(options_.max_features, device_->room())
                                     : device_->room();
  }

  void make(int room) {
    device_.emplace(queue_, width_, height_, options_, batch_, room);
    const Device& device = queue_.device();
    const auto places = static_cast<std::size_t>(batch_) * static_cast<std::size_t>(most());
    host_.emplace(device, static_cast<std::size_t>(batch_) * pixels());
    pictures_ = Buffer<std::uint8_t>(device, static_cast<std::size_t>(batch_) * pixels());
    out_ = {Buffer<Keypoint>(device, places),
            Buffer<std::uint8_t>(device, places * kDescriptorBytes),
            Buffer<int>(device, static_cast<std::size_t>(batch_)),
            0,
            0,
            most()};
  }

  void detect_batch(std::span<const ImageView<const std::uint8_t>> images,
                    std::vector<Features>& all) {
    const auto count = static_cast<int>(images.size());
    for (std::size_t k = 0; k < images.size(); ++k)
      copy_rows(images[k], host_->data() + k * pixels());
    pictures_.upload(queue_, host_->span().first(images.size() * pixels()));
    device_->run(pictures_, count, out_);
    while (device_->was_full(count)) {  // noise that no photograph has
      make(2 * device_->room());
      pictures_.upload(queue_, host_->span().first(images.size() * pixels()));
      device_->run(pictures_, count, out_);
    }
    download(count, all);
  }

  void download(int count, std::vector<Features>& all) {
    std::vector<int> numbers(static_cast<std::size_t>(count));
    out_.numbers.download(queue_, numbers);
    queue_.wait();
    const std::size_t first = all.size();
    all.resize(first + numbers.size());
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      Features& f = all[first + k];
      f.keypoints.resize(static_cast<std::size_t>(numbers[k]));
      f.descriptors.resize(f.keypoints.size() * kDescriptorBytes);
      if (f.keypoints.empty()) continue;
      const std::size_t place = k * static_cast<std::size_t>(out_.most);
      runtime::download(queue_, *out_.keypoints.memory(), place * sizeof(Keypoint),
                        f.keypoints.data(), f.keypoints.size() * sizeof(Keypoint));
      runtime::download(queue_, *out_.descriptors.memory(), place * kDescriptorBytes,
                        f.descriptors.data(), f.descriptors.size());
    }
    queue_.wait();
  }

  Queue& queue_;
  int width_, height_;
  SiftOptions options_;
  int batch_;
  std::optional<features::SiftDevice> device_;
  std::optional<HostBuffer<std::uint8_t>> host_;
  Buffer<std::uint8_t> pictures_;
  features::SiftOutput out_;
};

SiftDetector::SiftDetector(Queue& queue, int width, int height, const SiftOptions& options,
                           int batch) {
  features::check_options(options);
  check_size(width, height, options, batch);
  work_ = std::make_unique<Work>(queue, width, height, options, batch);
}
SiftDetector::~SiftDetector() = default;
SiftDetector::SiftDetector(SiftDetector&&) noexcept = default;
SiftDetector& SiftDetector::operator=(SiftDetector&&) noexcept = default;

std::size_t SiftDetector::memory() const { return work_->memory(); }

std::vector<Features> SiftDetector::operator()(
    std::span<const ImageView<const std::uint8_t>> images) {
  return work_->detect(images);
}

Features SiftDetector::operator()(ImageView<const std::uint8_t> image) {
  return std::move(work_->detect({&image, 1}).front());
}

Features detect_sift(Queue& queue, ImageView<const std::uint8_t> grey, const SiftOptions& options) {
  if (queue.device().info().kind == DeviceKind::cpu) return detect_sift(grey, options);
  features::check_options(options);
  features::check_image(grey);
  if (grey.empty()) return {};
  return SiftDetector(queue, grey.width, grey.height, options)(grey);
}

}  // namespace bifocal
