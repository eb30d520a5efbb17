// SPDX-License-Identifier: BSD-3-Clause
// Batches of pairs on a GPU, in pieces of bounded memory.
#pragma once

#include <bifocal/matching.hpp>

namespace bifocal::features {

// Which kernels make the tables of distances; `best` is what the device is fastest with. Tests hold
// them to each other.
enum class TableKernel { best, portable };

// A set and for how many features of each image the work is planned: its capacity, or where it pays
// to ask the device, what is there.
struct PlannedSet {
  const FeatureSet& set;
  std::vector<int> sizes;

  [[nodiscard]] int size(int image) const { return sizes[static_cast<std::size_t>(image)]; }
};
[[nodiscard]] PlannedSet plan_set(Queue& queue, const FeatureSet& set, std::size_t pairs);

// Arguments are checked before; one guide a pair or none. Adds to `found` or `batch`, whose offsets
// begin with one for each pair so far and one more.
void match_on_device(Queue& queue, const PlannedSet& planned, std::span<const ImagePair> pairs,
                     std::span<const MatchGuide> guides, const MatchOptions& options,
                     DeviceMatches& found, TableKernel table = TableKernel::best);
void match_to_host(Queue& queue, const PlannedSet& planned, std::span<const ImagePair> pairs,
                   std::span<const MatchGuide> guides, const MatchOptions& options,
                   MatchBatch& batch);

}  // namespace bifocal::features
