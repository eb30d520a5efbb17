// SPDX-License-Identifier: BSD-3-Clause
// Detector of images of one size, SIFT or SURF depending on its options.
#pragma once

#include <bifocal/features.hpp>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "features/sift/sift.hpp"
#include "features/sift/sift_plan.hpp"
#include "features/surf/surf.hpp"

namespace bifocal::features {

// Options of the detector: SURF if `surf` has a value, else SIFT.
struct Choice {
  const SiftOptions& sift;
  const std::optional<SurfOptions>& surf;

  // Returns the bytes of memory per pixel: on a CPU, whose threads keep a band of each octave, or
  // on another device with all levels of an image in memory (features.hpp).
  [[nodiscard]] int bytes_of_pixel(DeviceKind kind) const {
    if (kind == DeviceKind::cpu) return 28;
    if (surf) return surf->upsample ? 28 : 7;
    return sift.upsample ? 152 : 38;
  }
  // Returns whether detectors accept images with this number of pixels.
  [[nodiscard]] bool is_taken(std::int64_t pixels) const {
    return pixels * ((surf ? surf->upsample : sift.upsample) ? 4 : 1) <= INT_MAX / 2;
  }
  // Returns the smallest number of bytes that an image needs on such a device. SURF has no bands.
  [[nodiscard]] std::int64_t least_memory(int width, int height) const {
    const std::int64_t pixels = std::int64_t{width} * height;
    if (surf) return bytes_of_pixel(DeviceKind::opencl) * pixels;
    return static_cast<std::int64_t>(least_sift_plan(width, height, sift).bytes) + pixels;
  }
  // Returns the number of features that an image has memory for on such a device.
  [[nodiscard]] std::int64_t places(int width, int height) const {
    const int most = surf ? surf->max_features : sift.max_features;
    const int capacity = plan_sift(width, height, sift).capacity;  // SURF needs less
    return most > 0 ? std::min(most, capacity) : capacity;
  }
};

// Has the interface of Detector<Options>.
class AnyDetector {
 public:
  // memory: limit of the detector on the device, in bytes; 0: no limit.
  AnyDetector(Queue& queue, int width, int height, const Choice& choice, int batch = 1,
              std::size_t memory = 0)
      : detector_(choice.surf ? Either(std::in_place_type<SurfDetector>, queue, width, height,
                                       *choice.surf, batch)
                              : Either(std::in_place_type<SiftDetector>, queue, width, height,
                                       choice.sift, batch, memory)) {}

  void set_mask(ImageView<const std::uint8_t> mask) {
    std::visit([&](auto& detector) { detector.set_mask(mask); }, detector_);
  }
  [[nodiscard]] std::vector<Features> operator()(std::span<const AnyImageView> images) {
    return std::visit([&](auto& detector) { return detector(images); }, detector_);
  }
  [[nodiscard]] const FeatureSet* found() const {
    return std::visit([](const auto& detector) { return detector.found(); }, detector_);
  }
  int add(std::span<const AnyImageView> images, FeatureSet& set) {
    return std::visit([&](auto& detector) { return detector.add(images, set); }, detector_);
  }
  template <class Sample>
  int add(const Memory<const Sample>& images, int count, FeatureSet& set, int channels) {
    return std::visit([&](auto& detector) { return detector.add(images, count, set, channels); },
                      detector_);
  }
  [[nodiscard]] std::size_t memory() const {
    return std::visit([](const auto& detector) { return detector.memory(); }, detector_);
  }

 private:
  using Either = std::variant<SiftDetector, SurfDetector>;
  Either detector_;
};

}  // namespace bifocal::features
