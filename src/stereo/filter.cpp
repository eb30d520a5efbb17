// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/filter.hpp"

#include "runtime/integers.hpp"
#include "stereo/filter.kernels.hpp"
#include "stereo/maps.hpp"

namespace bifocal::stereo {
namespace {

namespace filter = kernels::filter;

// The constants specialise filter_tile; no other kernel uses them.
filter::launch<float> kernels_of(bool regions, int median) {
  return filter::launch<float>(filter::FILTER_THREADS,
                               {{"REGIONS", regions ? 1 : 0}, {"MEDIAN_SIDE", median}});
}
const filter::launch<float>& filter_kernels() {
  static const filter::launch<float> launch = kernels_of(false, 0);
  return launch;
}

int tiles_of(ImageSize size) {
  return divided_up(size.width, filter::TILE_WIDTH) * divided_up(size.height, filter::TILE_HEIGHT);
}

bool uses_neighbours(Fill fill) { return fill == Fill::background || fill == Fill::planes; }

// Returns whether filter_tile has to run after the search: for the cross-check, for the median, or
// on a GPU for the speckle filter, because it also finds the regions of each tile.
bool needs_tiles(DeviceKind kind, const DisparityFilter& f, bool is_checked) {
  return !is_checked || f.median > 0 || (kind != DeviceKind::cpu && f.speckle_size > 1);
}

}  // namespace

std::size_t PostFilter::bytes(DeviceKind kind, ImageSize size, const DisparityFilter& f,
                              bool is_checked) {
  const bool regions = f.speckle_size > 1, is_cpu = kind == DeviceKind::cpu;
  const auto pixels = static_cast<std::size_t>(size.pixels());
  const std::size_t each = 2 + (needs_tiles(kind, f, is_checked) ? 2 : 0) +
                           (f.fill != Fill::none ? 4 : 0) +
                           (regions || f.fill == Fill::planes ? 8 : 0);
  return each * pixels + 2 * sizeof(int) * static_cast<std::size_t>(size.height) +
         (uses_neighbours(f.fill) ? (is_cpu ? 2 * pixels : 4 * fill_entries(size)) : 0) +
         (f.fill == Fill::planes ? PlaneFill::bytes(kind, size) : 0);
}

PostFilter::PostFilter(const Device& device, ImageSize size, const DisparityFilter& f,
                       int min_disparity, bool is_checked)
    : size_(size),
      filter_(f),
      min_disparity_(min_disparity),
      tolerance_(is_checked ? -1 : subpixels_of(f.cross_check)),
      tile_(kernels_of(f.speckle_size > 1 && device.info().kind != DeviceKind::cpu, f.median)),
      flat_tile_(kernels_of(true, 0)) {
  const DeviceKind kind = device.info().kind;
  const auto pixels = static_cast<std::size_t>(size.pixels()),
             rows = static_cast<std::size_t>(size.height);
  const auto when = [&](bool needed) { return needed ? pixels : 0; };
  const bool has_planes = f.fill == Fill::planes,
             has_ends = uses_neighbours(f.fill) && kind != DeviceKind::cpu;
  winners_ = DisparityBuffer(device, when(needs_tiles(kind, f, is_checked)));
  disparity_ = DisparityBuffer(device, pixels);
  filled_ = DisparityBuffer(device, when(f.fill != Fill::none));
  labels_ = Buffer<std::uint32_t>(device, when(has_regions() || has_planes));
  sizes_ = Buffer<std::uint32_t>(device, when(has_regions() || has_planes));
  if (has_planes) planes_.emplace(device, size);
  scratch_ = {.disparity = DisparityBuffer(device, when(f.fill != Fill::none)),
              .ends = Buffer<std::uint32_t>(device, has_ends ? fill_entries(size) : 0),
              .row_known = Buffer<int>(device, rows),
              .row_source = Buffer<int>(device, rows)};
}

void PostFilter::run(Queue& queue, const WinnerMaps& winners, const FilteredMaps& out) {
  const int range = subpixels_of(filter_.speckle_range);
  if (winners_.size() > 0)
    tile_.filter_tile(queue, {.count = tiles_of(size_)},
                      {.winners = winners_,
                       .right_index = winners.right_index,
                       .width = size_.width,
                       .height = size_.height,
                       .min_disparity = min_disparity_,
                       .tolerance = tolerance_,
                       .range = range,
                       .disparity = disparity_,
                       .labels = labels_,
                       .sizes = sizes_});
  if (has_regions()) find_regions(queue, disparity_, range);
  if (has_regions() || !out.raw.is_null() || !out.confidence.is_null())
    filter_kernels().filter_apply(queue, {.count = size_.pixels()},
                                  {.disparity = disparity_,
                                   .labels = labels_,
                                   .sizes = sizes_,
                                   .least = has_regions() ? filter_.speckle_size : 0,
                                   .min_disparity = min_disparity_,
                                   .confidence = winners.confidence,
                                   .raw = out.raw,
                                   .confidence_map = out.confidence});
  if (planes_) find_planes(queue, winners);
  fill_unknown(queue, size_, filter_.fill, filter_.fill_window, planes_ ? filled_ : disparity_,
               scratch_, filled_);
  to_px(queue, filled(), out.filled);
}

// Finds labels_ and sizes_ of the regions of `values`. On a GPU it joins the regions that
// filter_tile has found in each tile.
void PostFilter::find_regions(Queue& queue, const DisparityBuffer& values, int range) {
  if (queue.device().info().kind == DeviceKind::cpu)
    return regions_.find(view_of(values, size_), range, labels_.data(), sizes_.data());
  using filter::TILE_HEIGHT, filter::TILE_WIDTH;
  const int width = size_.width, height = size_.height;
  filter_kernels().filter_borders(
      queue, {.count = BORDER_PAIRS(width, height)},
      {.disparity = values, .width = width, .height = height, .range = range, .labels = labels_});
  filter_kernels().filter_sizes(queue, {.count = size_.pixels()},
                                {.labels = labels_, .sizes = sizes_});
}

// Writes the disparities to filled_, with the planes of flat regions added.
void PostFilter::find_planes(Queue& queue, const WinnerMaps& winners) {
  const DisparityBuffer& flat = filled_;
  planes_->find_flat(queue, winners, flat);
  if (queue.device().info().kind != DeviceKind::cpu)
    flat_tile_.filter_tile(queue, {.count = tiles_of(size_)},
                           {.winners = flat,
                            .right_index = winners.right_index,
                            .width = size_.width,
                            .height = size_.height,
                            .min_disparity = min_disparity_,
                            .tolerance = -1,
                            .range = 0,
                            .disparity = scratch_.disparity,
                            .labels = labels_,
                            .sizes = sizes_});
  find_regions(queue, flat, 0);
  planes_->run(queue, disparity_, labels_, sizes_, filled_);
}

void PostFilter::to_px(Queue& queue, const DisparityBuffer& disparity,
                       const Memory<float>& map) const {
  if (map.is_null()) return;
  filter_kernels().filter_px(queue, {.count = size_.pixels()},
                             {.disparity = disparity, .min_disparity = min_disparity_, .map = map});
}

}  // namespace bifocal::stereo
