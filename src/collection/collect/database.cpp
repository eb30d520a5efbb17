// SPDX-License-Identifier: BSD-3-Clause
// The work file as a database of COLMAP's: everything in the order of its numbers, so that it has
// the same bytes in whatever order the work was done.
#include <bifocal/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>

#include "collection/collect/given.hpp"
#include "collection/collect/stages.hpp"
#include "collection/colmap/state.hpp"
#include "runtime/background.hpp"

namespace bifocal::collection {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kRowsTogether = 2000;
constexpr std::size_t kBytesOfBatch = std::size_t{4} << 20;

// The caller's thread reads rows and puts them in shape, another one writes them, some batches
// behind. Commits every so many rows; always the same ones.
class Writer {
 public:
  Writer(const fs::path& file, StageProgress& progress)
      : database_(colmap::DatabaseInside::open(file, sqlite::Mode::draft)), progress_(progress) {
    transaction_.emplace(database_);
  }
  // write(database): a row of about so many bytes.
  void row(std::size_t bytes, std::function<void(colmap::Database&)> write) {
    batch_.push_back(std::move(write));
    bytes_ += bytes;
    if (bytes_ > kBytesOfBatch || batch_.size() == kRowsTogether) hand_over();
  }
  void end() {
    hand_over();
    other_.finish();
    commit();
  }

 private:
  using Batch = std::vector<std::function<void(colmap::Database&)>>;

  void hand_over() {
    auto batch = std::make_shared<Batch>(std::exchange(batch_, {}));
    bytes_ = 0;
    other_.run([this, batch] {
      for (const auto& write : *batch) {
        write(database_);
        if (++rows_ % kRowsTogether != 0) continue;
        commit();
        transaction_.emplace(database_);
      }
    });
  }
  void commit() {
    transaction_->commit();
    transaction_.reset();
    progress_.add(rows_ - told_);
    told_ = rows_;
  }

  colmap::Database database_;
  std::optional<colmap::Transaction> transaction_;
  StageProgress& progress_;
  std::int64_t rows_ = 0, told_ = 0;
  Batch batch_;
  std::size_t bytes_ = 0;
  runtime::Background other_{2};  // ends before the others are gone
};

colmap::Id id_of(int number) { return static_cast<colmap::Id>(number) + 1; }

// A photograph's rows. Of other tools' points nothing is known but the place. Of descriptors the
// schema holds SIFT's, not SURF's.
struct ImageRows {
  colmap::Image image;
  colmap::Keypoints keypoints;
  std::optional<colmap::Descriptors> descriptors;

