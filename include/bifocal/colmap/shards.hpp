// SPDX-License-Identifier: BSD-3-Clause
// Verification of a database in parts that any engine may hand out, to processes and machines that
// see one folder: a plan, its shards in any order and as often as wanted, and a merge.
//
//   const colmap::Plan plan = colmap::plan_shards("database.db", "shards", {});
//   for (int k = 0; k < plan.shards(); ++k) (void)colmap::run_shard(devices, plan, k, {});
//   colmap::merge_shards(plan, {});
//
// The database then has the bytes that colmap::verify() alone gives it. The folder has
//   plan.json       what is to be done: options, which database, how many shards
//   shard-K.pairs   a pair a line: numbers of the two images and how many matches they have
//   shard-K.result  what was found, whole and with a checksum, or not there
// Files come by another name and are renamed when they are on the disk. docs/collections.md has
// the recipes for engines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <bifocal/colmap/verify.hpp>
#include <bifocal/device.hpp>
#include <bifocal/error.hpp>

namespace bifocal::colmap {

struct PlanRun {
  VerifyOptions options = {};
  std::filesystem::path pairs = {};  // as in VerifyRun
  bool overwrite = false;            // as in VerifyRun; rows are forgotten by the merge
  std::int64_t pairs_per_shard = 10000;
};

struct Plan {
  std::filesystem::path folder;
  std::filesystem::path database;  // absolute, as the plan was made
  std::string hash;                // of everything below, 32 hexadecimal digits
  std::string views;               // hash of cameras, images and features, likewise
  std::int64_t pairs = 0, matches = 0;
  std::int64_t skipped = 0, unmatched = 0;  // as in VerifyProgress
  std::int64_t pairs_per_shard = 0;
  std::vector<std::string> lists;  // hash of each shard's list
  bool overwrite = false, all_pairs = true;
  VerifyOptions options = {};
  std::vector<OddRow>
      odd_rows;  // that plan_shards() met: of no pair; the others are told by shards

  [[nodiscard]] int shards() const { return static_cast<int>(lists.size()); }
};

// The same database and options give the same plan. Where the folder has that plan already nothing
// changes, results stay; throws Error(input) where it has another one. Throws Error(usage) for
// pairs_per_shard below 1 or for more than 2^20 shards, else as verify().
Plan plan_shards(const std::filesystem::path& database, const std::filesystem::path& folder,
                 const PlanRun& run);
// Throws Error(input) where there is none, or a damaged one.
[[nodiscard]] Plan read_plan(const std::filesystem::path& folder);

[[nodiscard]] std::filesystem::path result_file(const Plan& plan, int shard);
// Empty where the shard is done: its file is whole, this plan's, and of the pairs of the shard's
// list. Else what is wrong with it.
[[nodiscard]] std::string why_not_done(const Plan& plan, int shard);

enum class ShardEnd {
  done,       // the file is there
  try_again,  // lost device, no memory, full disk, locked file: may go well later or elsewhere
  poisoned,   // the file of the database is damaged there: would fail every time
};
struct ShardRun {
  std::filesystem::path database = {};  // where it is on this machine; empty: as planned
  std::int64_t max_memory = std::int64_t{1} << 30;  // as in VerifyRun
};
struct ShardResult {
  ShardEnd end = ShardEnd::done;
  std::string reason;      // of other ends than done
  bool was_done = false;   // before; nothing was computed
  std::int64_t pairs = 0;  // verified now
  std::int64_t inliers = 0;
  std::int64_t left_out = 0;     // pairs, as in VerifyProgress; what the file tells of them is that
  std::vector<OddRow> odd_rows;  // likewise
};
// Verifies the pairs of one shard. The database is only read, without locks where nobody writes to
// it, so that it may lie in a network file system. Throws Error(usage) for a shard that is not in
// the plan and Error(input) for a missing database, another one than the plan's, and a damaged
// list: faults of the whole run.
ShardResult run_shard(const DeviceSet& devices, const Plan& plan, int shard, const ShardRun& run);

struct MergeRun {
  std::filesystem::path into = {};  // the planned database or a copy; empty: as planned
  // Called before the first piece and after each; false ends the work there.
  std::function<bool(const VerifyProgress&)> progress = {};
};
// Writes the geometries of all shards, in the order of pairs and in the pieces of verify(): the
// file gets its bytes. May be ended at any time and done again; pairs that have a row are skipped.
// One merge of a folder at a time. Throws Error(input) that names the shards that are not done,
// and for another database than the plan's; TryAgain for a full disk.
VerifyProgress merge_shards(const Plan& plan, const MergeRun& run);

}  // namespace bifocal::colmap
