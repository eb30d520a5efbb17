// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/colmap_shards.hpp>
#include <bifocal/io.hpp>

#include <charconv>
#include <nlohmann/json.hpp>

#include "collection/colmap/pipeline.hpp"
#include "collection/shards/identity.hpp"
#include "collection/shards/result_file.hpp"

#include "io/reject.hpp"
#include "runtime/hash.hpp"

namespace bifocal::colmap {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kVersion = 1;
constexpr std::int64_t kMaxPlanBytes = std::int64_t{1} << 28;

// One name for each member, in both directions. A new member does not compile until it is here.
template <class Options, class Visit>
void visit_options(Options& options, const Visit& visit) {
  auto& [max_error, min_inliers, confidence, min_iterations, max_iterations, min_inlier_ratio,
         min_E_F_inlier_ratio, max_H_inlier_ratio, relative_pose, detect_watermark,
         watermark_min_inlier_ratio, watermark_border_size, watermark_max_error, seed] = options;
  visit("max_error", max_error);
  visit("min_inliers", min_inliers);
  visit("confidence", confidence);
  visit("min_iterations", min_iterations);
  visit("max_iterations", max_iterations);
  visit("min_inlier_ratio", min_inlier_ratio);
  visit("min_E_F_inlier_ratio", min_E_F_inlier_ratio);
  visit("max_H_inlier_ratio", max_H_inlier_ratio);
  visit("relative_pose", relative_pose);
  visit("detect_watermark", detect_watermark);
  visit("watermark_min_inlier_ratio", watermark_min_inlier_ratio);
  visit("watermark_border_size", watermark_border_size);
  visit("watermark_max_error", watermark_max_error);
  visit("seed", seed);
}

// What the hash is of. Where the database lies does not count: a copy of it has the same plan.
Json content_of(const Plan& plan) {
  Json json = {{"bifocal_plan", kVersion}};
  json["views"] = plan.views;
  json["pairs"] = plan.pairs;
  json["matches"] = plan.matches;
  json["skipped"] = plan.skipped;
  json["unmatched"] = plan.unmatched;
  json["pairs_per_shard"] = plan.pairs_per_shard;
  json["shards"] = plan.shards();
  json["overwrite"] = plan.overwrite;
  json["all_pairs"] = plan.all_pairs;
  visit_options(plan.options,
                [&](const char* name, const auto& value) { json["options"][name] = value; });
  json["lists"] = plan.lists;
  return json;
}

std::string hash_of_plan(const Plan& plan) { return runtime::hash_of(content_of(plan).dump()); }

Plan parsed(const Json& json) {
  Plan plan;
  plan.database = json.at("database").get<std::string>();
  plan.hash = json.at("hash").get<std::string>();
  plan.views = json.at("views").get<std::string>();
  plan.pairs = json.at("pairs").get<std::int64_t>();
  plan.matches = json.at("matches").get<std::int64_t>();
  plan.skipped = json.at("skipped").get<std::int64_t>();
  plan.unmatched = json.at("unmatched").get<std::int64_t>();
  plan.pairs_per_shard = json.at("pairs_per_shard").get<std::int64_t>();
  plan.lists = json.at("lists").get<std::vector<std::string>>();
  plan.overwrite = json.at("overwrite").get<bool>();
  plan.all_pairs = json.at("all_pairs").get<bool>();
  visit_options(plan.options, [&](const char* name, auto& value) {
    value = json.at("options").at(name).get<std::remove_reference_t<decltype(value)>>();
  });
  return plan;
}

std::filesystem::path plan_file(const std::filesystem::path& folder) {
  return folder / "plan.json";
}

// The texts of the lists; their hashes go into the plan.
std::vector<std::string> lists_of(const Database& database, const std::vector<PairOfImages>& work,
                                  Plan& plan) {
  const std::vector<PairRows> rows = database.match_rows();
  std::vector<std::string> lists;
  auto row = rows.begin();
  for (std::size_t k = 0; k < work.size(); ++k) {
    if (static_cast<std::int64_t>(k) % plan.pairs_per_shard == 0) lists.emplace_back();
    const std::uint64_t id = pair_id(work[k].image1, work[k].image2);
    while (pair_id(row->image1, row->image2) < id) ++row;  // work is a part of the rows
    lists.back() += fmt::format("{} {} {}\n", work[k].image1, work[k].image2, row->rows);
    plan.matches += row->rows;
  }
  for (const std::string& list : lists) plan.lists.push_back(runtime::hash_of(list));
  return lists;
}

// Is there room for this plan? An older one that is the same stays.
void check_folder(const Plan& plan) {
  std::error_code error;
  std::filesystem::create_directories(plan.folder, error);
  if (!std::filesystem::is_directory(plan.folder))
    io::reject(plan.folder.string(), "can't be made: {}",
               error ? error.message() : "it is no folder");
  if (!std::filesystem::exists(plan_file(plan.folder))) return;
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
  const Cameras cameras(database);  // throws for one that no shard could use
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
  plan.skipped = counts.skipped;
  plan.unmatched = counts.unmatched;
  const std::vector<std::string> lists = lists_of(database, work, plan);
  plan.hash = hash_of_plan(plan);
  check_folder(plan);
  for (int k = 0; k < plan.shards(); ++k)
    write_durable(list_file(folder, k), lists[static_cast<std::size_t>(k)]);
  // Last: where there is a plan there are its lists.
  Json json = content_of(plan);
  json["database"] = plan.database.string();
  json["hash"] = plan.hash;
  write_durable(plan_file(folder), json.dump(1) + "\n");
  return plan;
}

Plan read_plan(const std::filesystem::path& folder) {
  const std::filesystem::path file = plan_file(folder);
  const std::string text = read_file(file, kMaxPlanBytes);
  Plan plan;
  try {
    const Json json = Json::parse(text);
    if (json.at("bifocal_plan") != kVersion)
      io::reject(file.string(), "version {}, this program reads {}", json.at("bifocal_plan").dump(),
                 kVersion);
    plan = parsed(json);
  } catch (const nlohmann::json::exception& error) {
    io::reject(file.string(), "is no plan: {}", error.what());
  }
  const std::int64_t shards = plan.pairs_per_shard < 1
                                  ? -1
                                  : (plan.pairs + plan.pairs_per_shard - 1) / plan.pairs_per_shard;
  if (plan.hash != hash_of_plan(plan) || shards != plan.shards())
    io::reject(file.string(), "is damaged or was changed: its hash is another");
  plan.folder = folder;
  return plan;
}

std::vector<PlannedPair> read_list(const Plan& plan, int shard) {
  const std::filesystem::path file = list_file(plan.folder, shard);
  const std::string text = read_file(file, std::int64_t{1} << 36);
  if (runtime::hash_of(text) != plan.lists[static_cast<std::size_t>(shard)])
    io::reject(file.string(), "is not the list of the plan: make the plan again");
  std::vector<PlannedPair> pairs;
  // The hash says that these are the lines that plan_shards wrote.
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    PlannedPair p;
    at = std::from_chars(at, end, p.pair.image1).ptr + 1;
    at = std::from_chars(at, end, p.pair.image2).ptr + 1;
    at = std::from_chars(at, end, p.matches).ptr + 1;
    pairs.push_back(p);
  }
  return pairs;
}

}  // namespace bifocal::colmap
