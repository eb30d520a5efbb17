// SPDX-License-Identifier: BSD-3-Clause
// Features of images and matches of descriptors in the memory of a CUDA device.
#pragma once

#include <bifocal/matching.hpp>
#include <optional>

#include "../frames.hpp"
#include "../options.hpp"

namespace bifocal::python {

// Calls `body` with a SiftDetector, or with a SurfDetector if the options have `surf`.
template <class Body>
auto with_detector(Queue& queue, int width, int height, const DetectorOptions& options, int batch,
                   const Body& body) {
  if (options.surf) {
    SurfDetector detector(queue, width, height, *options.surf, batch);
    return body(detector);
  }
  SiftDetector detector(queue, width, height, options.sift, batch);
  return body(detector);
}

// Options and mask of detect(). Raises TypeError for a mask of neither bool nor integers.
class DetectArguments {
 public:
  DetectArguments(nb::handle options, nb::handle mask, const char* name = "mask");
  DetectorOptions options;
  // Features are allowed where this is not 0; everywhere if it is empty.
  [[nodiscard]] ImageView<const std::uint8_t> allowed() const {
    return mask_ ? mask_->view<std::uint8_t>() : ImageView<const std::uint8_t>();
  }

 private:
  std::optional<Picture> mask_;
};

// Raises ValueError or TypeError unless the argument is a contiguous grey image [H, W] of `bits`
// (8 or 16) on a CUDA device.
void need_picture_there(const AnyArray& image, const char* name, int bits);
// Raises ValueError or TypeError unless the argument is a contiguous image of 8 or 16 bits on a
// CUDA device, [H, W] or [H, W, C] with 1 to 4 channels.
void need_any_picture_there(const AnyArray& image, const char* name);
[[nodiscard]] inline int channels_of(const AnyArray& image) {
  return image.ndim() == 3 ? int(image.shape(2)) : 1;
}
// Detects features of `count` such images, contiguous in memory, and adds them to the set.
template <class Detector>
void add_there(Detector& detector, const AnyArray& first, int count, FeatureSet& set) {
  if (first.dtype().bits == 8)
    (void)detector.add(memory_of<std::uint8_t>(first), count, set, channels_of(first));
  else
    (void)detector.add(memory_of<std::uint16_t>(first), count, set, channels_of(first));
}

[[nodiscard]] Features detect_there(const AnyArray& image, nb::handle options, nb::handle mask,
                                    const std::optional<std::string>& device, nb::handle frame);

// Matches descriptors uint8 [N, 128].
[[nodiscard]] std::vector<Match> match_there(const AnyArray& descriptors1,
                                             const AnyArray& descriptors2,
                                             const MatchOptions& options,
                                             const std::optional<std::string>& device,
                                             nb::handle frame);

// Matches float descriptors [N, D], which the array library normalises if options.normalise.
[[nodiscard]] std::vector<FloatMatch> match_floats_there(nb::handle descriptors1,
                                                         nb::handle descriptors2,
                                                         const FloatMatchOptions& options,
                                                         const std::optional<std::string>& device,
                                                         nb::handle frame);

}  // namespace bifocal::python
