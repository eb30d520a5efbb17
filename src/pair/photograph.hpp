// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/image.hpp>
#include <bifocal/rectify.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace bifocal::pair {

// Grey values of 16 bits, for dense matching.
struct DeepGrey {
  ImageU16 image;
  int white = 65535;  // upper limit of the values
};

// An image of 8 bits in host memory and, after upload(), in device memory, so that the detector,
// the undistortion and the rectification read the same copy. An image of 16 bits is converted by
// to_8_bits(), and its grey values are kept.
class Photograph {
 public:
  using View = ImageView<const std::uint8_t>;

  Photograph() = default;
  explicit Photograph(const AnyImageView& image);

  // Copies the image to the queue's device once, and waits. A CPU reads host memory.
  void upload(Queue& queue);

  operator View() const { return view_; }
  [[nodiscard]] const View& view() const { return view_; }
  // Returns the image in device memory, with rows without gaps; null before upload() and on a CPU.
  [[nodiscard]] Memory<const std::uint8_t> samples() const { return samples_; }
  // Returns the grey values of an image of 16 bits; null for 8 bits.
  [[nodiscard]] const std::shared_ptr<const DeepGrey>& deep() const { return deep_; }
  void set_deep(std::shared_ptr<const DeepGrey> deep) { deep_ = std::move(deep); }

  // Samples the image on the device of the queue, which must be the device of upload().
  [[nodiscard]] ImageU8 remapped(Queue& queue, const Remapper& remapper,
                                 ImageU8* valid = nullptr) const;
  // Samples deep(); null for 8 bits.
  [[nodiscard]] std::shared_ptr<const DeepGrey> deep_remapped(Queue& queue,
                                                              const Remapper& remapper) const;

 private:
  View view_;
  std::shared_ptr<const ImageU8> own_;  // pixels of view_ that were converted
  std::shared_ptr<const DeepGrey> deep_;
  Buffer<std::uint8_t> samples_;
};

}  // namespace bifocal::pair
