// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "collection/colmap/chunk.hpp"

namespace bifocal::colmap {

// The pairs to verify, by pair_id: those that have matches and were not verified. The others are
// counted.
[[nodiscard]] std::vector<PairOfImages> work_of(const Database& database, const VerifyRun& run,
                                                VerifyProgress& progress);

// Takes away what was verified of these pairs before; with all_pairs, of all others too.
void forget(const std::filesystem::path& file, bool all_pairs, std::span<const PairOfImages> pairs);

// The row of pair k of a piece.
[[nodiscard]] TwoViewGeometry geometry_of(const Chunk& chunk, const DecidedPairs& decided,
                                          std::size_t k);

using PieceWriter = std::function<void(const Chunk&, const DecidedPairs&)>;

// Reads, decides and writes the reader's pieces in their order: while one is decided, the next is
// read and the one before is written. Ends after a piece when `report` says false.
void run_pipeline(Queue& queue, ChunkReader& reader, const VerifyOptions& options,
                  const PieceWriter& write, VerifyProgress& progress,
                  const std::function<bool(const VerifyProgress&)>& report);

}  // namespace bifocal::colmap
