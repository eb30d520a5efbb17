// SPDX-License-Identifier: BSD-3-Clause
#include "seeds/five_point_hybrid.hpp"

#include <algorithm>

namespace bifocal::bench::seeds {
namespace {

// A block has a multiple of 16 trials, the registers' width in double or more. Few blocks keep the
// device busy and still overlap with the host.
int trials_per_block(int trials) {
  constexpr int kLeast = 16, kMostBlocks = 8;
  const int share = (trials + kMostBlocks - 1) / kMostBlocks;
  return (share + kLeast - 1) / kLeast * kLeast;
}

}  // namespace

FivePointHybrid::FivePointHybrid(Queue& cpu, const RayPairs& cpu_rays, const Device& device,
                                 const RayPairs& rays, int trials)
    : queues_{Queue(device), Queue(device)}, trials_(trials) {
  const int most = trials_per_block(trials);
  for (int first = 0; first < trials; first += most) {
    const int count = std::min(most, trials - first);
    const auto numbers = static_cast<std::size_t>(count);
    Queue& queue = queues_[blocks_.size() % queues_.size()];
    blocks_.push_back(std::unique_ptr<Block>(new Block{
        first, FivePointTrials(cpu, cpu_rays, count), FivePointTrials(queue, rays, count),
        HostBuffer<double>(device, 100 * numbers), HostBuffer<double>(device, 36 * numbers),
        HostBuffer<double>(device, 9 * kMostEssentials * numbers)}));
  }
}

void FivePointHybrid::build(Block& block) {
  FivePointTrials& on_device = block.on_device;
  block.on_host.build_matrices(Memory<double>(block.matrices.data()),
                               Memory<double>(block.null_spaces.data()));
  on_device.matrices.upload(on_device.queue(), block.matrices.span());
  on_device.null_spaces.upload(on_device.queue(), block.null_spaces.span());
  on_device.solve_matrices();
}

Chosen FivePointHybrid::run(int seed, float threshold) {
  for (const auto& block : blocks_) {
    block->on_host.draw(seed, block->first);
    build(*block);
    block->on_device.count(threshold, Counting::reduction);
    block->on_device.choose();
  }
  Chosen best;
  for (const auto& block : blocks_) {
    const Chosen chosen = block->on_device.chosen();
    if (chosen.inliers > best.inliers) best = chosen;
  }
  return best;
}

void FivePointHybrid::prepare(int seed) {
  for (const auto& block : blocks_) block->on_host.draw(seed, block->first);
}

void FivePointHybrid::solve() {
  for (const auto& block : blocks_) {
    build(*block);
    block->on_device.E.download(block->on_device.queue(), block->E.span());
  }
  for (Queue& queue : queues_) queue.wait();
}

std::vector<double> FivePointHybrid::essentials() const {
  std::vector<double> all(9 * kMostEssentials * static_cast<std::size_t>(trials_));
  for (const auto& block : blocks_) {
    const int count = block->on_host.trials;
    for (int row = 0; row < 9 * kMostEssentials; ++row)
      std::copy_n(block->E.data() + row * count, count, all.begin() + row * trials_ + block->first);
  }
  return all;
}

}  // namespace bifocal::bench::seeds
