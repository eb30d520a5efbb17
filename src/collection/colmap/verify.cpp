// SPDX-License-Identifier: BSD-3-Clause
// A database's pairs: read, decided and written, one piece of them beside another.
#include <bifocal/colmap_verify.hpp>
#include <bifocal/pairs.hpp>

#include <algorithm>
#include <deque>
#include <future>
#include <limits>

#include "collection/colmap/chunk.hpp"
#include "collection/colmap/pipeline.hpp"

namespace bifocal::colmap {
namespace {

// Pieces that are decided on one GPU at the same time.
constexpr std::size_t kPiecesOnDevice = 6;

// By pair_id, as the table has them.
std::vector<PairOfImages> listed_pairs(const Database& database,
                                       const std::filesystem::path& file) {
  const std::vector<Image> images = database.images();  // by number
  std::vector<std::string> names;
  names.reserve(images.size());
  for (const Image& image : images) names.push_back(image.name);
  std::vector<PairOfImages> pairs;
  for (const ImagePair& p : read_pairs(file, names))
    pairs.push_back({images[static_cast<std::size_t>(p.image1)].id,
                     images[static_cast<std::size_t>(p.image2)].id});
  return pairs;
}

std::vector<std::uint64_t> verified_before(const Database& database) {
  std::vector<std::uint64_t> ids;
  for (const PairRows& row : database.geometry_rows())
    if (row.configuration != Configuration::undefined)
      ids.push_back(pair_id(row.image1, row.image2));
  return ids;
}

// Each with a connection of its own: SQLite counts in the file's header how often it was changed,
// in a write-ahead log once a connection, and that must not depend on interruptions.
void write_piece(const std::filesystem::path& file, const Chunk& chunk,
                 const DecidedPairs& decided) {
  Database database(file, Access::write);
  Transaction all(database);
  for (std::size_t k = 0; k < chunk.pairs.size(); ++k)
    database.write_geometry(chunk.pairs[k].image1, chunk.pairs[k].image2,
                            geometry_of(chunk, decided, k));
  all.commit();
}

}  // namespace

std::vector<PairOfImages> work_of(const Database& database, const VerifyRun& run,
                                  VerifyProgress& progress) {
  const std::vector<PairRows> matched = database.match_rows();
  const std::vector<std::uint64_t> verified =
      run.overwrite ? std::vector<std::uint64_t>() : verified_before(database);
  std::vector<PairOfImages> listed, work;
  if (run.pairs.empty())
    for (const PairRows& row : matched) listed.push_back({row.image1, row.image2});
  else
    listed = listed_pairs(database, run.pairs);
  auto row = matched.begin();
  auto old = verified.begin();
  for (const PairOfImages& pair : listed) {
    const std::uint64_t id = pair_id(pair.image1, pair.image2);
    while (row != matched.end() && pair_id(row->image1, row->image2) < id) ++row;
    while (old != verified.end() && *old < id) ++old;
    const bool has_row = row != matched.end() && pair_id(row->image1, row->image2) == id;
    if (old != verified.end() && *old == id)
      ++progress.skipped;
    else if (!has_row || row->rows == 0)
      ++progress.unmatched;
    else
      work.push_back(pair);
  }
  return work;
}

void forget(const std::filesystem::path& file, bool all_pairs,
            std::span<const PairOfImages> pairs) {
  Database database(file, Access::write);
  Transaction all(database);
  if (all_pairs) database.clear_geometries();
  for (const PairOfImages& pair : pairs) database.erase_geometry(pair.image1, pair.image2);
  all.commit();
}

TwoViewGeometry geometry_of(const Chunk& chunk, const DecidedPairs& decided, std::size_t k) {
  const DecidedPair& pair = decided.pairs[k];
  TwoViewGeometry g{pair.configuration, {}, pair.F, pair.E, pair.H, pair.cam2_from_cam1};
  g.inliers.reserve(static_cast<std::size_t>(pair.inlier_count));
  for (auto i = static_cast<std::size_t>(chunk.offsets[k]);
       i < static_cast<std::size_t>(chunk.offsets[k + 1]); ++i)
    if (decided.inliers[i]) g.inliers.push_back(chunk.matches[i]);
  return g;
}

void run_pipeline(Queue& queue, ChunkReader& reader, const VerifyOptions& options,
                  const PieceWriter& write, VerifyProgress& progress,
                  const std::function<bool(const VerifyProgress&)>& report) {
  // Reading and writing wait for files, not for processors: they have threads of their own.
  const auto read = [&] { return std::async(std::launch::async, [&] { return reader.next(); }); };
  struct Piece {
    Chunk chunk;
    DecidedPairs decided;
  };
  if (report && !report(progress)) return;
  // A piece alone leaves most of a GPU idle, and its copies all of it. On a CPU a piece is decided
  // where it is waited for.
  const bool on_cpu = queue.device().info().kind == DeviceKind::cpu;
  const auto when = on_cpu ? std::launch::deferred : std::launch::async;
  std::vector<Queue> others;
  for (std::size_t k = 1; !on_cpu && k < kPiecesOnDevice; ++k) others.emplace_back(queue.device());
  std::vector<Queue*> queues = {&queue};
  for (Queue& other : others) queues.push_back(&other);
  std::future<Chunk> coming = read();
  std::deque<std::future<Piece>> deciding;  // in their order
  std::future<Piece> leaving;
  const auto finish = [&] {
    if (!leaving.valid()) return true;
    const Piece piece = leaving.get();
    progress.done += static_cast<std::int64_t>(piece.chunk.pairs.size());
    for (const DecidedPair& pair : piece.decided.pairs) {
      ++progress.configurations[static_cast<std::size_t>(pair.configuration)];
      progress.inliers += pair.inlier_count;
    }
    return !report || report(progress);
  };
  const auto decided = [&options](Queue* on, Chunk chunk) {
    DecidedPairs pairs = decide(
        *on, {chunk.points, chunk.undistorted, chunk.offsets, chunk.cameras1, chunk.cameras2},
        options);
    return Piece{std::move(chunk), std::move(pairs)};
  };
  for (std::size_t next = 0;; ++next) {
    Chunk chunk = coming.get();
    const bool is_last = chunk.pairs.empty();
    if (!is_last) {
      coming = read();
      // The queue of the piece that was taken last.
      deciding.push_back(std::async(when, decided, queues[next % queues.size()], std::move(chunk)));
    }
    while (!deciding.empty() && (is_last || deciding.size() == queues.size())) {
      Piece piece = deciding.front().get();
      deciding.pop_front();
      if (!finish()) return;
      leaving = std::async(
          std::launch::async,
          [&write](Piece done) {
            write(done.chunk, done.decided);
            return done;
          },
          std::move(piece));
    }
    if (is_last) break;
  }
  (void)finish();
}

VerifyProgress verify(Queue& queue, const std::filesystem::path& file, const VerifyRun& run) {
  const Database database(file, Access::write);  // the last one closed: it tidies up the log
  const Cameras cameras(database);
  VerifyProgress progress;
  const std::vector<PairOfImages> work = work_of(database, run, progress);
  progress.pairs = static_cast<std::int64_t>(work.size());
  if (run.overwrite) forget(file, run.pairs.empty(), work);
  DatabaseSource source(file);
  ChunkReader reader(source, cameras, work, run.max_memory);
  run_pipeline(
      queue, reader, run.options,
      [&](const Chunk& chunk, const DecidedPairs& decided) { write_piece(file, chunk, decided); },
      progress, run.progress);
  return progress;
}

}  // namespace bifocal::colmap
