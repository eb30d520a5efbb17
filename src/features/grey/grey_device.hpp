// SPDX-License-Identifier: BSD-3-Clause
// Pictures of any kind as the 8-bit grey that features are found in, on the host and on devices.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/image.hpp>

#include <cstddef>
#include <cstdint>

namespace bifocal::features {

// Of interleaved samples.
struct PixelFormat {
  int channels = 1, bits = 8;

  [[nodiscard]] bool operator==(const PixelFormat&) const = default;
  [[nodiscard]] bool is_grey_8() const { return channels == 1 && bits == 8; }
  [[nodiscard]] std::size_t bytes() const {  // a pixel
    return static_cast<std::size_t>(channels) * static_cast<std::size_t>(bits / 8);
  }
};

[[nodiscard]] inline PixelFormat format_of(const PictureView& picture) {
  return {picture.channels(), picture.bits()};
}

// to_grey_8, without a copy of what is so already.
class Grey {
 public:
  explicit Grey(const PictureView& picture) : picture_(picture) {
    if (!format_of(picture).is_grey_8()) own_ = to_grey_8(picture);
  }
  [[nodiscard]] ImageView<const std::uint8_t> view() const {
    return own_.empty() ? picture_.shallow() : ImageView<const std::uint8_t>(own_);
  }

 private:
  PictureView picture_;
  ImageU8 own_;
};

// Rows without gaps, in the picture's own format.
void copy_rows(const PictureView& picture, std::uint8_t* to);

// On the queue's device, which is no CPU: `pixels` of those from `begin` on. Asynchronous.
void make_grey(Queue& queue, const Memory<const std::uint8_t>& samples, int channels,
               std::int64_t begin, int pixels, const Buffer<std::uint8_t>& grey);
void make_grey(Queue& queue, const Memory<const std::uint16_t>& samples, int channels,
               std::int64_t begin, int pixels, const Buffer<std::uint8_t>& grey);
// Of bytes that hold samples of the format.
void make_grey(Queue& queue, const Buffer<std::uint8_t>& bytes, const PixelFormat& format,
               int pixels, const Buffer<std::uint8_t>& grey);

}  // namespace bifocal::features
