// SPDX-License-Identifier: BSD-3-Clause
// Matches batches of pairs on a GPU, in pieces of bounded memory.
#pragma once

#include <bifocal/matching.hpp>

namespace bifocal::features {

// Kernels that compute the distance tables; `best` selects the fastest kernels of the device,
// `tensor` those of all CUDA devices with tensor cores. Tests compare the results.
enum class TableKernel { best, tensor, portable };

// A set, and the number of features for which each image is planned: its capacity, or its current
// number of features if a query to the device pays off.
struct PlannedSet {
  const FeatureSet& set;
  std::vector<int> sizes;

  [[nodiscard]] int size(int image) const { return sizes[static_cast<std::size_t>(image)]; }
};
[[nodiscard]] PlannedSet plan_set(Queue& queue, const FeatureSet& set, std::size_t pairs);

// The caller has checked the arguments; `guides` has one guide per pair or is empty. Appends to
// `found` or `batch`, whose offsets have one element per pair so far and one more.
void match_on_device(Queue& queue, const PlannedSet& planned, std::span<const ImagePair> pairs,
                     std::span<const MatchGuide> guides, const MatchOptions& options,
                     DeviceMatches& found, TableKernel table = TableKernel::best);
void match_to_host(Queue& queue, const PlannedSet& planned, std::span<const ImagePair> pairs,
                   std::span<const MatchGuide> guides, const MatchOptions& options,
                   MatchBatch& batch);

}  // namespace bifocal::features
