// SPDX-License-Identifier: BSD-3-Clause
#include "features/grey/grey_device.hpp"

#include <cstring>

#include "features/grey/grey.kernels.hpp"
#include "runtime/launch_cache.hpp"

namespace bifocal::features {
namespace {

const kernels::grey::launch<float>& launches() {
  return runtime::launch_of<kernels::grey::launch<float>>(256);
}

template <class T>
void copy(const ImageView<const T>& image, std::uint8_t* to) {
  const std::size_t row =
      static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.channels) * sizeof(T);
  for (int y = 0; y < image.height; ++y, to += row) std::memcpy(to, image.row(y), row);
}

}  // namespace

void copy_rows(const PictureView& picture, std::uint8_t* to) {
  picture.bits() == 8 ? copy(picture.shallow(), to) : copy(picture.deep(), to);
}

void make_grey(Queue& queue, const Memory<const std::uint8_t>& samples, int channels,
               std::int64_t begin, int pixels, const Buffer<std::uint8_t>& grey) {
  launches().grey_of_8(queue, {.count = pixels},
                       {.samples = samples, .begin = begin, .channels = channels, .grey = grey});
}

void make_grey(Queue& queue, const Memory<const std::uint16_t>& samples, int channels,
               std::int64_t begin, int pixels, const Buffer<std::uint8_t>& grey) {
  launches().grey_of_16(queue, {.count = pixels},
                        {.samples = samples, .begin = begin, .channels = channels, .grey = grey});
}

void make_grey(Queue& queue, const Buffer<std::uint8_t>& bytes, const PixelFormat& format,
               int pixels, const Buffer<std::uint8_t>& grey) {
  if (format.bits == 8) return make_grey(queue, bytes, format.channels, 0, pixels, grey);
  launches().grey_of_16(queue, {.count = pixels},
                        {.samples = runtime::Array<const std::uint16_t>(runtime::Argument(bytes)),
                         .begin = 0,
                         .channels = format.channels,
                         .grey = grey});
}

}  // namespace bifocal::features
