// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "collection/colmap/piece.hpp"

namespace bifocal::colmap {

// The pairs to verify, by pair_id: those that have matches and were not verified. The others are
// counted, and rows that are of no pair told.
[[nodiscard]] std::vector<PairOfImages> work_of(const Database& database, const VerifyRun& run,
                                                VerifyProgress& progress);

// Takes away what was verified of these pairs before; with all_pairs, of all others too.
void forget(const std::filesystem::path& file, bool all_pairs, std::span<const PairOfImages> pairs);

using PieceWriter = std::function<void(const Piece&)>;

// Reads, decides and writes the reader's pieces: a thread reads, some for each device decide, each
// with a queue of its own, and the caller's writes, in the order of the pieces. Ends after a piece
// when `report` says false. What fails is thrown when the pieces before it have been written.
void run_pipeline(const DeviceSet& devices, ChunkReader& reader, const VerifyOptions& options,
                  const PieceWriter& write, VerifyProgress& progress,
                  const std::function<bool(const VerifyProgress&)>& report);

}  // namespace bifocal::colmap
