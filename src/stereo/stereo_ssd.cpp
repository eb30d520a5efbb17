// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/stereo.hpp>

#include "stereo/chain.hpp"
#include "stereo/disparity_text.hpp"
#include "stereo/ssd.hpp"
#include "stereo/ssd_device.hpp"
#include "stereo/stereo_options.hpp"

namespace bifocal {
namespace {

using Text = stereo::disparity_text;

struct Winners {
  ImageU16 steps;
  ImageU8 occluded;  // empty unless the fill asks for it
};

void mark_seen(const stereo::WinnerRow& row, int width, std::uint8_t* occluded) {
  std::fill_n(occluded, width, std::uint8_t{1});
  for (int x = 0; x < width; ++x) {
    if (row.right[x] != stereo::kNoDisparity) occluded[x + row.right[x]] = 0;
  }
}

// What both directions agree on.
void check_row(const stereo::WinnerRow& row, int width, int min_disparity, int tolerance,
               std::uint16_t* steps) {
  for (int x = 0; x < width; ++x) {
    const int d = row.left[x];
    steps[x] = Text::UNKNOWN_STEPS;
    if (d == stereo::kNoDisparity) continue;
    // A left winner at x - d means that the right pixel was searched too.
    const int index = d - min_disparity, right = row.right[x - d] - min_disparity;
    if (tolerance >= 0 && !Text::directions_agree(index * Text::STEPS, right, tolerance)) continue;
    steps[x] = static_cast<std::uint16_t>(index * Text::STEPS + row.offset[x]);
  }
}

Winners search(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
               const SsdOptions& options) {
  Winners w;
  w.steps = ImageU16(left.width, left.height);
  if (options.fill == Fill::edge_aware) w.occluded = ImageU8(left.width, left.height);
  const int tolerance = stereo::steps_of(options.cross_check);
  stereo::ssd_winners(left, right, options, [&](int y, const stereo::WinnerRow& row) {
    check_row(row, left.width, options.min_disparity, tolerance, w.steps.row(y));
    if (!w.occluded.pixels.empty()) mark_seen(row, left.width, w.occluded.row(y));
  });
  return w;
}

// Rows without gaps between them.
ImageU8 packed(ImageView<const std::uint8_t> image) {
  ImageU8 copy(image.width, image.height);
  for (int y = 0; y < image.height; ++y) std::copy_n(image.row(y), image.width, copy.row(y));
  return copy;
}

void check(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
           const SsdOptions& options) {
  stereo::check_pictures("stereo_ssd", left, right);
  stereo::check_ssd(options);
}

}  // namespace

DisparityMap stereo_ssd(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
                        const SsdOptions& options) {
  check(left, right, options);
  const Winners w = search(left, right, options);
  ImageU8 brightness;
  if (options.fill == Fill::edge_aware) brightness = packed(left);
  stereo::ChainMemory memory;
  ImageU16 filled;
  stereo::fill_unknown(w.steps, options.fill, options.window, brightness, w.occluded, memory,
                       filled);
  DisparityMap map;
  stereo::to_maps(w.steps, filled, options.min_disparity, map);
  return map;
}

DisparityMap stereo_ssd(Queue& queue, ImageView<const std::uint8_t> left,
                        ImageView<const std::uint8_t> right, const SsdOptions& options) {
  if (queue.device().info().kind == DeviceKind::cpu) return stereo_ssd(left, right, options);
  check(left, right, options);
  const ImageU8 pictures[] = {packed(left), packed(right)};
  const std::size_t pixels = pictures[0].pixels.size();
  Buffer<std::uint8_t> on_device[] = {{queue.device(), pixels}, {queue.device(), pixels}};
  stereo::SsdDevice matcher(queue, left.width, left.height, options);
  for (std::size_t i = 0; i < 2; ++i) on_device[i].upload(queue, pictures[i].pixels);
  matcher.run(on_device[0], on_device[1]);
  ImageU16 steps(left.width, left.height), filled(left.width, left.height);
  matcher.steps().download(queue, std::span<std::uint16_t>(steps.pixels));
  matcher.filled().download(queue, std::span<std::uint16_t>(filled.pixels));
  queue.wait();
  DisparityMap map;
  stereo::to_maps(steps, filled, options.min_disparity, map);
  return map;
}

}  // namespace bifocal
