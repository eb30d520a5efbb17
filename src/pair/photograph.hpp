// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/image.hpp>
#include <bifocal/rectify.hpp>

#include <cstdint>

namespace bifocal::pair {

// An image in memory of the host and, after upload(), of a device: the detector, the removal of its
// lens and rectification read one copy.
class Photograph {
 public:
  using View = ImageView<const std::uint8_t>;

  Photograph() = default;
  explicit Photograph(View view) : view_(view) {}

  // Copies the image to the queue's device once, and waits. A CPU reads the memory of the host.
  void upload(Queue& queue);

  operator View() const { return view_; }
  [[nodiscard]] const View& view() const { return view_; }
  // Rows without gaps; null before upload() and on a CPU.
  [[nodiscard]] Memory<const std::uint8_t> samples() const { return samples_; }

  // Samples the image on the device of the queue, the same device as for upload().
  [[nodiscard]] ImageU8 remapped(Queue& queue, const Remapper& remapper,
                                 ImageU8* valid = nullptr) const;

 private:
  View view_;
  Buffer<std::uint8_t> samples_;
};

}  // namespace bifocal::pair
