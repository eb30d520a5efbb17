// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/fill_device.hpp"

#include <algorithm>

#include "stereo/filter.kernels.hpp"

namespace bifocal::stereo {
namespace {

namespace filter = kernels::filter;

// Rounds of the fill by means that all of the device works on; what they leave is little.
constexpr int kMeanRounds = 16;

const filter::launch<float>& kernels() {
  static const filter::launch<float> launch(filter::FILTER_THREADS,
                                            {{"REGIONS", 0}, {"MEDIAN_SIDE", 0}});
  return launch;
}

void fill_background(Queue& queue, PictureSize size, const DisparityBuffer& disparity,
                     const FillScratch& scratch, const DisparityBuffer& filled) {
  const int diagonals = size.width + size.height - 1;
  const auto lines = [&](int count, int dx, int dy, bool is_first) {
    kernels().fill_line(queue, {.count = count},
                        {.disparity = disparity,
                         .width = size.width,
                         .height = size.height,
                         .dx = dx,
                         .dy = dy,
                         .is_first = is_first,
                         .lowest = scratch.lowest,
                         .filled = scratch.disparity});
  };
  lines(size.width, 0, 1, true);
  lines(diagonals, 1, 1, false);
  lines(diagonals, -1, 1, false);
  lines(size.height, 1, 0, false);
  kernels().fill_row(queue, {.count = size.height},
                     {.disparity = scratch.disparity,
                      .width = size.width,
                      .filled = filled,
                      .row_known = scratch.row_known});
  kernels().fill_blank(queue, {.count = size.height},
                       {.row_known = scratch.row_known,
                        .width = size.width,
                        .height = size.height,
                        .filled = filled});
}

// Every round reaches `radius` px further. An odd number of them ends in `filled`. Where a device's
// compiler is not given group code there is no fill_mean_rest, over which that of PoCL 6.0 ends the
// process.
void fill_mean(Queue& queue, PictureSize size, int window, const DisparityBuffer& disparity,
               const FillScratch& scratch, const DisparityBuffer& filled) {
  const int radius = window / 2, needed = std::max(size.width, size.height) / radius + 1,
            most = queue.device().info().group_code ? kMeanRounds : needed,
            rounds = std::min(needed, most) | 1;
  const DisparityBuffer* from = &disparity;
  for (int i = 0; i < rounds; ++i) {
    const DisparityBuffer& to = i % 2 == 0 ? filled : scratch.disparity;
    kernels().fill_mean_round(queue, {.count = size.pixels()},
                              {.disparity = *from,
                               .width = size.width,
                               .height = size.height,
                               .radius = radius,
                               .filled = to});
    from = &to;
  }
  if (rounds < needed)
    kernels().fill_mean_rest(queue, {.count = 1},
                             {.disparity = filled,
                              .other = scratch.disparity,
                              .width = size.width,
                              .height = size.height,
                              .radius = radius});
}

}  // namespace

void fill_unknown(Queue& queue, PictureSize size, Fill fill, int window,
                  const DisparityBuffer& disparity, const FillScratch& scratch,
                  const DisparityBuffer& filled) {
  if (fill == Fill::background || fill == Fill::planes)
    fill_background(queue, size, disparity, scratch, filled);
  if (fill == Fill::mean) fill_mean(queue, size, window, disparity, scratch, filled);
}

}  // namespace bifocal::stereo
