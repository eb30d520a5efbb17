// SPDX-License-Identifier: BSD-3-Clause
#include "collection/shards/plan_file.hpp"

#include <fmt/format.h>
#include <bifocal/io.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/reject.hpp"
#include "runtime/hash.hpp"

namespace bifocal::colmap {

using Json = nlohmann::ordered_json;

// Found by nlohmann::json through argument-dependent lookup.
static void to_json(Json& json, const TwoViewGeometryOptions& options) {
  fields(options, [&](const auto& value, const Field& field) { json[field.name] = value; });
}

namespace {

constexpr int kVersion = 3;
constexpr std::int64_t kMaxPlanBytes = std::int64_t{1} << 26;
constexpr int kDepth = 2;                     // of nested objects and lists
constexpr std::int64_t kLineOfList = 3 * 11;  // bytes at most
constexpr std::int64_t kMostCount = std::int64_t{1} << 62;

// Visits the members that the hash of a plan covers, in this order. The path of the database is
// excluded, so that a copy has the same plan.
template <class P, class Visit>
void visit_plan(P& plan, const Visit& visit) {
  visit("views", plan.views);
  visit("pairs", plan.pairs);
  visit("matches", plan.matches);
  visit("verified_before", plan.verified_before);
  visit("unmatched", plan.unmatched);
  visit("pairs_per_shard", plan.pairs_per_shard);
  std::int64_t shards = plan.shards();  // redundant: the lists determine it
  visit("shards", shards);
  visit("overwrite", plan.overwrite);
  visit("all_pairs", plan.all_pairs);
  visit("options", plan.options);
  visit("lists", plan.lists);
}

Json content_of(const Plan& plan) {
  Json json = {{"bifocal_plan", kVersion}};
  visit_plan(plan, [&](const char* name, const auto& value) { json[name] = value; });
  return json;
}

// Reads members of a JSON object in a plan's file; each is checked for type and range.
class Members {
 public:
  Members(const Json& json, std::string_view file) : json_(json), file_(file) {}

  void take(const char* name, bool& to) const {
    if (!json_.at(name).is_boolean()) refuse(name, "true or false");
    to = json_.at(name).get<bool>();
  }
  void take(const char* name, double& to) const {
    if (!json_.at(name).is_number()) refuse(name, "a number");
    to = json_.at(name).get<double>();
    if (!(to >= 0) || !std::isfinite(to)) refuse(name, "a finite number of at least 0");
  }
  template <std::integral T>
  void take(const char* name, T& to) const {
    const Json& value = json_.at(name);
    const T least = name == kFromOne ? 1 : 0;
    const T most = std::is_same_v<T, std::int64_t> ? T(kMostCount) : std::numeric_limits<T>::max();
    // Compared as unsigned, because the value may exceed all signed integers.
    const bool is_valid = value.is_number_unsigned() &&
                          value.get<std::uint64_t>() >= std::uint64_t(least) &&
                          value.get<std::uint64_t>() <= std::uint64_t(most);
    if (!is_valid) refuse(name, fmt::format("a whole number from {} to {}", least, most));
    to = value.get<T>();
  }
  void take(const char* name, TwoViewGeometryOptions& to) const {
    const Members options(json_.at(name), file_);
    fields(to, [&](auto& value, const Field& field) { options.take(field.name, value); });
  }
  void take(const char* name, std::string& to) const { to = hash(json_.at(name), name); }
  void take(const char* name, std::vector<std::string>& to) const {
    const Json& lists = json_.at(name);
    if (!lists.is_array() || lists.size() > kMostShards)
      io::reject(file_, "is damaged or was changed: {} {}", lists.size(), name);
    for (const Json& list : lists) to.push_back(hash(list, name));
  }

