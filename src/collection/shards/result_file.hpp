// SPDX-License-Identifier: BSD-3-Clause
// The file of a shard that is done. Little endian:
//   "BFSHARD\n", u32 version, u32 shard, 32 characters: hash of the plan, u64 pairs,
//   the pairs in order: u32 image1 image2 configuration known matches inliers; u32 index1 index2 of
//     each inlier; of what is known (bits 0 to 3: F E H pose) the 9, 9, 9 and 9 + 3 doubles,
//   u64 FNV-1a (G. Fowler, L. Noll, K.-P. Vo) of everything before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <bifocal/colmap_shards.hpp>

#include "collection/colmap/chunk.hpp"
#include "collection/shards/durable_file.hpp"

namespace bifocal::colmap {

struct ShardRow {
  PairOfImages pair;
  std::uint32_t matches = 0;
  TwoViewGeometry geometry;  // as decided: nothing is rounded
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

// The rows, or a word on what is wrong with the file.
struct ShardContent {
  std::vector<ShardRow> rows;
  std::string fault;
};
[[nodiscard]] ShardContent read_result(const Plan& plan, int shard);

// A line of a shard's list.
struct PlannedPair {
  PairOfImages pair;
  std::int64_t matches = 0;
};
// Throws Error(input) where the list is not the plan's.
[[nodiscard]] std::vector<PlannedPair> read_list(const Plan& plan, int shard);
[[nodiscard]] std::filesystem::path list_file(const std::filesystem::path& folder, int shard);
[[nodiscard]] std::int64_t planned_pairs(const Plan& plan, int shard);

}  // namespace bifocal::colmap
