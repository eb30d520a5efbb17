// SPDX-License-Identifier: BSD-3-Clause
// The work file as a database of COLMAP's: everything in the order of its numbers, so that it has
// the same bytes in whatever order the work was done.
#include <bifocal/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "collection/collect/given.hpp"
#include "collection/collect/stages.hpp"

namespace bifocal::collection {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kRowsTogether = 2000;

// Commits every so many rows; always the same ones.
class Writer {
 public:
  Writer(const fs::path& file, StageProgress& progress)
      : database_(file, colmap::Access::create), progress_(progress) {
    transaction_.emplace(database_);
  }
  template <class Write>
  void row(const Write& write) {
    write(database_);
    if (++rows_ % kRowsTogether == 0) {
      end();
      transaction_.emplace(database_);
    }
  }
  void end() {
    transaction_->commit();
    transaction_.reset();
    progress_.add(rows_ - told_);
    told_ = rows_;
  }

 private:
  colmap::Database database_;
  std::optional<colmap::Transaction> transaction_;
  StageProgress& progress_;
  std::int64_t rows_ = 0, told_ = 0;
};

colmap::Id id_of(int number) { return static_cast<colmap::Id>(number) + 1; }

// Of other tools' points nothing is known but the place; of descriptors the schema holds SIFT's.
void write_given(colmap::Database& database, colmap::Id id, const DescriptorKind& kind,
                 const Features& f) {
  colmap::Keypoints places{2, {}};
  for (const Keypoint& k : f.keypoints) places.data.insert(places.data.end(), {k.x, k.y});
  database.write_keypoints(id, places);
  if (kind.is_bytes && kind.numbers == kDescriptorBytes)
    database.write_descriptors(id, {0, kDescriptorBytes, f.descriptors});
}

void write_images(WorkFile& work, const Job& job, Writer& writer) {
  const std::vector<PhotographRow> rows = work.photographs();
  const Cameras cameras = cameras_of(rows, job.options.cameras);
  const std::optional<DescriptorKind> given = kind_of_given(work);
  for (const colmap::Camera& camera : cameras.cameras)
    writer.row([&](colmap::Database& d) { d.write(camera); });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const PhotographRow& r = rows[i];
    if (r.state != PhotographState::done) continue;
    writer.row([&](colmap::Database& d) {
      const colmap::Id id = id_of(r.number);
      d.write(colmap::Image{id, r.name, cameras.of[i]});
      const Features f = work.features(r.number);
      if (given) return write_given(d, id, *given, f);
      d.write_keypoints(id, colmap::keypoints_of(f.keypoints));
      if (!job.options.surf) d.write_descriptors(id, colmap::descriptors_of(f.descriptors));
    });
  }
}

void write_pairs(WorkFile& work, Writer& writer) {
  work.for_each_pair([&](PairRow&& row) {
    writer.row([&](colmap::Database& d) {
      const colmap::Id first = id_of(row.pair.image1), second = id_of(row.pair.image2);
      d.write_matches(first, second, row.matches);
      if (row.geometry) d.write_geometry(first, second, *row.geometry);
    });
  });
}

void write_settings(const fs::path& file, const Settings& settings) {
  const sqlite::Connection connection(file, sqlite::Mode::write);
  connection.execute(
      "BEGIN; CREATE TABLE bifocal_collect(name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) "
      "WITHOUT ROWID");
  {
    sqlite::Statement insert(connection, "INSERT INTO bifocal_collect VALUES(?, ?)");
    for (const auto& [name, value] : settings) {
      const sqlite::Use use(insert);
      insert.bind(1, name);
      insert.bind(2, value);
      insert.step("table bifocal_collect, " + name);
    }
  }
  connection.execute("COMMIT");
}

// What is written is on the disk before it gets its name.
void synchronise(const fs::path& file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = descriptor >= 0 && fsync(descriptor) == 0;
  const int why = errno;
  if (descriptor >= 0) close(descriptor);
  if (!done) io::reject(file.string(), "can't be written: {}", std::strerror(why));
}

}  // namespace

void write_database(const Job& job, const fs::path& database, const Settings& settings,
                    const CollectResult& result) {
  const fs::path fresh = database.string() + ".new";
  for (const char* ending : {"", "-wal", "-shm"}) fs::remove(fresh.string() + ending);
  WorkFile work(job.work_file, WorkFile::Mode::open);
  {
    StageProgress progress(job.options, "database", "rows", result.images + result.pairs, 0);
    Writer writer(fresh, progress);
    write_images(work, job, writer);
    write_pairs(work, writer);
    writer.end();
  }
  write_settings(fresh, settings);
  sqlite::fold_log(fresh);
  synchronise(fresh);
  fs::rename(fresh, database);
}

}  // namespace bifocal::collection
