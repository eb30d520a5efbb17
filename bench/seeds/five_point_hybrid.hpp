// SPDX-License-Identifier: BSD-3-Clause
// The five-point system on host and device at once: the host builds the action matrices of one
// block of samples while the device finds the eigenpairs of the previous blocks, on two queues, so
// that copies also overlap with work.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "seeds/five_point_trials.hpp"

namespace bifocal::bench::seeds {

class FivePointHybrid {
 public:
  // `cpu`, the rays on both sides and their queues must outlive it.
  FivePointHybrid(Queue& cpu, const RayPairs& cpu_rays, const Device& device, const RayPairs& rays,
                  int trials);
  // The best E of trials [0, trials) of a seed, on the host. On a CPU the work does not overlap.
  [[nodiscard]] Chosen run(int seed, float threshold);
  // The solver alone: from the samples of the last prepare() to all E in host memory.
  void prepare(int seed);
  void solve();
  // The E of all trials, in the layout of FivePointTrials::E.
  [[nodiscard]] std::vector<double> essentials() const;

 private:
  struct Block {
    int first;
    FivePointTrials on_host, on_device;
    HostBuffer<double> matrices, null_spaces, E;  // page-locked
  };
  void build(Block& block);

  std::array<Queue, 2> queues_;
  int trials_;
  std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace bifocal::bench::seeds