 private:
  static constexpr std::string_view kFromOne = "pairs_per_shard";
  [[nodiscard]] std::string hash(const Json& value, const char* name) const {
    const bool is_valid =
        value.is_string() && value.get_ref<const std::string&>().size() == kHash &&
        value.get_ref<const std::string&>().find_first_not_of("0123456789abcdef") ==
            std::string::npos;
    if (!is_valid) refuse(name, "of 32 hexadecimal digits");
    return value.get<std::string>();
  }
  static constexpr std::size_t kHash = 32;
  [[noreturn]] void refuse(const char* name, const std::string& what) const {
    const std::string text = json_.at(name).dump(-1, ' ', true, Json::error_handler_t::replace);
    io::reject(file_, "{} is {}, must be {}", name, io::printable(text), what);
  }
  const Json& json_;
  std::string_view file_;
};

// Writes the path of the database. JSON holds only UTF-8; a path with other bytes is also stored as
// a list of bytes.
void set_path(Json& json, const std::filesystem::path& database) {
  const std::string name = database.string(), readable = valid_utf8(name);
  json["database"] = readable;
  if (readable != name)
    json["database_bytes"] = std::vector<std::uint8_t>(name.begin(), name.end());
}
std::string path_of(const Json& json, std::string_view file) {
  if (!json.contains("database_bytes")) return json.at("database").get<std::string>();
  std::string name;
  for (const Json& byte : json.at("database_bytes")) {
    if (!byte.is_number_unsigned() || byte.get<std::uint64_t>() > 255)
      io::reject(file, "database_bytes has {}, must be whole numbers from 0 to 255",
                 io::printable(byte.dump(-1, ' ', true, Json::error_handler_t::replace)));
    name.push_back(static_cast<char>(byte.get<std::uint64_t>()));
  }
  return name;
}

Plan parsed(const Json& json, std::string_view file) {
  const Members members(json, file);
  Plan plan;
  members.take("hash", plan.hash);
  visit_plan(plan, [&](const char* name, auto& value) { members.take(name, value); });
  const std::int64_t shards =
      plan.pairs / plan.pairs_per_shard + (plan.pairs % plan.pairs_per_shard != 0);
  if (plan.shards() != shards)
    io::reject(file, "is damaged or was changed: {} lists of {} shards", plan.shards(), shards);
  const std::string database = path_of(json, file);
  if (database.empty() || std::ranges::count(database, '\0') > 0)
    io::reject(file, "database is {}, no name of a file", io::printable(database));
  plan.database = database;
  return plan;
}

}  // namespace

std::filesystem::path plan_file(const std::filesystem::path& folder) {
  return folder / "plan.json";
}

std::filesystem::path list_file(const std::filesystem::path& folder, int shard) {
  return folder / fmt::format("shard-{}.pairs", shard);
}

std::int64_t planned_pairs(const Plan& plan, int shard) {
  return std::min(plan.pairs_per_shard, plan.pairs - shard * plan.pairs_per_shard);
}

std::string hash_of_plan(const Plan& plan) { return runtime::hash_of(content_of(plan).dump()); }

std::string text_of(const Plan& plan) {
  Json json = content_of(plan);
  set_path(json, plan.database);
  json["hash"] = plan.hash;
  return json.dump(1) + "\n";
}

Plan parse_plan(std::string_view text, std::string_view file) {
  const auto not_too_deep = [&](int depth, Json::parse_event_t, const Json&) {
    if (depth > kDepth) io::reject(file, "is no plan: lists in lists");
    return true;
  };
  try {
    const Json json = Json::parse(text, not_too_deep);
    if (json.at("bifocal_plan") != kVersion)
      io::reject(file, "version {}, this program reads {}", json.at("bifocal_plan").dump(),
                 kVersion);
    Plan plan = parsed(json, file);
    if (plan.hash != hash_of_plan(plan))
      io::reject(file, "is damaged or was changed: its hash differs");
    return plan;
  } catch (const nlohmann::json::exception& error) {
    io::reject(file, "is no plan: {}", error.what());
  }
}

Plan read_plan(const std::filesystem::path& folder) {
  const std::filesystem::path file = plan_file(folder);
  Plan plan = parse_plan(read_file(file, kMaxPlanBytes), file.string());
  plan.folder = folder;
  return plan;
}

std::string line_of(const PlannedPair& pair) {
  return fmt::format("{} {} {}\n", pair.pair.image1, pair.pair.image2, pair.matches);
}

std::vector<PlannedPair> parse_list(std::string_view text, std::int64_t count,
                                    std::string_view file) {
  std::vector<PlannedPair> pairs;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto take = [&](auto& number, char after) {
    const auto [stop, error] = std::from_chars(at, end, number);
    const bool is_valid = error == std::errc() && stop != end && *stop == after;
    at = is_valid ? stop + 1 : end;
    return is_valid;
  };
  while (at < end) {
    PlannedPair p;
    const bool is_valid =
        take(p.pair.image1, ' ') && take(p.pair.image2, ' ') && take(p.matches, '\n') &&
        p.pair.image1 < p.pair.image2 && p.pair.image2 < kMaxImages && p.matches >= 0 &&
        p.matches <= std::numeric_limits<std::uint32_t>::max() &&
        (pairs.empty() || pair_id(pairs.back().pair.image1, pairs.back().pair.image2) <
                              pair_id(p.pair.image1, p.pair.image2));
    if (!is_valid)
      io::reject(file, "line {}: must be two images, in order, and how many matches they have",
                 pairs.size() + 1);
    pairs.push_back(p);
  }
  if (static_cast<std::int64_t>(pairs.size()) != count)
    io::reject(file, "has {} pairs, planned are {}", pairs.size(), count);
  return pairs;
}

std::vector<PlannedPair> read_list(const Plan& plan, int shard) {
  const std::filesystem::path file = list_file(plan.folder, shard);
  const std::int64_t count = planned_pairs(plan, shard);
  const std::string text = read_file(file, std::min(count, kMostCount / kLineOfList) * kLineOfList);
  if (runtime::hash_of(text) != plan.lists[static_cast<std::size_t>(shard)])
    io::reject(file.string(), "is not the list of the plan: make the plan again");
  return parse_list(text, count, file.string());
}

}  // namespace bifocal::colmap