  [[nodiscard]] std::size_t bytes() const {
    return keypoints.data.size() * sizeof(float) + (descriptors ? descriptors->data.size() : 0);
  }
  void write(colmap::Database& to) const {
    to.write(image);
    to.write_keypoints(image.id, keypoints);
    if (descriptors) to.write_descriptors(image.id, *descriptors);
  }
};

ImageRows rows_of(colmap::Image image, const std::optional<DescriptorKind>& given, bool is_surf,
                  const Features& f) {
  if (!given) {
    ImageRows rows{std::move(image), colmap::keypoints_of(f), {}};
    if (!is_surf) rows.descriptors = colmap::descriptors_of(f.descriptors);
    return rows;
  }
  ImageRows rows{std::move(image), {2, {}}, {}};
  for (const Keypoint& k : f.keypoints)
    rows.keypoints.data.insert(rows.keypoints.data.end(), {k.x, k.y});
  if (given->is_bytes && given->numbers == kDescriptorBytes)
    rows.descriptors = colmap::Descriptors{0, kDescriptorBytes, f.descriptors};
  return rows;
}

void write_images(WorkFile& work, const Job& job, Writer& writer) {
  const std::vector<PhotographRow> photographs = work.photographs();
  const Cameras cameras = cameras_of(photographs, job.options.cameras);
  const std::optional<DescriptorKind> given = work.given();
  for (const colmap::Camera& camera : cameras.cameras)
    writer.row(sizeof camera, [camera](colmap::Database& to) { to.write(camera); });
  for (std::size_t i = 0; i < photographs.size(); ++i) {
    const PhotographRow& r = photographs[i];
    if (r.state != PhotographState::done) continue;
    ImageRows rows = rows_of({id_of(r.number), r.name, cameras.of[i]}, given,
                             job.options.surf.has_value(), work.features(r.number));
    const std::size_t bytes = rows.bytes();
    writer.row(bytes, [rows = std::move(rows)](colmap::Database& to) { rows.write(to); });
  }
}

void write_pairs(WorkFile& work, Writer& writer) {
  work.for_each_pair([&](PairRow&& row) {
    const std::size_t matches =
        row.matches.size() + (row.geometry ? row.geometry->inliers.size() : 0);
    writer.row(matches * sizeof(colmap::IndexPair) + sizeof row,
               [row = std::move(row)](colmap::Database& to) {
                 const colmap::Id first = id_of(row.pair.image1), second = id_of(row.pair.image2);
                 to.write_matches(first, second, row.matches);
                 if (row.geometry) to.write_geometry(first, second, *row.geometry);
               });
  });
}

// Adds a table of our own, whose rows `fill` inserts.
void write_own_table(const fs::path& file, const char* definition, const char* name,
                     const std::function<void(sqlite::Statement&)>& fill) {
  const sqlite::Connection connection(file, sqlite::Mode::write);
  connection.keep_log();
  connection.execute(fmt::format("BEGIN; CREATE TABLE {}", definition).c_str());
  {
    sqlite::Statement rows(connection, fmt::format("INSERT INTO {} VALUES(?, ?)", name));
    fill(rows);
  }
  connection.execute("COMMIT");
}

void write_settings(const fs::path& file, const Settings& settings) {
  write_own_table(
      file, "bifocal_collect(name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID",
      "bifocal_collect", [&](sqlite::Statement& insert) {
        for (const auto& [name, value] : settings) {
          const sqlite::Use use(insert);
          insert.bind(1, name);
          insert.bind(2, value);
          insert.step("table bifocal_collect, " + name);
        }
      });
}

// Lists the pairs that the screen left out: a row in COLMAP's own tables would say that they were
// matched.
void write_screened(const fs::path& file, WorkFile& work) {
  write_own_table(
      file, "bifocal_screened(pair_id INTEGER PRIMARY KEY NOT NULL, matches INTEGER NOT NULL)",
      "bifocal_screened", [&](sqlite::Statement& insert) {
        for (const ScreenedPair& s : work.left_out()) {
          const sqlite::Use use(insert);
          insert.bind(1, static_cast<std::int64_t>(
                             colmap::pair_id(id_of(s.pair.image1), id_of(s.pair.image2))));
          insert.bind(2, s.matches);
          insert.step("table bifocal_screened");
        }
      });
}

// A database on its way: unless it has got its name at the end, nothing of it is left.
class FreshFile {
 public:
  explicit FreshFile(fs::path file) : file_(std::move(file)) { remove(); }
  ~FreshFile() {
    if (!named_) remove();
  }
  FreshFile(const FreshFile&) = delete;
  FreshFile& operator=(const FreshFile&) = delete;
  [[nodiscard]] const fs::path& path() const { return file_; }
  void name(const fs::path& database) {
    fs::rename(file_, database);
    named_ = true;
  }

 private:
  void remove() const {
    std::error_code none;
    for (const char* ending : {"", "-wal", "-shm", "-journal"})
      fs::remove(file_.string() + ending, none);
  }
  fs::path file_;
  bool named_ = false;
};

// What is written is on the disk before it gets its name.
void synchronise(const fs::path& file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = descriptor >= 0 && fsync(descriptor) == 0;
  const int why = errno;
  if (descriptor >= 0) close(descriptor);
  if (!done) io::reject(file.string(), "can't be written: {}", std::strerror(why));
}

// The log of a database that was here would be taken for the new one's.
void take_old_away(const fs::path& database) {
  if (fs::exists(database)) {
    try {
      sqlite::fold_log(database);
    } catch (const Error&) {  // it is none, or a damaged one: it goes as a whole
    }
  }
  sqlite::remove_logs(database);
}

}  // namespace

void write_database(const Job& job, const fs::path& database, const Settings& settings,
                    const CollectResult& result) {
  FreshFile fresh(database.string() + ".new");
  WorkFile work(job.work_file, WorkFile::Mode::open);
  {
    StageProgress progress(job.options, "database", "rows", result.images + result.pairs, 0);
    Writer writer(fresh.path(), progress);
    write_images(work, job, writer);
    write_pairs(work, writer);
    writer.end();
  }
  write_settings(fresh.path(), settings);
  write_screened(fresh.path(), work);
  sqlite::fold_log(fresh.path());
  synchronise(fresh.path());
  take_old_away(database);
  fresh.name(database);
}

}  // namespace bifocal::collection
