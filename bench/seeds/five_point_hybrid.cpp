// SPDX-License-Identifier: BSD-3-Clause
#include "seeds/five_point_hybrid.hpp"

#include <algorithm>

namespace bifocal::bench::seeds {
namespace {

constexpr int kTrialsABlock = 16;  // a multiple of any register's width in double

}  // namespace

FivePointHybrid::FivePointHybrid(Queue& cpu, const RayPairs& cpu_rays, const Device& device,
                                 const RayPairs& rays, int trials)
    : queues_{Queue(device), Queue(device)} {
  for (int first = 0; first < trials; first += kTrialsABlock) {
    const int count = std::min(kTrialsABlock, trials - first);
    const auto numbers = static_cast<std::size_t>(count);
    Queue& queue = queues_[blocks_.size() % queues_.size()];
    blocks_.push_back(std::unique_ptr<Block>(new Block{
        first, FivePointTrials(cpu, cpu_rays, count), FivePointTrials(queue, rays, count),
        HostBuffer<double>(device, 100 * numbers), HostBuffer<double>(device, 36 * numbers)}));
  }
}

Chosen FivePointHybrid::run(int seed, float threshold) {
  for (const auto& block : blocks_) {
    auto& [first, on_host, on_device, matrices, null_spaces] = *block;
    Queue& queue = on_device.queue();
    on_host.draw(seed, first);
    on_host.build_matrices(Memory<double>(matrices.data()), Memory<double>(null_spaces.data()));
    on_device.matrices.upload(queue, matrices.span());
    on_device.null_spaces.upload(queue, null_spaces.span());
    on_device.solve_matrices();
    on_device.count(threshold, Counting::reduction);
    on_device.choose();
  }
  Chosen best;
  for (const auto& block : blocks_) {
    const Chosen chosen = block->on_device.chosen();
    if (chosen.inliers > best.inliers) best = chosen;
  }
  return best;
}

}  // namespace bifocal::bench::seeds
