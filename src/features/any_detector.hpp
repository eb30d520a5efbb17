// SPDX-License-Identifier: BSD-3-Clause
// SIFT or SURF of images of one size, by the same calls: for what takes either.
#pragma once

#include <bifocal/features.hpp>

#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "features/sift/sift.hpp"
#include "features/surf/surf.hpp"

namespace bifocal::features {

// `surf`, where it is there, in the place of `sift`.
struct Choice {
  const SiftOptions& sift;
  const std::optional<SurfOptions>& surf;

  // The memory that a pixel takes on a GPU (features.hpp), or on a CPU, whose threads
  // keep a band of each octave.
  [[nodiscard]] int bytes_of_pixel(bool is_gpu) const {
    if (!is_gpu) return 28;
    if (surf) return surf->upsample ? 28 : 7;
    return sift.upsample ? 152 : 38;
  }
};

// As SiftDetector.
class AnyDetector {
 public:
  AnyDetector(Queue& queue, int width, int height, const Choice& choice, int batch = 1)
      : detector_(choice.surf ? Either(std::in_place_type<SurfDetector>, queue, width, height,
                                       *choice.surf, batch)
                              : Either(std::in_place_type<SiftDetector>, queue, width, height,
                                       choice.sift, batch)) {}

  void set_mask(ImageView<const std::uint8_t> mask) {
    std::visit([&](auto& detector) { detector.set_mask(mask); }, detector_);
  }
  [[nodiscard]] std::vector<Features> operator()(std::span<const PictureView> images) {
    return std::visit([&](auto& detector) { return detector(images); }, detector_);
  }
  int add(std::span<const PictureView> images, FeatureSet& set) {
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
