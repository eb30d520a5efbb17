// SPDX-License-Identifier: BSD-3-Clause
#include "features/matching/match_piece.hpp"

#include <algorithm>
#include <unordered_map>

#include "features/matching/match.kernels.hpp"
#include "features/matching/tensor/match_tensor.kernels.hpp"
#include "features/matching/tensor/match_warp_group.kernels.hpp"
#include "runtime/integers.hpp"
#include "runtime/launch_cache.hpp"

namespace bifocal::features {
namespace {

namespace kernel = kernels::match;
namespace tensor = kernels::match_tensor;
namespace warp_group = kernels::match_warp_group;

constexpr int kMostShares = 32;     // of rows, and of columns
constexpr int kLeastTiles = 2;      // smallest number of column tiles in a share
constexpr int kGroupsPerCore = 16;  // so that the last groups to end leave few cores idle
// Groups of warp groups fill a core. kGroupTiles: tiles of rows that take as long as the beginning
// and the end of a group (docs/develop/notes/features.md).
constexpr int kGroupTiles = 5, kLeastGroupTiles = 4;
constexpr int kLeastMean =
    288;  // mean rows and columns of a pair from which warp groups are faster

int most_shares(int size, int tile) { return std::clamp(divided_up(size, tile), 1, kMostShares); }

// Returns the kernel for a piece. Guides are tested cell by cell, not by tensor cores.
TableKernel kernel_of(Queue& queue, const Piece& piece, TableKernel wanted) {
  const DeviceInfo& device = queue.device().info();
  if (wanted == TableKernel::portable || !piece.guides.empty() || device.kind != DeviceKind::cuda ||
      !device.tensor_cores)
    return TableKernel::portable;
  const bool is_large =
      std::min(piece.rows, piece.columns) >= std::int64_t{kLeastMean} * piece.pair_count;
  static const void* const by_warp_groups =
      runtime::cuda_function("match_warp_group", "match_warp_group_tiles", {{"COLUMNS", 1}});
  return wanted == TableKernel::best && is_large && runtime::can_run(queue, by_warp_groups)
             ? TableKernel::best
             : TableKernel::tensor;
}

// Divides the tables for groups that fill a core: into tiles of columns, which a group loads once,
// and into the number of ranges of rows that ends first.
Shares shares_of_warp_groups(const DeviceInfo& device, const Piece& piece) {
  const int cores = std::max(1, device.cores), pairs = piece.pair_count;
  Shares shares{TableKernel::best, warp_group::WARP_GROUP_ROWS, warp_group::WARP_GROUP_COLUMNS, 1,
                1};
  shares.columns = std::min(divided_up(cores * kGroupsPerCore, pairs),
                            most_shares(piece.most_columns, shares.column_tile));
  const int tiles = divided_up(piece.most_rows, shares.row_tile);
  const auto time_of = [&](int rows) {
    return std::int64_t{divided_up(pairs * shares.columns * rows, cores)} *
           (kGroupTiles + divided_up(tiles, rows));
  };
  for (int rows = 2; rows <= most_shares(tiles, kLeastGroupTiles); ++rows)
    if (time_of(rows) < time_of(shares.rows)) shares.rows = rows;
  return shares;
}

}  // namespace

Piece piece_of(const PlannedSet& planned, std::span<const ImagePair> pairs,
               std::span<const MatchGuide> guides) {
  const FeatureSet& set = planned.set;
  Piece piece;
  std::unordered_map<int, std::int64_t> squares;
  const auto layout_of = [&](int image, std::int64_t place) {
    const auto [known, is_new] = squares.try_emplace(image, piece.features);
    const int capacity = planned.size(image);
    const image_layout layout{image, set.begin(image), capacity, place, known->second};
    if (!is_new) return layout;
    piece.images.push_back(layout);
    piece.features += capacity;
    piece.most_features = std::max(piece.most_features, capacity);
    ++piece.image_count;
    return layout;
  };
  for (const auto [image1, image2] : pairs) {
    const int rows = planned.size(image1), columns = planned.size(image2);
    piece.pairs.push_back(layout_of(image1, piece.rows));
    piece.pairs.push_back(layout_of(image2, piece.columns));
    piece.rows += rows, piece.columns += columns;
    piece.most_rows = std::max(piece.most_rows, rows);
    piece.most_columns = std::max(piece.most_columns, columns);
  }
  for (const MatchGuide& guide : guides) {
    guide_model model{guide.kind == GuideKind::epipolar ? 0.0 : 1.0, {}, 0};
    std::ranges::copy(guide.model, model.model);
    model.limit = guide.threshold * guide.threshold;
    piece.guides.push_back(model);
  }
  piece.pair_count = static_cast<int>(pairs.size());
  return piece;
}

Shares shares_of(Queue& queue, const Piece& piece, TableKernel table) {
  const DeviceInfo& device = queue.device().info();
  Shares shares{kernel_of(queue, piece, table), kernel::MATCH_TILE, kernel::MATCH_TILE, 1, 1};
  if (shares.kernel == TableKernel::best) return shares_of_warp_groups(device, piece);
  if (shares.kernel == TableKernel::tensor)
    shares.row_tile = tensor::TENSOR_ROWS, shares.column_tile = tensor::TENSOR_COLUMNS;
  const int groups = std::max(1, device.cores) * (device.is_gpu ? kGroupsPerCore : 2);
  const int wanted = divided_up(groups, piece.pair_count);
  shares.rows = std::min(wanted, most_shares(piece.most_rows, shares.row_tile));
  shares.columns = std::min(divided_up(wanted, shares.rows),
                            most_shares(piece.most_columns, kLeastTiles * shares.column_tile));
  return shares;
}

}  // namespace bifocal::features
