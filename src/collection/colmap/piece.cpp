// SPDX-License-Identifier: BSD-3-Clause
#include "collection/colmap/piece.hpp"

#include "runtime/parallel.hpp"

namespace bifocal::colmap {
namespace {

void set_geometries(Piece& piece) {
  const Chunk& chunk = piece.chunk;
  piece.geometries.resize(chunk.pairs.size());
  runtime::parallel_for(static_cast<int>(chunk.pairs.size()), [&](int pair) {
    const auto k = static_cast<std::size_t>(pair);
    const DecidedPair& from = piece.decided.pairs[k];
    TwoViewGeometry& g = piece.geometries[k];
    g.configuration = from.configuration;
    g.F = from.F, g.E = from.E, g.H = from.H;
    g.cam2_from_cam1 = from.cam2_from_cam1;
    g.inliers.clear();
    g.inliers.reserve(static_cast<std::size_t>(from.inlier_count));
    for (auto i = static_cast<std::size_t>(chunk.offsets[k]);
         i < static_cast<std::size_t>(chunk.offsets[k + 1]); ++i)
      if (piece.decided.inliers[i]) g.inliers.push_back(chunk.matches[i]);
  });
}

}  // namespace

void PieceDecider::decide(Piece& piece, const VerifyOptions& options) {
  const Chunk& chunk = piece.chunk;
  points_.gather(chunk);
  piece.decided = decider_.decide(
      {points_.points(), points_.undistorted(), chunk.offsets, chunk.cameras1, chunk.cameras2},
      options);
  set_geometries(piece);
  piece.device = device_;
}

}  // namespace bifocal::colmap
