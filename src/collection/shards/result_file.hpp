// SPDX-License-Identifier: BSD-3-Clause
// The file of a shard that is done. Little endian:
//   "BFSHARD\n", u32 version, u32 shard, 32 characters: hash of the plan, u64 pairs,
//   the pairs in order: u32 image1 image2 configuration known matches inliers; u32 index1 index2 of
//     each inlier; of what is known (bits 0 to 3: F E H pose) the 9, 9, 9 and 9 + 3 doubles,
//   u64 FNV-1a (G. Fowler, L. Noll, K.-P. Vo) of everything before.
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
  TwoViewGeometry geometry;  // as decided: nothing is rounded; undefined of a pair left out
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

// The rows of the pairs that the shard's list has, or a word on what is wrong with the file or the
// list.
struct ShardContent {
  std::vector<ShardRow> rows;
  std::string fault;
};
[[nodiscard]] ShardContent read_result(const Plan& plan, int shard);

[[nodiscard]] ShardContent parse_result(std::string_view bytes, const Plan& plan, int shard,
                                        std::span<const PlannedPair> list);
// FNV-1a of 64 bits, which a file of a result ends with.
[[nodiscard]] std::uint64_t checksum_of(std::string_view bytes);

}  // namespace bifocal::colmap
