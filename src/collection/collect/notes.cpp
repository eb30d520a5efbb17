// SPDX-License-Identifier: BSD-3-Clause
// Notes for the caller that explain the counts: why a run has no pairs, and intrinsics that do not
// fit the photographs.
#include <bifocal/camera.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "collection/collect/masks.hpp"
#include "collection/collect/stages.hpp"
#include "io/decode.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::collection {
namespace fs = std::filesystem;
namespace {

// Most file headers end before this; a JPEG may have thumbnails and profiles before its size.
constexpr std::size_t kHeadBytes = 1 << 16;

// Returns zeros if the file cannot be read: it is left out later, with the reason.
io::ClaimedSize size_of(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  std::string head(kHeadBytes, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  const io::ClaimedSize size = io::claimed_size(head);
  if (size.width > 0 || head.size() < kHeadBytes) return size;
  try {
    return io::claimed_size(read_file(file, kMaxImageBytes));
  } catch (const Error&) {
    return {};
  }
}

std::string photographs(std::size_t count) {
  return fmt::format("{} photograph{}", count, count == 1 ? "" : "s");
}

void add_intrinsics_note(const Intrinsics& K, std::span<const PhotographRow> rows,
                         std::vector<std::string>& notes) {
  for (const PhotographRow& r : rows) {
    if (r.state != PhotographState::done) continue;
    if (const std::string doubt = intrinsics_doubt(K, r.info.width, r.info.height); !doubt.empty())
      notes.push_back(fmt::format("intrinsics {},{},{},{}: {}", K.fx, K.fy, K.cx, K.cy, doubt));
    return;
  }
}

// Counts of photographs that were read successfully.
struct Counts {
  std::size_t all = 0, with_position = 0, with_features = 0, with_mask = 0;
};

std::string why_no_pairs(const CollectOptions& o, const Counts& n) {
  if (n.all < 2)
    return n.all == 0 ? "no photograph could be read" : "one photograph alone makes no pair";
  switch (o.pairs) {
    case PairChoice::automatic:
    case PairChoice::gps:
      return n.with_position < 2
                 ? std::string()  // already reported
                 : fmt::format("no two of {} with a position are within {} m of each other",
                               photographs(n.with_position), o.gps.max_distance_m);
    case PairChoice::retrieval:
      if (n.with_features == 0) return {};  // already reported
      return fmt::format("{} of {} have features to compare", n.with_features, photographs(n.all));
    case PairChoice::listed:
      return "the list of pairs has no pair of photographs in the database";
    case PairChoice::all:
    case PairChoice::exhaustive:
    case PairChoice::sequential:
      break;
  }
  return {};
}

// Photographs with some property: their number, and the first in the list.
struct Some {
  std::size_t count = 0;
  const PhotographRow* first = nullptr;
};
template <class Holds>
Some which(std::span<const PhotographRow> rows, const Holds& holds) {
  Some some;
  for (const PhotographRow& r : rows) {
    if (r.state != PhotographState::done || !holds(r)) continue;
    ++some.count;
    if (!some.first || r.place < some.first->place) some.first = &r;
  }
  return some;
}

void add_mask_notes(const CollectOptions& o, std::span<const PhotographRow> rows, const Counts& n,
                    std::vector<std::string>& notes) {
  if (n.with_mask < n.all) {
    const Some without = which(rows, [](const PhotographRow& r) { return r.mask.empty(); });
    notes.push_back(fmt::format("{} of {} have a mask; the others have all of their features{}",
                                n.with_mask, photographs(n.all),
                                n.with_mask > 0
                                    ? std::string()
                                    : " (" + expected_masks(o.masks, without.first->name) + ")"));
  }
  const Some empty =
      which(rows, [](const PhotographRow& r) { return !r.mask.empty() && r.features == 0; });
  if (empty.count > 0)
    notes.push_back(fmt::format(
        "{} no feature inside the mask, the first {}",
        empty.count == 1 ? std::string("1 photograph has") : photographs(empty.count) + " have",
        empty.first->name));
}

// Adds a note about implausible EXIF values.
void add_exif_note(std::span<const PhotographRow> rows, std::vector<std::string>& notes) {
  const Some odd = which(rows, [](const PhotographRow& r) { return !r.info.doubt.empty(); });
  if (odd.count > 0)
    notes.push_back(
        fmt::format("EXIF of {} has numbers that no camera has, which are left out; {}: {}",
                    photographs(odd.count), odd.first->name, odd.first->info.doubt));
}

// Adds a note about photographs whose files have the same bytes.
void add_copies_note(std::span<const PhotographRow> rows, std::vector<std::string>& notes) {
  std::map<std::string_view, const PhotographRow*> first;
  std::size_t copies = 0;
  const PhotographRow *one = nullptr, *two = nullptr;
  std::vector<const PhotographRow*> in_order;
  for (const PhotographRow& r : rows)
    if (r.state == PhotographState::done && !r.content.empty()) in_order.push_back(&r);
  std::ranges::sort(in_order, {}, [](const PhotographRow* r) { return r->place; });
  for (const PhotographRow* r : in_order) {
    const std::string_view photograph =
        std::string_view(r->content).substr(0, r->content.find(' '));
    const auto [known, is_new] = first.emplace(photograph, r);
    if (is_new) continue;
    ++copies;
    if (!one) one = known->second, two = r;
  }
  if (copies > 0)
    notes.push_back(fmt::format("{} {} of another one, the first {} of {}", photographs(copies),
                                copies == 1 ? "is a copy" : "are copies", two->name, one->name));
}

// Returns the number of listed pairs that are not matched because a photograph was left out.
std::size_t listed_pairs_lost(const CollectOptions& o, std::span<const PhotographRow> rows,
                              std::size_t pairs) {
  std::vector<std::string> names;
  for (const PhotographRow& r : rows) names.push_back(r.name);
  return read_pairs(o.pairs_file, names).size() - pairs;
}

}  // namespace

SizeLimits check_sizes(const Job& job) {
  const auto& K = job.options.cameras.intrinsics;
  io::ClaimedSize first;
  std::string name;
  struct OfSize {
    std::string name;  // of the first photograph
    std::int64_t photographs = 0;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, OfSize> all;
  const std::vector<PhotographFile>& files = job.photographs.files;
  std::vector<io::ClaimedSize> sizes(files.size());
  runtime::parallel_each(files.size(), [&](std::size_t i) { sizes[i] = size_of(files[i].file); });
  for (std::size_t i = 0; i < files.size(); ++i) {
    const PhotographFile& f = files[i];
    const io::ClaimedSize& size = sizes[i];
    if (size.width == 0 || job.mosaics.contains(f.name)) continue;
    ++all.try_emplace({size.width, size.height}, OfSize{f.name}).first->second.photographs;
    if (!K) continue;
    if (first.width == 0) first = size, name = f.name;
    if (size.width != first.width || size.height != first.height)
      io::reject(f.file.string(),
                 "has {} x {} px and {} has {} x {} px: intrinsics {},{},{},{} can't be those of "
                 "both",
                 size.width, size.height, name, first.width, first.height, K->fx, K->fy, K->cx,
                 K->cy);
  }
  SizeLimits limits;
  std::string needs;
  for (const auto& [wide, photographs] : all) {
    const auto& [width, height] = wide;
    limits.most_features += photographs.photographs * most_features(job, width, height);
    if (const std::int64_t own = least_memory(job, width, height); own > limits.least_memory) {
      limits.least_memory = own;
      needs = fmt::format("the photograph {} of {} x {} px takes at least {}", photographs.name,
                          width, height, own);
    }
  }
  if (job.options.max_memory < limits.least_memory)
    throw Error(ErrorCode::usage,
                fmt::format("max_memory = {} bytes: {}", job.options.max_memory, needs));
  return limits;
}

std::vector<std::string> notes_of(const Job& job, std::span<const PhotographRow> rows,
                                  std::span<const ImagePair> pairs) {
  const CollectOptions& o = job.options;
  Counts n;
  for (const PhotographRow& r : rows) {
    if (r.state != PhotographState::done) continue;
    ++n.all;
    n.with_position += r.info.position.has_value();
    n.with_features += r.features > 0;
    n.with_mask += !r.mask.empty();
  }
  std::vector<std::string> notes;
  if (o.cameras.intrinsics) add_intrinsics_note(*o.cameras.intrinsics, rows, notes);
  if (!o.masks.empty() && n.all > 0) add_mask_notes(o, rows, n, notes);
  add_exif_note(rows, notes);
  add_copies_note(rows, notes);
  if (o.pairs == PairChoice::gps && n.with_position < n.all)
    notes.push_back(n.with_position == 0
                        ? fmt::format("no photograph has a position (EXIF's GPS): 0 of {}", n.all)
                        : fmt::format("{} of {} have a position (EXIF's GPS); the others are in no "
                                      "pair",
                                      n.with_position, photographs(n.all)));
  if (o.pairs == PairChoice::automatic)
    notes.push_back(
        fmt::format("{} have positions (EXIF's GPS), so each is paired with the {} nearest: {} of "
                    "{} pairs; --pairs all tries all",
                    photographs(n.all), o.gps.most, pairs.size(), n.all * (n.all - 1) / 2));
  if (o.pairs == PairChoice::listed && n.all < rows.size())
    if (const std::size_t lost = listed_pairs_lost(o, rows, pairs.size()); lost > 0)
      notes.push_back(fmt::format("{} of the listed pairs {} of photographs that were left out",
                                  lost, lost == 1 ? "is" : "are"));
  if (n.with_features == 0 && n.all > 1) notes.emplace_back("no photograph has a feature");
  if (pairs.empty())
    if (std::string why = why_no_pairs(o, n); !why.empty()) notes.push_back(std::move(why));
  return notes;
}

}  // namespace bifocal::collection
