// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/chain_device.hpp"

#include <algorithm>
#include <initializer_list>

#include "runtime/kernel.hpp"
#include "stereo/chain_kernels.hpp"

namespace bifocal::stereo {
#if !BIFOCAL_HAS_CUDA
const void* cuda_chain_kernel(ChainKernel) { return nullptr; }
#endif
namespace {

// Rounds of the fill by means that all of the device works on; what they leave is little.
constexpr int kMeanRounds = 16;

runtime::Kernel make_kernel(ChainKernel kernel) {
  return {.entry = kChainEntries[static_cast<int>(kernel)],
          .text = "chain",
          .constants = {{"REAL_IS_FLOAT", 1}, {"GROUP_SIZE", kChainThreads}},
          .cuda = cuda_chain_kernel(kernel)};
}

void start(Queue& queue, ChainKernel kernel, int groups,
           std::initializer_list<runtime::Argument> arguments) {
  static const runtime::Kernel kernels[] = {
      make_kernel(ChainKernel::check),      make_kernel(ChainKernel::occluded),
      make_kernel(ChainKernel::fill_row),   make_kernel(ChainKernel::fill_blank),
      make_kernel(ChainKernel::mean_round), make_kernel(ChainKernel::mean_rest),
      make_kernel(ChainKernel::edge_aware)};
  runtime::launch(queue, kernels[static_cast<int>(kernel)],
                  {.groups = groups, .group_size = kChainThreads},
                  {arguments.begin(), arguments.size()});
}

int groups_of_pixels(ChainSize size) { return (size.pixels() + kChainThreads - 1) / kChainThreads; }

void fill_background(Queue& queue, ChainSize size, const StepsBuffer& steps,
                     const FillScratch& scratch, const StepsBuffer& filled) {
  start(queue, ChainKernel::fill_row, size.height, {steps, size.width, filled, scratch.row_known});
  fill_blank_rows(queue, size, scratch.row_known, filled);
}

// Every round reaches `radius` px further. An odd number of them ends in `filled`.
void fill_mean(Queue& queue, ChainSize size, int window, const StepsBuffer& steps,
               const FillScratch& scratch, const StepsBuffer& filled) {
  const int radius = window / 2, needed = std::max(size.width, size.height) / radius + 1,
            rounds = std::min(needed, kMeanRounds) | 1;
  const StepsBuffer* from = &steps;
  for (int i = 0; i < rounds; ++i) {
    const StepsBuffer& to = i % 2 == 0 ? filled : scratch.steps;
    start(queue, ChainKernel::mean_round, groups_of_pixels(size),
          {*from, size.width, size.height, radius, to});
    from = &to;
  }
  if (rounds < needed)
    start(queue, ChainKernel::mean_rest, 1,
          {filled, scratch.steps, size.width, size.height, radius});
}

}  // namespace

void check_directions(Queue& queue, ChainSize size, const StepsBuffer& steps,
                      const StepsBuffer& right_index, int min_disparity, int tolerance) {
  if (tolerance < 0) return;
  start(queue, ChainKernel::check, groups_of_pixels(size),
        {steps, right_index, size.width, size.height, min_disparity, tolerance});
}

void mark_occluded(Queue& queue, ChainSize size, const StepsBuffer& right_index, int min_disparity,
                   const Buffer<std::uint8_t>& occluded) {
  start(queue, ChainKernel::occluded, size.height,
        {right_index, size.width, min_disparity, occluded});
}

void fill_blank_rows(Queue& queue, ChainSize size, const Buffer<int>& row_known,
                     const StepsBuffer& filled) {
  start(queue, ChainKernel::fill_blank, size.height, {row_known, size.width, size.height, filled});
}

void fill_unknown(Queue& queue, ChainSize size, Fill fill, int window, const StepsBuffer& steps,
                  const Memory<const std::uint8_t>& brightness,
                  const Buffer<std::uint8_t>& occluded, const FillScratch& scratch,
                  const StepsBuffer& filled) {
  if (fill == Fill::background) fill_background(queue, size, steps, scratch, filled);
  if (fill == Fill::mean) fill_mean(queue, size, window, steps, scratch, filled);
  if (fill != Fill::edge_aware) return;
  start(queue, ChainKernel::edge_aware, groups_of_pixels(size),
        {steps, brightness, occluded, size.width, size.height, scratch.steps});
  fill_background(queue, size, scratch.steps, scratch, filled);
}

}  // namespace bifocal::stereo
