// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/rectify.hpp>

#include <algorithm>
#include <vector>

#include "runtime/parallel.hpp"
#include "rectify/remap.hpp"
#include "rectify/sampling_map.hpp"

namespace bifocal {

ImageU8 warp(ImageView<const std::uint8_t> image, const Mat3& output_from_input, int width,
             int height, ImageU8* valid) {
  constexpr int kRowsPerTask = 16;
  rectification::check_map_sizes("warp", image.width, image.height, width, height);
  const Mat3 m =
      rectification::input_from_output("warp", output_from_input, image.width, image.height);
  ImageU8 out(width, height, image.channels);
  if (valid) *valid = ImageU8(width, height);
  runtime::parallel_for((height + kRowsPerTask - 1) / kRowsPerTask, [&](int task) {
    std::vector<std::int32_t> sx(static_cast<std::size_t>(width)), sy(sx.size());
    const int end = std::min(height, (task + 1) * kRowsPerTask);
    for (int y = task * kRowsPerTask; y < end; ++y) {
      rectification::homography_positions(m.data(), y, width, image.width, image.height, sx.data(),
                                          sy.data());
      rectification::remap_row(image, sx.data(), sy.data(), width, out.row(y),
                               valid ? valid->row(y) : nullptr);
    }
  });
  return out;
}

ImageU8 warp(Queue& queue, ImageView<const std::uint8_t> image, const Mat3& output_from_input,
             int width, int height, ImageU8* valid) {
  if (queue.device().info().kind == DeviceKind::cpu)
    return warp(image, output_from_input, width, height, valid);
  const Remapper remapper(
      queue, sampling_map(output_from_input, image.width, image.height, width, height));
  return remapper(queue, image, valid);
}

}  // namespace bifocal
