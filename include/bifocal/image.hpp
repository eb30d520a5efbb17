// SPDX-License-Identifier: BSD-3-Clause
// Images that own their pixels, and views. The centre of the top-left pixel is (0, 0), x points to
// the right, y down.
#pragma once

#include <bifocal/cxx20.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace bifocal {

// A view of interleaved pixels that it does not own. `stride` is the distance between rows in
// elements of T, at least width * channels.
template <class T>
struct ImageView {
  T* data = nullptr;
  int width = 0;     // px
  int height = 0;    // px
  int channels = 1;  // 1 grey, 2 grey + alpha, 3 RGB, 4 RGBA
  std::ptrdiff_t stride = 0;

  ImageView() = default;
  ImageView(T* pixels, int w, int h, int c = 1, std::ptrdiff_t row_stride = 0)
      : data(pixels),
        width(w),
        height(h),
        channels(c),
        stride(row_stride ? row_stride : std::ptrdiff_t{w} * c) {}
  // A view of mutable pixels converts to a view of constant pixels.
  operator ImageView<const T>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {data, width, height, channels, stride};
  }

  [[nodiscard]] bool empty() const { return width <= 0 || height <= 0; }
  // Whether the view is empty, or has pixels in rows that do not overlap. Functions throw
  // Error(usage) for unusable views.
  [[nodiscard]] bool usable() const {
    return empty() || (data && stride >= std::ptrdiff_t{width} * channels);
  }
  [[nodiscard]] T* row(int y) const { return data + y * stride; }
  [[nodiscard]] T& at(int x, int y, int c = 0) const { return row(y)[x * channels + c]; }
};

// An image that owns its pixels. Rows have no gaps; all samples are initially `value`, by
// default 0.
template <class T>
struct Image {
  int width = 0;
  int height = 0;
  int channels = 1;
  std::vector<T> pixels;  // [height, width, channels]

  Image() = default;
  Image(int w, int h, int c = 1, T value = T{})
      : width(w),
        height(h),
        channels(c),
        pixels(std::size_t(w) * std::size_t(h) * std::size_t(c), value) {}

  [[nodiscard]] bool empty() const { return pixels.empty(); }
  [[nodiscard]] T* row(int y) {
    return pixels.data() + std::size_t(y) * std::size_t(width * channels);
  }
  [[nodiscard]] const T* row(int y) const {
    return pixels.data() + std::size_t(y) * std::size_t(width * channels);
  }
  [[nodiscard]] T& at(int x, int y, int c = 0) { return row(y)[x * channels + c]; }
  [[nodiscard]] const T& at(int x, int y, int c = 0) const { return row(y)[x * channels + c]; }

  operator ImageView<T>() { return {pixels.data(), width, height, channels}; }  // NOLINT
  operator ImageView<const T>() const {
    return {pixels.data(), width, height, channels};
  }  // NOLINT
};

using ImageU8 = Image<std::uint8_t>;
using ImageU16 = Image<std::uint16_t>;
using ImageF = Image<float>;

// Converts 1 to 4 channels to grey with the same bit depth: (77 R + 150 G + 29 B + 128) / 256, the
// weights of ITU-R BT.601. Ignores alpha.
[[nodiscard]] ImageU8 to_grey(ImageView<const std::uint8_t> image);
[[nodiscard]] ImageU16 to_grey(ImageView<const std::uint16_t> image);

// Images of cameras and files: 8 or 16 bits, grey or colour.

// A view of interleaved samples that it does not own: 1 grey, 2 grey + alpha, 3 RGB, 4 RGBA; 8
// bits, or 16 bits in the byte order of the machine. Images and views of both depths convert to it.
class AnyImageView {
 public:
  AnyImageView() = default;
  AnyImageView(const std::uint8_t* pixels, int width, int height, int channels = 1,
               std::ptrdiff_t stride = 0)
      : AnyImageView(ImageView<const std::uint8_t>(pixels, width, height, channels, stride)) {}
  template <std::same_as<std::uint16_t> T>
  AnyImageView(const T* pixels, int width, int height, int channels = 1, std::ptrdiff_t stride = 0)
      : AnyImageView(ImageView<const T>(pixels, width, height, channels, stride)) {}
  AnyImageView(ImageView<const std::uint8_t> view) : shallow_(view) {}           // NOLINT
  AnyImageView(ImageView<std::uint8_t> view) : shallow_(view) {}                 // NOLINT
  AnyImageView(const ImageU8& image) : shallow_(image) {}                        // NOLINT
  AnyImageView(ImageView<const std::uint16_t> view) : deep_(view), bits_(16) {}  // NOLINT
  AnyImageView(ImageView<std::uint16_t> view) : deep_(view), bits_(16) {}        // NOLINT
  AnyImageView(const ImageU16& image) : deep_(image), bits_(16) {}               // NOLINT

  [[nodiscard]] int bits() const { return bits_; }  // per sample: 8 or 16
  [[nodiscard]] int width() const { return bits_ == 8 ? shallow_.width : deep_.width; }
  [[nodiscard]] int height() const { return bits_ == 8 ? shallow_.height : deep_.height; }
  [[nodiscard]] int channels() const { return bits_ == 8 ? shallow_.channels : deep_.channels; }
  [[nodiscard]] bool empty() const { return bits_ == 8 ? shallow_.empty() : deep_.empty(); }
  [[nodiscard]] bool usable() const { return bits_ == 8 ? shallow_.usable() : deep_.usable(); }
  // Views of the pixels with 8 bits (shallow) and with 16 bits (deep). The view that does not match
  // bits() is empty.
  [[nodiscard]] const ImageView<const std::uint8_t>& shallow() const { return shallow_; }
  [[nodiscard]] const ImageView<const std::uint16_t>& deep() const { return deep_; }

 private:
  ImageView<const std::uint8_t> shallow_;
  ImageView<const std::uint16_t> deep_;
  int bits_ = 8;
};

// Converts an image of any depth to the 8-bit grey image in which features are detected. A sample v
// of 16 bits, shifted left by unused_bits() (io.hpp), becomes (255 v + 32767) / 65535, the nearest
// value of [0, 255], like in read_image(); colours are then converted to grey. Throws Error(usage)
// unless the image has 1 to 4 channels.
[[nodiscard]] ImageU8 to_grey_8(const AnyImageView& picture);

}  // namespace bifocal
