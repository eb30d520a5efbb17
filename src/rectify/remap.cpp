// SPDX-License-Identifier: BSD-3-Clause
#include "rectify/remap.hpp"

#include <bifocal/error.hpp>
#include <bifocal/rectify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "rectify/remap.kernels.hpp"
#include "rectify/sampling_map.hpp"
#include "runtime/memory_limit.hpp"
#include "runtime/parallel.hpp"

namespace bifocal {
namespace rectification {
namespace {

namespace remap = kernels::remap;

constexpr int kRowsPerTask = 8;

std::size_t pixels(int width, int height) {
  return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
}

template <class T>
void check_memory(const Queue& queue, const char* what, const Memory<T>& m, std::size_t numbers) {
  if (m.is_null()) throw Error(ErrorCode::usage, fmt::format("Remapper: {} is null", what));
  if (const std::string why = runtime::why_foreign(queue, what, m); !why.empty())
    throw Error(ErrorCode::usage, "Remapper: " + why);
  if (m.owner() && m.size() < numbers)
    throw Error(ErrorCode::usage, fmt::format("Remapper: {} holds {} numbers, {} are needed", what,
                                              m.size(), numbers));
}

struct Sizes {
  int width, height, input_width, input_height;
};

// Runs synchronously, as queues of the CPU do.
template <class Pixel>
void run_on_cpu(const Sizes& s, const std::int32_t* x, const std::int32_t* y,
                ImageView<const Pixel> input, Pixel* output, std::uint8_t* valid) {
  const auto rows = [&](int task) {
    for (int row = task * kRowsPerTask; row < std::min(s.height, (task + 1) * kRowsPerTask);
         ++row) {
      const std::ptrdiff_t at = std::ptrdiff_t{row} * s.width;
      remap_row(input, x + at, y + at, s.width, output + at * input.channels,
                valid ? valid + at : nullptr);
    }
  };
  runtime::parallel_for((s.height + kRowsPerTask - 1) / kRowsPerTask, std::ref(rows));
}

template <class Pixel>
void run_remap(Queue& queue, const Sizes& s, const Buffer<std::int32_t>& x,
               const Buffer<std::int32_t>& y, const Memory<const Pixel>& input, int channels,
               const Memory<Pixel>& output, const Memory<std::uint8_t>& valid) {
  if (channels < 1 || channels > 4)
    throw Error(ErrorCode::usage, fmt::format("Remapper: {} channels, 1 to 4 can be", channels));
  const std::size_t area = pixels(s.width, s.height), each = static_cast<std::size_t>(channels);
  check_memory(queue, "input", input, pixels(s.input_width, s.input_height) * each);
  check_memory(queue, "output", output, area * each);
  if (!valid.is_null()) check_memory(queue, "valid", valid, area);
  if (queue.device().info().kind == DeviceKind::cpu) {
    const ImageView<const Pixel> picture(input.pointer(), s.input_width, s.input_height, channels);
    run_on_cpu(s, x.data(), y.data(), picture, output.pointer(), valid.pointer());
    return;
  }
  const remap::launch<float> launch(
      remap::REMAP_THREADS,
      {{"PIXEL_BITS", static_cast<int>(8 * sizeof(Pixel))}, {"CHANNELS", channels}});
  using runtime::Argument, runtime::Array;
  launch.remap(queue, {.count = static_cast<int>(area)},
               {.input = Array<const std::uint8_t>(Argument(input)),
                .input_width = s.input_width,
                .input_height = s.input_height,
                .x = x,
                .y = y,
                .output = Array<std::uint8_t>(Argument(output)),
                .valid = valid});
}

template <class Pixel>
Image<Pixel> remap_image(const Remapper& remapper, Queue& queue, const Sizes& s,
                         ImageView<const Pixel> image, ImageU8* valid) {
  if (image.width != s.input_width || image.height != s.input_height || !image.usable())
    throw Error(ErrorCode::usage,
                fmt::format("Remapper: an image of {} x {}, the map is for {} x {}", image.width,
                            image.height, s.input_width, s.input_height));
  const std::size_t row =
      static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.channels);
  std::vector<Pixel> packed;
  std::span<const Pixel> source(image.data, row * static_cast<std::size_t>(image.height));
  if (image.stride != static_cast<std::ptrdiff_t>(row)) {
    for (int y = 0; y < image.height; ++y)
      packed.insert(packed.end(), image.row(y), image.row(y) + row);
    source = packed;
  }
  Image<Pixel> out(s.width, s.height, image.channels);
  if (valid) *valid = ImageU8(s.width, s.height);
  if (queue.device().info().kind == DeviceKind::cpu) {
    remapper.run(queue, source.data(), image.channels, out.pixels.data(),
                 valid ? Memory<std::uint8_t>(valid->pixels.data()) : Memory<std::uint8_t>());
    return out;
  }
  Buffer<Pixel> in(queue.device(), source.size()), made(queue.device(), out.pixels.size());
  const Buffer<std::uint8_t> marks(queue.device(), valid ? valid->pixels.size() : 0);
  in.upload(queue, source);
  remapper.run(queue, in, image.channels, made,
               valid ? Memory<std::uint8_t>(marks) : Memory<std::uint8_t>());
  made.download(queue, std::span<Pixel>(out.pixels));
  if (valid) marks.download(queue, std::span<std::uint8_t>(valid->pixels));
  queue.wait();
  return out;
}

void check_map(const SamplingMap& map) {
  const auto fail = [](const std::string& why) {
    throw Error(ErrorCode::usage, "Remapper: " + why);
  };
  if (map.width < 1 || map.height < 1 || map.input_width < 1 || map.input_height < 1)
    fail(fmt::format("a map of {} x {} from {} x {}", map.width, map.height, map.input_width,
                     map.input_height));
  const std::size_t area = pixels(map.width, map.height);
  if (area > static_cast<std::size_t>(kMaxMapPixels))
    fail(fmt::format("a map of {} x {} is too large", map.width, map.height));
  if (map.x.size() != area || map.y.size() != area)
    fail(fmt::format("{} and {} positions for {} x {} px", map.x.size(), map.y.size(), map.width,
                     map.height));
  const std::int64_t right = 256 * std::int64_t{map.input_width - 1},
                     bottom = 256 * std::int64_t{map.input_height - 1};
  for (std::size_t i = 0; i < area; ++i) {
    if (i % 65536 == 0) check_cancelled();
    const std::int32_t x = map.x[i], y = map.y[i];
    if (x > right || y > bottom || x < -1 || (x >= 0) != (y >= 0))
      fail(fmt::format("position {} ({}, {}) is not in the input", i, x, y));
  }
}

}  // namespace
}  // namespace rectification

