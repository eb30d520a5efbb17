// SPDX-License-Identifier: BSD-3-Clause
// Pictures as cameras and files give them: of 8 or 16 bits, grey or in colours.
#pragma once

#include <bifocal/image.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace bifocal {

// A view of interleaved samples, not owned: 1 grey, 2 grey + alpha, 3 RGB, 4 RGBA, of 8 bits or of
// 16 in the machine's order of bytes. Images and views of both convert to it.
class PictureView {
 public:
  PictureView() = default;
  PictureView(const std::uint8_t* pixels, int width, int height, int channels = 1,
              std::ptrdiff_t stride = 0)
      : PictureView(ImageView<const std::uint8_t>(pixels, width, height, channels, stride)) {}
  template <std::same_as<std::uint16_t> T>
  PictureView(const T* pixels, int width, int height, int channels = 1, std::ptrdiff_t stride = 0)
      : PictureView(ImageView<const T>(pixels, width, height, channels, stride)) {}
  PictureView(ImageView<const std::uint8_t> view) : shallow_(view) {}           // NOLINT
  PictureView(ImageView<std::uint8_t> view) : shallow_(view) {}                 // NOLINT
  PictureView(const ImageU8& image) : shallow_(image) {}                        // NOLINT
  PictureView(ImageView<const std::uint16_t> view) : deep_(view), bits_(16) {}  // NOLINT
  PictureView(ImageView<std::uint16_t> view) : deep_(view), bits_(16) {}        // NOLINT
  PictureView(const ImageU16& image) : deep_(image), bits_(16) {}               // NOLINT

  [[nodiscard]] int bits() const { return bits_; }  // of a sample: 8 or 16
  [[nodiscard]] int width() const { return bits_ == 8 ? shallow_.width : deep_.width; }
  [[nodiscard]] int height() const { return bits_ == 8 ? shallow_.height : deep_.height; }
  [[nodiscard]] int channels() const { return bits_ == 8 ? shallow_.channels : deep_.channels; }
  [[nodiscard]] bool empty() const { return bits_ == 8 ? shallow_.empty() : deep_.empty(); }
  [[nodiscard]] bool usable() const { return bits_ == 8 ? shallow_.usable() : deep_.usable(); }
  // That of `bits`; the other one is empty.
  [[nodiscard]] const ImageView<const std::uint8_t>& shallow() const { return shallow_; }
  [[nodiscard]] const ImageView<const std::uint16_t>& deep() const { return deep_; }

 private:
  ImageView<const std::uint8_t> shallow_;
  ImageView<const std::uint16_t> deep_;
  int bits_ = 8;
};

// The grey picture of 8 bits that features are found in, of any: samples of 16 bits become
// (255 v + 32767) / 65535, the nearest of [0, 255], as read_image() does, and then colours grey
// (image.hpp). Throws Error(usage) for a picture of other than 1 to 4 channels.
[[nodiscard]] ImageU8 to_grey_8(const PictureView& picture);

}  // namespace bifocal
