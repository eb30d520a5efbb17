// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include <bifocal/error.hpp>
#include <bifocal/image.hpp>

namespace bifocal {

namespace {

template <class T>
Image<T> grey_of(ImageView<const T> image) {
  if (image.channels < 1 || image.channels > 4) {
    throw Error(ErrorCode::usage,
                "to_grey: image has " + std::to_string(image.channels) + " channels, not 1 to 4");
  }
  if (!image.usable())
    throw Error(ErrorCode::usage, "to_grey: the view has no pixels, or rows that overlap");
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

}  // namespace

ImageU8 to_grey(ImageView<const std::uint8_t> image) { return grey_of(image); }
ImageU16 to_grey(ImageView<const std::uint16_t> image) { return grey_of(image); }

}  // namespace bifocal
