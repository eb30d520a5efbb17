// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/fill.hpp"

#include <algorithm>

#include "stereo/filter.kernels.hpp"

namespace bifocal::stereo {
namespace {

namespace filter = kernels::filter;

// Rounds of the mean fill that have a launch each, on the whole device. Few pixels stay unknown
// after them.
constexpr int kMeanRounds = 16;

const filter::launch<float>& fill_kernels() {
  static const filter::launch<float> launch(filter::FILTER_THREADS,
                                            {{"REGIONS", 0}, {"MEDIAN_SIDE", 0}});
  return launch;
}

// Fills unknown pixels from the nearest known disparities in eight directions,
// into scratch.disparity.
void fill_around(Queue& queue, ImageSize size, const DisparityBuffer& disparity,
                 FillScratch& scratch) {
  if (queue.device().info().kind == DeviceKind::cpu)
    return fill_from_nearest(view_of(disparity, size), scratch.nearest,
                             view_of(scratch.disparity, size));
  using filter::FILL_SEGMENT;
  const int width = size.width, height = size.height;
  fill_kernels().fill_ends(
      queue, {.count = static_cast<int>(fill_entries(size))},
      {.disparity = disparity, .width = width, .height = height, .ends = scratch.ends});
  fill_kernels().fill_carry(queue, {.count = FILL_LINES(width, height)},
                            {.width = width, .height = height, .ends = scratch.ends});
  fill_kernels().fill_around(queue, {.count = size.pixels()},
                             {.disparity = disparity,
                              .width = width,
                              .height = height,
                              .ends = scratch.ends,
                              .filled = scratch.disparity});
}

void fill_background(Queue& queue, ImageSize size, const DisparityBuffer& disparity,
                     FillScratch& scratch, const DisparityBuffer& filled) {
  fill_around(queue, size, disparity, scratch);
  fill_kernels().fill_row(queue, {.count = size.height},
                          {.disparity = scratch.disparity,
                           .width = size.width,
                           .filled = filled,
                           .row_known = scratch.row_known});
  fill_kernels().fill_sources(
      queue, {.count = 1},
      {.row_known = scratch.row_known, .height = size.height, .row_source = scratch.row_source});
  fill_kernels().fill_blank(queue, {.count = size.height},
                            {.row_source = scratch.row_source,
                             .width = size.width,
                             .height = size.height,
                             .filled = filled});
}

bool has_rest(const DeviceInfo& info) { return info.group_code || info.kind == DeviceKind::cpu; }

// Fills unknown pixels with window means, in rounds that extend the known disparities by `radius`
// px each. The number of rounds is odd, so that the last one writes to `filled`. OpenCL devices
// without group code launch all rounds separately, because the compiler of PoCL 6.0 aborts the
// process on fill_mean_rest.
void fill_mean(Queue& queue, ImageSize size, int window, const DisparityBuffer& disparity,
               const FillScratch& scratch, const DisparityBuffer& filled) {
  const int radius = window / 2, needed = std::max(size.width, size.height) / radius + 1,
            most = has_rest(queue.device().info()) ? kMeanRounds : needed,
            rounds = std::min(needed, most) | 1;
  const DisparityBuffer* from = &disparity;
  for (int i = 0; i < rounds; ++i) {
    const DisparityBuffer& to = i % 2 == 0 ? filled : scratch.disparity;
    fill_kernels().fill_mean_round(queue, {.count = size.pixels()},
                                   {.disparity = *from,
                                    .width = size.width,
                                    .height = size.height,
                                    .radius = radius,
                                    .filled = to});
    from = &to;
  }
  if (rounds < needed)
    fill_kernels().fill_mean_rest(queue, {.count = 1},
                                  {.disparity = filled,
                                   .other = scratch.disparity,
                                   .width = size.width,
                                   .height = size.height,
                                   .radius = radius});
}

}  // namespace

std::size_t fill_entries(ImageSize size) {
  using filter::FILL_SEGMENT;
  const auto width = static_cast<std::size_t>(size.width),
             height = static_cast<std::size_t>(size.height);
  return FILL_ENTRIES(width, height);
}

void fill_unknown(Queue& queue, ImageSize size, Fill fill, int window,
                  const DisparityBuffer& disparity, FillScratch& scratch,
                  const DisparityBuffer& filled) {
  if (fill == Fill::background || fill == Fill::planes)
    fill_background(queue, size, disparity, scratch, filled);
  if (fill == Fill::mean) fill_mean(queue, size, window, disparity, scratch, filled);
}

}  // namespace bifocal::stereo
