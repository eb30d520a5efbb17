// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "collection/collect/given.hpp"
#include "collection/collect/stages.hpp"
#include "runtime/hash.hpp"

namespace bifocal::collection {
namespace {

// Writes a member as text. A member whose type is not handled here does not compile.
template <class Value>
std::string text_of(const Field& field, const Value& member) {
  if constexpr (std::is_same_v<Value, bool>) {
    return member ? "yes" : "no";
  } else if constexpr (std::is_enum_v<Value>) {
    return std::string(field.range.words[static_cast<std::size_t>(member)]);
  } else if constexpr (std::is_same_v<Value, std::filesystem::path>) {
    return member.string();
  } else if constexpr (std::is_same_v<Value, std::optional<Intrinsics>>) {
    return member ? fmt::format("{},{},{},{}", member->fx, member->fy, member->cx, member->cy) : "";
  } else {
    return fmt::format("{}", member);
  }
}

// Addresses identify members.
using Addresses = std::vector<const void*>;

// Adds every member that is neither left out nor empty, members of nested options as "sift.sigma".
template <HasFields Options>
void add_members(const Options& options, const std::string& path, const Addresses& left_out,
                 Settings& s) {
  fields(options, [&](const auto& member, const Field& field) {
    using Value = std::remove_cvref_t<decltype(member)>;
    if (std::ranges::find(left_out, &member) != left_out.end()) return;
    const std::string name = path + field.name;
    if constexpr (HasFields<Value>) {
      add_members(member, name + ".", {}, s);
    } else if constexpr (std::is_same_v<Value, std::optional<SurfOptions>>) {
      if (member) add_members(*member, name + ".", {}, s);
    } else if constexpr (!std::is_same_v<Value, decltype(CollectOptions::progress)>) {
      if (const std::string text = text_of(field, member); !text.empty()) s[name] = text;
    }
  });
}

// Returns the members that change no result, and the members that are unused with these options.
Addresses left_out(const CollectOptions& o) {
  const bool is_given = !o.given.source.empty();
  const bool is_sequential = o.pairs == PairChoice::sequential;
  const bool is_retrieval = o.pairs == PairChoice::retrieval;
  Addresses all = {&o.max_memory, &o.block_size, &o.overwrite, &o.progress};
  const auto unless = [&](bool used, std::initializer_list<const void*> members) {
    if (!used) all.insert(all.end(), members);
  };
  unless(!is_given, {&o.max_side, &o.matching, &o.surf});
  unless(!is_given && !o.surf, {&o.sift});
  unless(is_given, {&o.given});
  unless(uses_screen(o), {&o.screen});
  unless(is_screened(o), {&o.links});
  unless(is_sequential, {&o.sequential, &o.loop_period, &o.loop_partners});
  unless(is_sequential || is_retrieval, {&o.retrieval});
  unless(is_retrieval, {&o.partners});
  unless(o.pairs == PairChoice::gps || o.pairs == PairChoice::automatic, {&o.gps});
  unless(o.pairs == PairChoice::listed, {&o.pairs_file});
  return all;
}

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorCode::usage, "collect: " + what);
}

void check_given(const CollectOptions& o) {
  if (o.given.source.empty()) {
    if (!o.given.matches.empty())
      fail("CollectOptions::given.matches needs the features in given.source");
    return;
  }
  check_reader(o.given);
  if (o.guided) fail("CollectOptions::guided: given features are matched once");
  if (o.surf) fail("CollectOptions::surf and given.source: features are SURF's or given ones");
  const bool uses_similarity =
      o.pairs == PairChoice::retrieval || (o.pairs == PairChoice::sequential && o.loop_period > 0);
  if (uses_similarity)
    fail(
        "CollectOptions::pairs: similar photographs are found by features detected here, not by "
        "given ones; choose all, gps, a file, or sequential with loop_period 0 (--loop-period 0)");
}

}  // namespace

Settings settings_of(const Job& job) {
  const CollectOptions& o = job.options;
  Settings s;
  s["version"] = BIFOCAL_VERSION;
  s["device"] = recorded_name(job.devices);
  add_members(o, "", left_out(o), s);
  // Files enter by a hash of their content; their location does not matter.
  if (!o.given.source.empty()) s["given.source"] = identity_of(o.given.source);
  if (!o.given.matches.empty()) s["given.matches"] = identity_of(o.given.matches);
  if (o.pairs == PairChoice::listed) s["pairs_file"] = runtime::hash_of(read_text(o.pairs_file));
  if (!o.masks.empty()) s["masks"] = "yes";
  return s;
}

void check(const CollectOptions& o) {
  check_options(o);
  if (o.pairs == PairChoice::listed && o.pairs_file.empty())
    fail("CollectOptions::pairs_file is empty, but PairChoice::listed takes one");
  check_given(o);
  std::error_code none;
  if (!o.masks.empty() && !std::filesystem::is_directory(o.masks, none))
    fail(fmt::format("CollectOptions::masks: {}: is no folder", o.masks.string()));
  const auto& K = o.cameras.intrinsics;
  if (K && !(K->valid() && std::isfinite(K->fx + K->fy + K->cx + K->cy)))
    fail(
        fmt::format("CollectCameras::intrinsics: {}, {}, {}, {}: must be finite, and the focal "
                    "lengths above 0",
                    K->fx, K->fy, K->cx, K->cy));
}

}  // namespace bifocal::collection
