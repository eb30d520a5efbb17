// SPDX-License-Identifier: BSD-3-Clause
// The file of a finished shard, little endian:
//   "BFSHARD\n", u32 version, u32 shard, 32 characters: hash of the plan, u64 pairs,
//   the pairs in order: u32 image1 image2 configuration known matches inliers; u32 index1 index2 of
//     each inlier; 9, 9, 9 and 9 + 3 doubles for each of F E H pose that `known` marks (bits
//     0 to 3),
//   u64 FNV-1a (G. Fowler, L. Noll, K.-P. Vo) of all bytes before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <bifocal/colmap/verify.hpp>

#include "collection/shards/durable_file.hpp"
#include "collection/shards/plan_file.hpp"

namespace bifocal::colmap {

struct ShardRow {
  PairOfImages pair;
  std::uint32_t matches = 0;
  TwoViewGeometry geometry;  // as estimated, without rounding; `undefined` for a pair left out
};

class ResultWriter {
 public:
  ResultWriter(const Plan& plan, int shard, std::size_t pairs);
  void add(const ShardRow& row);
  void commit();

 private:
  void put(const std::string& bytes);
  DurableFile file_;
  std::uint64_t sum_;
};

// Rows of the pairs in the shard's list, or the reason why the file or the list is invalid.
struct ShardContent {
  std::vector<ShardRow> rows;
  std::string fault;
};
[[nodiscard]] ShardContent read_result(const Plan& plan, int shard);

[[nodiscard]] ShardContent parse_result(std::string_view bytes, const Plan& plan, int shard,
                                        std::span<const PlannedPair> list);
// Returns the 64-bit FNV-1a hash at the end of a result file.
[[nodiscard]] std::uint64_t checksum_of(std::string_view bytes);

}  // namespace bifocal::colmap
