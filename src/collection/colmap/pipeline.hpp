// SPDX-License-Identifier: BSD-3-Clause
// Matched pairs of a collection, decided piece by piece.
#pragma once

#include <functional>

#include "collection/colmap/chunk.hpp"
#include "verify/policies.hpp"

namespace bifocal::colmap {

// The pairs to verify, by pair_id: those that have matches and were not verified. The others are
// counted, and rows that are of no pair told.
[[nodiscard]] std::vector<PairOfImages> work_of(const Database& database, const VerifyRun& run,
                                                VerifyProgress& progress);

// Numbers of the pairs that have a geometry, in order; with `undefined_too` all that have a row.
[[nodiscard]] std::vector<std::uint64_t> ids_with_geometry(const Database& database,
                                                           bool undefined_too = false);

// Takes away what was verified of these pairs before; with all_pairs, of all others too.
void forget(const std::filesystem::path& file, bool all_pairs, std::span<const PairOfImages> pairs);

struct Piece {
  Chunk chunk;
  std::vector<TwoViewGeometry> geometries;  // one a pair
  std::size_t device = 0;                   // the one that decided it, by its number in the set
};

// Sets what a row of a database has of a decided pair. matches, inliers: those of the pair.
void set_geometry(const DecidedPair& from, std::span<const IndexPair> matches,
                  std::span<const std::uint8_t> inliers, TwoViewGeometry& to);

// Decides one piece after another on a queue of its own.
class PieceDecider {
 public:
  PieceDecider(const Device& device, std::size_t number, const VerifyOptions& options)
      : queue_(device),
        points_(device),
        verifier_(queue_, {}, verify::ColmapModels(queue_, options, 0)),
        device_(number) {}

  void decide(Piece& piece);

 private:
  Queue queue_;
  ChunkPoints points_;
  verify::PairVerifier<verify::ColmapModels> verifier_;
  std::size_t device_;
};

// Counts a pair that is done.
void count(const TwoViewGeometry& geometry, VerifyProgress& progress);

using PieceWriter = std::function<void(const Piece&)>;

// Reads, decides and writes the reader's pieces: a thread reads, some for each device decide, each
// with a queue of its own, and the caller's writes, in the order of the pieces. Ends after a piece
// when `report` says false. What fails is thrown when the pieces before it have been written.
void run_pipeline(const DeviceSet& devices, ChunkReader& reader, const VerifyOptions& options,
                  const PieceWriter& write, VerifyProgress& progress,
                  const std::function<bool(const VerifyProgress&)>& report);

}  // namespace bifocal::colmap
