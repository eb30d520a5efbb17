// SPDX-License-Identifier: BSD-3-Clause
#include "features/grey/grey_device.hpp"

#include <bifocal/io.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

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

void copy_rows(const AnyImageView& picture, std::uint8_t* to) {
  if (picture.bits() == 8) return copy(picture.shallow(), to);
  const ImageView<const std::uint16_t>& deep = picture.deep();
  const int unused = unused_bits(picture);
  if (unused == 0) return copy(deep, to);
  const std::size_t row =
      static_cast<std::size_t>(deep.width) * static_cast<std::size_t>(deep.channels);
  std::vector<std::uint16_t> shifted(row);
  for (int y = 0; y < deep.height; ++y, to += row * sizeof shifted[0]) {
    std::transform(deep.row(y), deep.row(y) + row, shifted.begin(),
                   [=](std::uint16_t v) { return static_cast<std::uint16_t>(v << unused); });
    std::memcpy(to, shifted.data(), row * sizeof shifted[0]);
  }
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
