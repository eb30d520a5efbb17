// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/colmap/verify.hpp>
#include <bifocal/io.hpp>

#include "collection/colmap/pipeline.hpp"
#include "collection/shards/durable_file.hpp"
#include "collection/shards/identity.hpp"
#include "collection/shards/plan_file.hpp"

#include "io/reject.hpp"
#include "runtime/hash.hpp"

namespace bifocal::colmap {
namespace {

// Returns the text of each shard's list and adds the hashes of the lists to the plan.
std::vector<std::string> lists_of(const Database& database, const std::vector<PairOfImages>& work,
                                  Plan& plan) {
  std::vector<RowFault> of_no_pair;
  const std::vector<PairRows> rows = database.match_rows(&of_no_pair);
  std::vector<std::string> lists;
  auto row = rows.begin();
  for (std::size_t k = 0; k < work.size(); ++k) {
    if (static_cast<std::int64_t>(k) % plan.pairs_per_shard == 0) {
      if (lists.size() == kMostShards)
        throw Error(ErrorCode::usage,
                    fmt::format("pairs_per_shard = {}: more than {} shards of {} pairs",
                                plan.pairs_per_shard, kMostShards, work.size()));
      lists.emplace_back();
    }
    const std::uint64_t id = pair_id(work[k].image1, work[k].image2);
    while (pair_id(row->image1, row->image2) < id) ++row;  // work is a subsequence of the rows
    lists.back() += line_of({work[k], row->rows});
    plan.matches += row->rows;
  }
  for (const std::string& list : lists) plan.lists.push_back(runtime::hash_of(list));
  return lists;
}

bool has_content(const std::filesystem::path& file, const std::string& content) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error) &&
         std::filesystem::file_size(file, error) == content.size() && read_file(file) == content;
}

// Creates the folder and rejects it if it has a different plan, or other files under the names of
// the plan. An equal older plan is kept.
void check_folder(const Plan& plan, const std::vector<std::string>& lists) {
  std::error_code error;
  std::filesystem::create_directories(plan.folder, error);
  if (!std::filesystem::is_directory(plan.folder))
    io::reject(plan.folder.string(), "can't be made: {}",
               error ? error.message() : "it is no folder");
  if (!std::filesystem::exists(plan_file(plan.folder))) {
    for (int k = 0; k < plan.shards(); ++k)
      if (const auto file = list_file(plan.folder, k);
          is_taken(file) && !has_content(file, lists[static_cast<std::size_t>(k)]))
        throw Error(ErrorCode::usage,
                    fmt::format("{}: exists already; choose another folder", file.string()));
    return;
  }
  const Plan old = read_plan(plan.folder);
  if (old.hash != plan.hash)
    io::reject(plan.folder.string(),
               "has the plan of other work already ({}, {} pairs): choose another folder",
               old.database.string(), old.pairs);
}

}  // namespace

Plan plan_shards(const std::filesystem::path& file, const std::filesystem::path& folder,
                 const PlanRun& run) {
  if (run.pairs_per_shard < 1)
    throw Error(ErrorCode::usage,
                fmt::format("pairs_per_shard = {}, must be at least 1", run.pairs_per_shard));
  const Database database(file, quiet_access(file));
  Plan plan;
  plan.folder = folder;
  plan.database = std::filesystem::absolute(file).lexically_normal();
  plan.views = views_of(database);
  plan.pairs_per_shard = run.pairs_per_shard;
  plan.overwrite = run.overwrite;
  plan.all_pairs = run.pairs.empty();
  plan.options = run.options;
  VerifyRun listed;
  listed.pairs = run.pairs;
  listed.overwrite = run.overwrite;
  VerifyProgress counts;
  const std::vector<PairOfImages> work = work_of(database, listed, counts);
  plan.pairs = static_cast<std::int64_t>(work.size());
  plan.verified_before = counts.verified_before;
  plan.unmatched = counts.unmatched;
  plan.odd_rows = std::move(counts.odd_rows);
  const std::vector<std::string> lists = lists_of(database, work, plan);
  plan.hash = hash_of_plan(plan);
  check_folder(plan, lists);
  for (int k = 0; k < plan.shards(); ++k)
    write_durable(list_file(folder, k), lists[static_cast<std::size_t>(k)]);
  // The plan is written last, so that an existing plan has all its lists.
  write_durable(plan_file(folder), text_of(plan));
  return plan;
}

}  // namespace bifocal::colmap
