// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cstring>

#include <bifocal/error.hpp>
#include <bifocal/image.hpp>
#include <bifocal/io.hpp>

namespace bifocal {

namespace {

template <class T>
void check(ImageView<const T> image) {
  if (image.channels < 1 || image.channels > 4) {
    throw Error(ErrorCode::usage,
                "image has " + std::to_string(image.channels) + " channels, not 1 to 4");
  }
  if (!image.usable())
    throw Error(ErrorCode::usage, "image: the view has no pixels, or rows that overlap");
}

template <class T>
Image<T> grey_of(ImageView<const T> image) {
  check(image);
  if (image.empty()) return {};
  Image<T> grey(image.width, image.height);
  for (int y = 0; y < image.height; ++y) {
    const T* in = image.row(y);
    T* out = grey.row(y);
    if (image.channels == 1) {
      std::memcpy(out, in, std::size_t(image.width) * sizeof(T));
    } else if (image.channels == 2) {
      for (int x = 0; x < image.width; ++x) out[x] = in[2 * x];
    } else {
      for (int x = 0; x < image.width; ++x, in += image.channels) {
        out[x] = T((77 * in[0] + 150 * in[1] + 29 * in[2] + 128) >> 8);
      }
    }
  }
  return grey;
}

ImageU8 copy_of(ImageView<const std::uint8_t> image) {
  check(image);
  if (image.empty()) return {};
  ImageU8 copy(image.width, image.height, image.channels);
  for (int y = 0; y < image.height; ++y)
    std::copy_n(image.row(y), std::ptrdiff_t{image.width} * image.channels, copy.row(y));
  return copy;
}

}  // namespace

ImageU8 to_grey(ImageView<const std::uint8_t> image) { return grey_of(image); }
ImageU16 to_grey(ImageView<const std::uint16_t> image) { return grey_of(image); }

int unused_bits(const AnyImageView& picture) {
  constexpr int kFewest = 2, kMost = 8;
  const ImageView<const std::uint16_t>& deep = picture.deep();
  if (picture.bits() == 8 || deep.empty() || !deep.usable()) return 0;
  std::uint16_t used = 0;
  for (int y = 0; y < deep.height; ++y) {
    const std::uint16_t* row = deep.row(y);
    for (int i = 0; i < deep.width * deep.channels; ++i) used |= row[i];
    if (used >> (16 - kFewest) != 0) return 0;
  }
  return used == 0 ? 0 : std::min(kMost, std::countl_zero(used));
}

ImageU8 to_8_bits(const AnyImageView& picture) {
  if (picture.bits() == 8) return copy_of(picture.shallow());
  const ImageView<const std::uint16_t>& deep = picture.deep();
  check(deep);
  if (deep.empty()) return {};
  ImageU8 shallow(deep.width, deep.height, deep.channels);
  const int unused = unused_bits(picture);
  for (int y = 0; y < deep.height; ++y)
    std::transform(deep.row(y), deep.row(y) + std::ptrdiff_t{deep.width} * deep.channels,
                   shallow.row(y), [=](std::uint32_t v) {
                     return static_cast<std::uint8_t>(((v << unused) * 255U + 32767U) / 65535U);
                   });
  return shallow;
}

ImageU8 to_grey_8(const AnyImageView& picture) {
  if (picture.bits() == 8) return to_grey(picture.shallow());
  ImageU8 shallow = to_8_bits(picture);
  return shallow.channels == 1 ? shallow : to_grey(shallow);
}

}  // namespace bifocal
