// SPDX-License-Identifier: BSD-3-Clause
// The settings of collect() decide whether an interrupted run has the same options.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "collection/collect/stages.hpp"

namespace bifocal::collection {
namespace {

// Calls `change` with the setting's name and a function that changes it, for every number, flag,
// enumerator and string of the options.
template <HasFields Options, class Change>
void change_each(Options& options, const std::string& path, const Change& change) {
  fields(options, [&](auto& member, const Field& field) {
    using Value = std::remove_reference_t<decltype(member)>;
    const std::string name = path + field.name;
    if constexpr (HasFields<Value>) {
      change_each(member, name + ".", change);
    } else if constexpr (std::is_same_v<Value, std::optional<SurfOptions>>) {
      if (member) change_each(*member, name + ".", change);
    } else if constexpr (std::is_same_v<Value, bool>) {
      change(name, [&member] { member = !member; });
    } else if constexpr (std::is_enum_v<Value>) {
      change(name, [&member] { member = static_cast<Value>(member == Value{} ? 1 : 0); });
    } else if constexpr (std::is_arithmetic_v<Value>) {
      change(name, [&member] { member += 1; });
    } else if constexpr (std::is_same_v<Value, std::string>) {
      change(name, [&member] { member += "2"; });
    }
  });
}

// Returns a way of choosing pairs and features for each option that some ways ignore.
std::vector<CollectOptions> ways(const std::filesystem::path& given) {
  std::vector<CollectOptions> all;
  for (const PairChoice pairs : {PairChoice::automatic, PairChoice::all, PairChoice::sequential,
                                 PairChoice::retrieval, PairChoice::gps})
    all.push_back({.pairs = pairs});
  all.push_back({.surf = SurfOptions{}});
  all.push_back({.given = {.source = given}});
  return all;
}

TEST(Settings, contain_every_option_that_changes_results) {
  const std::filesystem::path given =
      std::filesystem::path(testing::TempDir()) / "bifocal-settings-given.h5";
  std::ofstream(given) << "features";
  const DeviceSet devices{Device()};
  const PhotographFiles photographs;
  const auto settings = [&](const CollectOptions& options) {
    return settings_of({devices, photographs, options, {}});
  };
  std::set<std::string> told, all;
  for (const CollectOptions& usual : ways(given)) {
    CollectOptions changed = usual;
    change_each(changed, "", [&](const std::string& name, const std::function<void()>& change) {
      all.insert(name);
      change();
      if (settings(changed) != settings(usual)) told.insert(name);
      changed = usual;
    });
  }
  std::filesystem::remove(given);
  EXPECT_GT(all.size(), 60U);
  for (const std::string& name : all) {
    const bool changes_nothing =
        name == "max_memory" || name == "block_size" || name == "overwrite";
    EXPECT_EQ(told.contains(name), !changes_nothing) << name;
  }
}

}  // namespace
}  // namespace bifocal::collection