Remapper::Remapper(Queue& queue, const SamplingMap& map)
    : width_(map.width),
      height_(map.height),
      input_width_(map.input_width),
      input_height_(map.input_height) {
  rectification::check_map(map);
  x_ = Buffer<std::int32_t>(queue.device(), map.x.size());
  y_ = Buffer<std::int32_t>(queue.device(), map.y.size());
  x_.upload(queue, map.x);
  y_.upload(queue, map.y);
  queue.wait();
}

void Remapper::run(Queue& queue, Memory<const std::uint8_t> input, int channels,
                   Memory<std::uint8_t> output, Memory<std::uint8_t> valid) const {
  rectification::run_remap(queue, {width_, height_, input_width_, input_height_}, x_, y_, input,
                           channels, output, valid);
}
void Remapper::run(Queue& queue, Memory<const std::uint16_t> input, int channels,
                   Memory<std::uint16_t> output, Memory<std::uint8_t> valid) const {
  rectification::run_remap(queue, {width_, height_, input_width_, input_height_}, x_, y_, input,
                           channels, output, valid);
}

ImageU8 Remapper::operator()(Queue& queue, ImageView<const std::uint8_t> image,
                             ImageU8* valid) const {
  return rectification::remap_image(*this, queue, {width_, height_, input_width_, input_height_},
                                    image, valid);
}
ImageU16 Remapper::operator()(Queue& queue, ImageView<const std::uint16_t> image,
                              ImageU8* valid) const {
  return rectification::remap_image(*this, queue, {width_, height_, input_width_, input_height_},
                                    image, valid);
}

}  // namespace bifocal
