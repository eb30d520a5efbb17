// SPDX-License-Identifier: BSD-3-Clause
// A piece of a collection: matched pairs, and what they prove to be.
#pragma once

#include "collection/colmap/chunk.hpp"
#include "collection/colmap/decide.hpp"

namespace bifocal::colmap {

struct Piece {
  Chunk chunk;
  DecidedPairs decided;                     // one a pair
  std::vector<TwoViewGeometry> geometries;  // the same as rows of a database
  std::size_t device = 0;                   // the one that decided it, by its number in the set
};

// Decides one piece after another on a queue of its own.
class PieceDecider {
 public:
  PieceDecider(const Device& device, std::size_t number)
      : queue_(device), decider_(queue_), device_(number) {}

  void decide(Piece& piece, const VerifyOptions& options);

 private:
  Queue queue_;
  ChunkPoints points_;
  BatchDecider decider_;
  std::size_t device_;
};

}  // namespace bifocal::colmap
