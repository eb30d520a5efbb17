// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/image.hpp>
#include <bifocal/rectify.hpp>

#include <cstdint>

namespace bifocal::pair {

// An image in host memory and, after upload(), in device memory, so that the detector, the
// undistortion and the rectification read the same copy.
class Photograph {
 public:
  using View = ImageView<const std::uint8_t>;

  Photograph() = default;
  explicit Photograph(View view) : view_(view) {}

  // Copies the image to the queue's device once, and waits. A CPU reads host memory.
  void upload(Queue& queue);

  operator View() const { return view_; }
  [[nodiscard]] const View& view() const { return view_; }
  // Returns the image in device memory, with rows without gaps; null before upload() and on a CPU.
  [[nodiscard]] Memory<const std::uint8_t> samples() const { return samples_; }

  // Samples the image on the device of the queue, which must be the device of upload().
  [[nodiscard]] ImageU8 remapped(Queue& queue, const Remapper& remapper,
                                 ImageU8* valid = nullptr) const;

 private:
  View view_;
  Buffer<std::uint8_t> samples_;
};

}  // namespace bifocal::pair
