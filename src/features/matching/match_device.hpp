// SPDX-License-Identifier: BSD-3-Clause
// Batches of pairs on a GPU, in pieces of bounded memory.
#pragma once

#include <bifocal/matching.hpp>

namespace bifocal::features {

// Which kernels make the tables of distances; `best` is what the device is fastest with. Tests hold
// them to each other.
enum class TableKernel { best, portable };

// Arguments are checked before. Adds to `found`, whose offsets begin with one for each pair so far
// and one more; points where they are wanted.
void match_on_device(Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
                     const MatchOptions& options, bool with_points, DeviceMatches& found,
                     TableKernel table = TableKernel::best);

// As many of the first pairs as one piece takes.
[[nodiscard]] std::size_t pairs_of_piece(const FeatureSet& set, std::span<const ImagePair> pairs);

}  // namespace bifocal::features
