// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/colmap/verify.hpp>
#include <bifocal/error.hpp>

#include <new>
#include <optional>

#include "collection/colmap/pipeline.hpp"
#include "collection/shards/identity.hpp"
#include "collection/shards/result_file.hpp"
#include "io/reject.hpp"

namespace bifocal::colmap {
namespace {

// A failure of the whole run: every shard would fail in the same way.
class OtherDatabase : public Error {
 public:
  explicit OtherDatabase(const std::filesystem::path& file, const std::string& what)
      : Error(ErrorCode::input,
              fmt::format("{}: is not the database of the plan: {}", file.string(), what)) {}
};

class Shard {
 public:
  Shard(const Plan& plan, int shard, const ShardRun& run)
      : plan_(plan),
        shard_(shard),
        file_(run.database.empty() ? plan.database : run.database),
        max_memory_(run.max_memory),
        stamp_(stamp_of(file_)),
        access_(quiet_access(file_)),
        database_(file_, access_) {
    if (views_of(database_) != plan.views)
      throw OtherDatabase(file_, "its cameras, images or features differ");
    planned_ = read_list(plan, shard);
    for (const PlannedPair& p : planned_) work_.push_back(p.pair);
  }

  void verify(const DeviceSet& devices, ShardResult& result) {
    const Cameras cameras(database_);
    DatabaseSource source(file_, access_);
    ChunkReader reader(source, cameras, work_, max_memory_);
    ResultWriter out(plan_, shard_, work_.size());
    VerifyProgress progress;
    run_pipeline(devices, reader, plan_.options, [&](const Piece& piece) { add(piece, out); },
                 progress, {});
    // The file is read without locks: the result is valid only if the file has not changed
    // during the run.
    if (stamp_of(file_) != stamp_)
      throw TryAgain(fmt::format("{}: was written to meanwhile", file_.string()));
    result.pairs = progress.done;
    result.inliers = progress.inliers;
    result.left_out = progress.left_out;
    result.odd_rows = progress.odd_rows;
    // Another process may have finished first, and a merge may be reading its file.
    if (why_not_done(plan_, shard_).empty()) return;
    out.commit();
  }

 private:
  // Adds the planned pairs in their order. Pairs that were left out get an undefined geometry.
  void add(const Piece& piece, ResultWriter& out) {
    const Chunk& chunk = piece.chunk;
    const std::size_t end = written_ + chunk.pairs.size() + chunk.left_out.size();
    for (std::size_t k = 0; written_ < end; ++written_) {
      const PlannedPair& p = planned_[written_];
      if (k == chunk.pairs.size() || chunk.pairs[k] != p.pair) {
        out.add({p.pair, static_cast<std::uint32_t>(p.matches), {}});
        continue;
      }
      const std::int64_t matches = chunk.offsets[k + 1] - chunk.offsets[k];
      if (p.matches != matches)
        throw OtherDatabase(file_, fmt::format("images {} and {} have {} matches, not {}",
                                               p.pair.image1, p.pair.image2, matches, p.matches));
      out.add({p.pair, static_cast<std::uint32_t>(matches), piece.geometries[k]});
      ++k;
    }
  }

  const Plan& plan_;
  const int shard_;
  const std::filesystem::path file_;
  const std::int64_t max_memory_;
  const std::string stamp_;  // taken before the file is opened
  const Access access_;
  const Database database_;
  std::vector<PlannedPair> planned_;
  std::vector<PairOfImages> work_;
  std::size_t written_ = 0;
};

ShardResult ended(ShardEnd end, const std::string& reason) {
  ShardResult result;
  result.end = end;
  result.reason = reason;
  return result;
}

}  // namespace

ShardResult run_shard(const DeviceSet& devices, const Plan& plan, int shard, const ShardRun& run) {
  if (shard < 0 || shard >= plan.shards())
    throw Error(ErrorCode::usage,
                plan.shards() == 0
                    ? fmt::format("shard {}: the plan in {} has none", shard, plan.folder.string())
                    : fmt::format("shard {}: the plan in {} has the shards 0 to {}", shard,
                                  plan.folder.string(), plan.shards() - 1));
  ShardResult result;
  std::optional<Shard> work;  // exceptions before its construction are faults of the whole run
  try {
    result.was_done = why_not_done(plan, shard).empty();
    if (result.was_done) return result;
    work.emplace(plan, shard, run);
    work->verify(devices, result);
  } catch (const TryAgain& error) {
    return ended(ShardEnd::try_again, error.what());
  } catch (const std::bad_alloc&) {
    return ended(ShardEnd::try_again, fmt::format("shard {}: out of memory", shard));
  } catch (const OtherDatabase&) {
    throw;
  } catch (const Error& error) {
    if (work && error.code() == ErrorCode::device) return ended(ShardEnd::try_again, error.what());
    if (work && error.code() == ErrorCode::input) return ended(ShardEnd::poisoned, error.what());
    throw;
  }
  return result;
}

}  // namespace bifocal::colmap
