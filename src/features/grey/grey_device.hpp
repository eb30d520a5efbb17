// SPDX-License-Identifier: BSD-3-Clause
// Converts images of any format to 8-bit grey for feature detection, on the host and on devices.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/image.hpp>

#include <cstddef>
#include <cstdint>

namespace bifocal::features {

// Format of interleaved samples.
struct PixelFormat {
  int channels = 1, bits = 8;

  [[nodiscard]] bool operator==(const PixelFormat&) const = default;
  [[nodiscard]] bool is_grey_8() const { return channels == 1 && bits == 8; }
  [[nodiscard]] std::size_t bytes() const {  // per pixel
    return static_cast<std::size_t>(channels) * static_cast<std::size_t>(bits / 8);
  }
};

[[nodiscard]] inline PixelFormat format_of(const AnyImageView& picture) {
  return {picture.channels(), picture.bits()};
}

// Result of to_grey_8. An image that is 8-bit grey already is not copied.
class Grey {
 public:
  explicit Grey(const AnyImageView& picture) : picture_(picture) {
    if (!format_of(picture).is_grey_8()) own_ = to_grey_8(picture);
  }
  [[nodiscard]] ImageView<const std::uint8_t> view() const {
    return own_.empty() ? picture_.shallow() : ImageView<const std::uint8_t>(own_);
  }

 private:
  AnyImageView picture_;
  ImageU8 own_;
};

// Copies the rows without gaps, in the format of the image.
void copy_rows(const AnyImageView& picture, std::uint8_t* to);

// Converts `pixels` pixels, starting at pixel `begin`, on the queue's device, which must not be a
// CPU. Asynchronous.
void make_grey(Queue& queue, const Memory<const std::uint8_t>& samples, int channels,
               std::int64_t begin, int pixels, const Buffer<std::uint8_t>& grey);
void make_grey(Queue& queue, const Memory<const std::uint16_t>& samples, int channels,
               std::int64_t begin, int pixels, const Buffer<std::uint8_t>& grey);
// Converts bytes that hold samples of the given format.
void make_grey(Queue& queue, const Buffer<std::uint8_t>& bytes, const PixelFormat& format,
               int pixels, const Buffer<std::uint8_t>& grey);

}  // namespace bifocal::features
