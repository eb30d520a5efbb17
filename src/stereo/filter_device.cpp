// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/filter_device.hpp"

#include <initializer_list>

#include "runtime/kernel.hpp"
#include "stereo/chain.hpp"
#include "stereo/filter_kernels.hpp"

namespace bifocal::stereo {
#if !BIFOCAL_HAS_CUDA
const void* cuda_filter_kernel(FilterKernel) { return nullptr; }
#endif
namespace {

constexpr int kTileWidth = 32, kTileHeight = 16;  // filter.kernel.h

runtime::Kernel make_kernel(FilterKernel kernel) {
  return {.entry = kFilterEntries[static_cast<int>(kernel)],
          .text = "filter",
          .constants = {{"REAL_IS_FLOAT", 1}, {"GROUP_SIZE", kFilterThreads}},
          .cuda = cuda_filter_kernel(kernel)};
}

void start(Queue& queue, FilterKernel kernel, int groups,
           std::initializer_list<runtime::Argument> arguments) {
  static const runtime::Kernel kernels[] = {
      make_kernel(FilterKernel::tile), make_kernel(FilterKernel::borders),
      make_kernel(FilterKernel::sizes), make_kernel(FilterKernel::apply),
      make_kernel(FilterKernel::pixels)};
  runtime::launch(queue, kernels[static_cast<int>(kernel)],
                  {.groups = groups, .group_size = kFilterThreads},
                  {arguments.begin(), arguments.size()});
}

int groups_for(int items, int each) { return (items + each - 1) / each; }

bool needs_scratch(Fill fill) { return fill == Fill::mean || fill == Fill::edge_aware; }

}  // namespace

std::size_t FilterDevice::bytes(ChainSize size, const DisparityFilter& filter) {
  const bool regions = filter.speckle_size > 1, occluded = filter.fill == Fill::edge_aware;
  const std::size_t each = 2 + (filter.fill != Fill::none ? 2 : 0) + (regions ? 8 : 0) +
                           (needs_scratch(filter.fill) ? 2 : 0) + (occluded ? 1 : 0);
  return each * static_cast<std::size_t>(size.pixels()) +
         sizeof(int) * static_cast<std::size_t>(size.height);
}

FilterDevice::FilterDevice(const Device& device, ChainSize size, const DisparityFilter& filter,
                           int min_disparity)
    : size_(size), filter_(filter), min_disparity_(min_disparity) {
  const auto pixels = static_cast<std::size_t>(size.pixels());
  const auto when = [&](bool needed) { return needed ? pixels : 0; };
  steps_ = StepsBuffer(device, pixels);
  filled_ = StepsBuffer(device, when(filter.fill != Fill::none));
  labels_ = Buffer<std::uint32_t>(device, when(has_regions()));
  sizes_ = Buffer<std::uint32_t>(device, when(has_regions()));
  occluded_ = Buffer<std::uint8_t>(device, when(filter.fill == Fill::edge_aware));
  scratch_ = {StepsBuffer(device, when(needs_scratch(filter.fill))),
              Buffer<int>(device, static_cast<std::size_t>(size.height))};
}

void FilterDevice::run(Queue& queue, const WinnerMaps& winners, const FilteredMaps& out) {
  const int pixels = size_.pixels(), width = size_.width, height = size_.height;
  const int groups = groups_for(pixels, kFilterThreads);
  const int range = steps_of(filter_.speckle_range), fills = filter_.fill != Fill::none;
  start(queue, FilterKernel::tile, groups_for(width, kTileWidth) * groups_for(height, kTileHeight),
        {winners.steps, winners.right_index, width, height, min_disparity_,
         steps_of(filter_.cross_check), filter_.median, has_regions() ? 1 : 0, range, steps_,
         labels_, sizes_});
  if (has_regions()) {
    const int pairs = (height - 1) / kTileHeight * width + (width - 1) / kTileWidth * height;
    start(queue, FilterKernel::borders, groups_for(pairs, kFilterThreads),
          {steps_, width, height, range, labels_});
    start(queue, FilterKernel::sizes, groups, {pixels, labels_, sizes_});
  }
  if (has_regions() || !out.raw.is_null() || !out.confidence.is_null())
    start(queue, FilterKernel::apply, groups,
          {pixels, steps_, labels_, sizes_, has_regions() ? filter_.speckle_size : 0,
           min_disparity_, winners.confidence, out.raw, out.confidence});
  if (fills) {
    if (filter_.fill == Fill::edge_aware)
      mark_occluded(queue, size_, winners.right_index, min_disparity_, occluded_);
    fill_unknown(queue, size_, filter_.fill, filter_.fill_window, steps_, winners.brightness,
                 occluded_, scratch_, filled_);
  }
  steps_to_map(queue, size_, filled(), min_disparity_, out.filled);
}

void steps_to_map(Queue& queue, ChainSize size, const StepsBuffer& steps, int min_disparity,
                  const Memory<float>& map) {
  if (map.is_null()) return;
  start(queue, FilterKernel::pixels, groups_for(size.pixels(), kFilterThreads),
        {size.pixels(), steps, min_disparity, map});
}

}  // namespace bifocal::stereo
