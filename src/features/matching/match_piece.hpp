// SPDX-License-Identifier: BSD-3-Clause
// The pairs that a GPU matches at once, and the division of their distance tables among groups.
#pragma once

#include <span>
#include <vector>

#include "features/matching/match_device.hpp"
#include "features/records.hpp"

namespace bifocal::features {

// Layout of a piece on the host.
struct Piece {
  std::vector<image_layout> pairs, images;  // `pairs` has two images per pair
  std::vector<guide_model> guides;
  std::int64_t rows = 0, columns = 0, features = 0;  // sums over all pairs; over all images
  int pair_count = 0, image_count = 0;
  int most_rows = 0, most_columns = 0, most_features = 0;  // largest of a pair; of an image
};

[[nodiscard]] Piece piece_of(const PlannedSet& planned, std::span<const ImagePair> pairs,
                             std::span<const MatchGuide> guides);

// Kernel that fills the distance tables (`best`: the kernel of warp groups), and the division of
// every table of a piece.
struct Shares {
  TableKernel kernel;
  int row_tile, column_tile, rows, columns;
};
// Divides the tables into enough groups to fill the device of the queue, each with as much work as
// possible. table: the kernel that the caller wants.
[[nodiscard]] Shares shares_of(Queue& queue, const Piece& piece, TableKernel table);

}  // namespace bifocal::features
