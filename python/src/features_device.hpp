// SPDX-License-Identifier: BSD-3-Clause
// Features of pictures and matches of descriptors that lie in the memory of a CUDA device.
#pragma once

#include <bifocal/matching.hpp>
#include <optional>

#include "frames.hpp"
#include "options.hpp"

namespace bifocal::python {

// Calls `body` with a SiftDetector or a SurfDetector, as the options say.
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

// detect() takes these beside a picture. TypeError for a mask that is no picture of bytes.
class DetectArguments {
 public:
  DetectArguments(nb::handle options, nb::handle mask);
  DetectorOptions options;
  // Features may be where this is not 0; empty: everywhere.
  [[nodiscard]] ImageView<const std::uint8_t> allowed() const {
    return mask_ ? mask_->view<std::uint8_t>() : ImageView<const std::uint8_t>();
  }

 private:
  std::optional<Picture> mask_;
};

// A grey picture [H, W] of 8 or 16 bits, as `bits` says, without gaps, in the memory of a CUDA
// device. ValueError and TypeError otherwise.
void need_picture_there(const AnyArray& image, const char* name, int bits);
// One of either, grey or [H, W, C] with 1 to 4 channels.
void need_any_picture_there(const AnyArray& image, const char* name);
[[nodiscard]] inline int channels_of(const AnyArray& image) {
  return image.ndim() == 3 ? int(image.shape(2)) : 1;
}
// `count` such pictures, one behind the other, into the set.
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

// Matches float descriptors [N, D], which the frame brings to unit length where that is asked for.
[[nodiscard]] std::vector<FloatMatch> match_floats_there(nb::handle descriptors1,
                                                         nb::handle descriptors2,
                                                         const FloatMatchOptions& options,
                                                         const std::optional<std::string>& device,
                                                         nb::handle frame);

}  // namespace bifocal::python
