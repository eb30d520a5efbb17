// SPDX-License-Identifier: BSD-3-Clause
// Reads rows of all pairs of a database by several connections.
#pragma once

#include <atomic>
#include <filesystem>
#include <vector>

#include "collection/colmap/pair.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::colmap {

// Returns the rows of read(database, ids) for all pairs of a file, in the order of pair_id.
template <class Row>
std::vector<Row> rows_of_pairs(const std::filesystem::path& file, const PairIds& ids,
                               std::vector<Row> (*read)(const Database&, const PairIds&)) {
  constexpr int kMostReaders = 8;
  constexpr std::int64_t kPieces = 64;
  const std::int64_t step = (ids.end - ids.begin) / kPieces + 1;
  std::vector<std::vector<Row>> pieces(kPieces);
  std::atomic<std::int64_t> next = 0;
  runtime::parallel_for(std::min(runtime::thread_count(), kMostReaders), [&](int) {
    const Database own(file, quiet_access(file));
    for (std::int64_t k = next++; k < kPieces; k = next++) {
      const std::int64_t begin = ids.begin + k * step;
      pieces[static_cast<std::size_t>(k)] = read(own, {begin, begin + step});
    }
  });
  std::vector<Row> all;
  for (const auto& piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
  return all;
}

}  // namespace bifocal::colmap
