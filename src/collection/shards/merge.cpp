// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/colmap/verify.hpp>
#include <bifocal/error.hpp>

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "collection/colmap/pair.hpp"
#include "collection/colmap/row_writer.hpp"
#include "collection/colmap/pipeline.hpp"
#include "collection/shards/identity.hpp"
#include "collection/shards/result_file.hpp"
#include "io/reject.hpp"

namespace bifocal::colmap {
namespace {

constexpr int kMostNamed = 20;  // shards in a message

// Results of the shards. Inliers are checked against the keypoint counts of the database.
class Results {
 public:
  Results(const Plan& plan, const Database& database) : plan_(plan) {
    std::vector<RowFault> odd;  // their pairs are left out
    for (const Image& image : database.images(&odd))
      images_.emplace(image.id, ImageOf{image.name, database.keypoint_count(image.id)});
  }
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] ShardContent of(int shard) const {
    ShardContent content = read_result(plan_, shard);
    for (const ShardRow& row : content.rows) {
      const std::int64_t a = count(row.pair.image1), b = count(row.pair.image2);
      for (const IndexPair& m : row.geometry.inliers)
        if (m.index1 >= a || m.index2 >= b)
          return {
              {},
              fmt::format("is damaged: a match of keypoints {} and {}, but images {} and {} have "
                          "{} and {}",
                          m.index1, m.index2, row.pair.image1, row.pair.image2, a, b)};
    }
    return content;
  }
  // Calls take(row) for the rows of all shards in order until it returns false. Pairs that were
  // left out are skipped; a pose that is no rotation is removed. Returns whether all rows were
  // visited.
  template <class Take>
  bool for_each_row(OddRows& odd, const Take& take) const {
    for (int shard = 0; shard < plan_.shards(); ++shard) {
      ShardContent content = of(shard);
      if (!content.fault.empty())
        io::reject(result_file(plan_, shard).string(), "{}", content.fault);
      for (ShardRow& row : content.rows) {
        if (row.geometry.configuration == Configuration::undefined) {
          odd.add(RowFault{fmt::format("shard {}", shard), "pairs that it left out"});
          continue;
        }
        if (const std::string fault = remove_wrong_pose(row.geometry); !fault.empty())
          odd.add(without_pose(name(row.pair.image1), name(row.pair.image2), fault));
        if (!take(row)) return false;
      }
    }
    return true;
  }

 private:
  struct ImageOf {
    std::string name;
    std::int64_t keypoints;
  };
  [[nodiscard]] std::int64_t count(Id image) const {
    const auto found = images_.find(image);
    return found == images_.end() ? 0 : found->second.keypoints;
  }
  [[nodiscard]] std::string name(Id image) const {
    const auto found = images_.find(image);
    return found == images_.end() ? std::to_string(image) : found->second.name;
  }
  const Plan& plan_;
  std::unordered_map<Id, ImageOf> images_;
};

void check_all_done(const Results& results) {
  const Plan& plan = results.plan();
  std::string named;
  int faulty = 0;
  for (int k = 0; k < plan.shards(); ++k) {
    const std::string fault = results.of(k).fault;
    if (fault.empty()) continue;
    if (++faulty <= kMostNamed) named += fmt::format("\n  shard {} {}", k, fault);
  }
  if (faulty == 0) return;
  if (faulty > kMostNamed) named += fmt::format("\n  and {} more", faulty - kMostNamed);
  io::reject(plan.folder.string(), "{} of {} shards are not done:{}", faulty, plan.shards(), named);
}

std::uint64_t id_of(const ShardRow& row) { return pair_id(row.pair.image1, row.pair.image2); }

bool same(const TwoViewGeometry& a, const TwoViewGeometry& b) {
  const auto &p = a.cam2_from_cam1, &q = b.cam2_from_cam1;
  return a.configuration == b.configuration && a.inliers == b.inliers && a.F == b.F && a.E == b.E &&
         a.H == b.H && p.has_value() == q.has_value() && (!p || (p->R == q->R && p->t == q->t));
}

// Returns the number of leading rows of the results that the database has already: the complete
// pieces that an interrupted merge wrote. For plans that overwrite.
std::size_t rows_written(const Results& results, const Database& database) {
  OddRows odd;
  std::size_t equal = 0, written = 0, pairs = 0, matches = 0;
  const bool is_all = results.for_each_row(odd, [&](const ShardRow& row) {
    if (is_full_piece(pairs, matches)) written = equal, pairs = matches = 0;
    const auto old = database.geometry(row.pair.image1, row.pair.image2);
    if (!old || !same(*old, as_stored(row.geometry))) return false;
    ++equal, ++pairs, matches += row.matches;
    return true;
  });
  return is_all || is_full_piece(pairs, matches) ? equal : written;
}

void remove_parts(const std::filesystem::path& folder) {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("shard-") && name.ends_with(kPartEnd))
      std::filesystem::remove(entry.path(), none);
  }
}

}  // namespace

VerifyProgress merge_shards(const Plan& plan, const MergeRun& run) {
  const std::filesystem::path file = run.into.empty() ? plan.database : run.into;
  const Database database(file, Access::write);  // closed last, which removes the log
  if (views_of(database) != plan.views)
    io::reject(file.string(),
               "is not the database of the plan: its cameras, images or features differ");
  const Results results(plan, database);
  check_all_done(results);
  const std::size_t written = plan.overwrite ? rows_written(results, database) : 0;
  const std::vector<std::uint64_t> verified =
      plan.overwrite ? std::vector<std::uint64_t>() : ids_with_geometry(database);
  VerifyProgress progress;
  progress.pairs = plan.pairs;
  progress.verified_before = plan.verified_before;
  progress.unmatched = plan.unmatched;
  if (run.progress && !run.progress(progress)) return progress;

  RowWriter writer(file);
  std::vector<ShardRow> piece;
  std::size_t matches = 0;
  const auto finish = [&] {
    if (piece.empty()) return true;
    writer.write([&](Database& to) {
      for (const ShardRow& row : piece)
        to.write_geometry(row.pair.image1, row.pair.image2, row.geometry);
    });
    for (const ShardRow& row : piece) count(row.geometry, progress);
    piece.clear();
    matches = 0;
    return !run.progress || run.progress(progress);
  };
  OddRows odd;
  std::size_t visited = 0;
  const bool is_all = results.for_each_row(odd, [&](ShardRow& row) {
    if (visited++ < written || std::binary_search(verified.begin(), verified.end(), id_of(row))) {
      --progress.pairs;
      ++progress.verified_before;
      return true;
    }
    if (is_full_piece(piece.size(), matches) && !finish()) return false;
    matches += row.matches;
    piece.push_back(std::move(row));
    return true;
  });
  if (!is_all) return progress;
  progress.odd_rows = odd.rows();
  for (const OddRow& row : progress.odd_rows)
    if (row.use == RowUse::left_out) progress.left_out += row.pairs;
  if (finish()) remove_parts(plan.folder);
  writer.finish();
  return progress;
}

}  // namespace bifocal::colmap
