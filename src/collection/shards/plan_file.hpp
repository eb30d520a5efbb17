// SPDX-License-Identifier: BSD-3-Clause
// Files of a plan: plan.json, and a list of pairs for each shard. All values are checked in spite
// of the hashes, because an editor of a file can also change its hash.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <bifocal/colmap/verify.hpp>

#include "collection/colmap/chunk.hpp"

namespace bifocal::colmap {

// Largest number of shards. Most of a plan's size is a line of 40 bytes for each shard.
inline constexpr std::size_t kMostShards = std::size_t{1} << 20;

[[nodiscard]] std::filesystem::path plan_file(const std::filesystem::path& folder);
[[nodiscard]] std::string hash_of_plan(const Plan& plan);
[[nodiscard]] std::string text_of(const Plan& plan);
// file: the file's name for messages.
[[nodiscard]] Plan parse_plan(std::string_view text, std::string_view file);

// A line of a shard's list.
struct PlannedPair {
  PairOfImages pair;
  std::int64_t matches = 0;
};
[[nodiscard]] std::filesystem::path list_file(const std::filesystem::path& folder, int shard);
[[nodiscard]] std::int64_t planned_pairs(const Plan& plan, int shard);
[[nodiscard]] std::string line_of(const PlannedPair& pair);
[[nodiscard]] std::vector<PlannedPair> parse_list(std::string_view text, std::int64_t count,
                                                  std::string_view file);
// Throws Error(input) if the list does not match the plan.
[[nodiscard]] std::vector<PlannedPair> read_list(const Plan& plan, int shard);

}  // namespace bifocal::colmap
