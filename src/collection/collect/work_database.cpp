// SPDX-License-Identifier: BSD-3-Clause
#include "collection/collect/work_database.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <bit>
#include <cmath>
#include <limits>

#include "collection/colmap/flight_records.hpp"
#include "collection/colmap/pair.hpp"
#include "io/parse.hpp"

namespace bifocal::collection {
namespace fs = std::filesystem;
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr const char* kIncompleteSuffix = ".new";  // suffix until the file is complete
constexpr std::int64_t kLeastCache = std::int64_t{4} << 20, kMostCache = std::int64_t{32} << 20;
constexpr const char *kGiven = "state descriptors", *kScreened = "state screened photographs",
                     *kUnknown = "state unknown cameras";
constexpr const char* kShared = "shared";

// A time is a blob of 8 bytes for any value, so that clearing it moves no rows.
constexpr const char* kTables = R"(
BEGIN;
CREATE TABLE bifocal_collect(name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE bifocal_photographs(image_id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL UNIQUE,
  bytes INTEGER NOT NULL, changed BLOB NOT NULL, reason TEXT, width INTEGER, height INTEGER, camera TEXT,
  focal_length REAL, latitude REAL, longitude REAL, content TEXT NOT NULL, doubt TEXT NOT NULL);
CREATE TABLE bifocal_screened(pair_id INTEGER PRIMARY KEY NOT NULL, matches INTEGER NOT NULL);
COMMIT;)";
constexpr const char* kDescriptorTable =
    "CREATE TABLE bifocal_descriptors(image_id INTEGER PRIMARY KEY NOT NULL, data BLOB NOT NULL)";

std::int64_t key_of(const ImagePair& p) {
  return static_cast<std::int64_t>(colmap::pair_id(image_id(p.image1), image_id(p.image2)));
}

bool is_ours(const sqlite::Connection& connection) {
  return sqlite::text_of(connection,
                         "SELECT 1 FROM sqlite_master WHERE name = 'bifocal_photographs'")
      .has_value();
}

// Rejects a file with views or triggers: a view may never end, and a trigger
// writes unrequested rows.
void check_tables(const fs::path& file, colmap::Access access) {
  const sqlite::Connection connection(file, access);
  if (const auto other = sqlite::text_of(
          connection, "SELECT name FROM sqlite_master WHERE type IN ('view', 'trigger')"))
    io::reject(file.string(), "{} is none of its tables", io::printable(*other));
  const bool has_content = access != colmap::Access::write ||
                           sqlite::text_of(connection,
                                           "SELECT 1 FROM pragma_table_info('bifocal_photographs') "
                                           "WHERE name = 'content'");
  if (is_ours(connection) && has_content) return;
  throw Error(
      ErrorCode::usage,
      fmt::format(
          "{}: unfinished run of another version of bifocal; use --overwrite to start again",
          file.string()));
}

const fs::path& with_own_tables(const fs::path& file, colmap::Access access) {
  check_tables(file, access);
  return file;
}

}  // namespace

void WorkDatabase::create(const fs::path& file, const Settings& settings) {
  sqlite::make_whole(file, kIncompleteSuffix, [&](const fs::path& incomplete) {
    {
      const colmap::Database database(incomplete, colmap::Access::create);
      const sqlite::Connection& connection = colmap::DatabaseInside::connection(database);
      connection.execute(kTables);
      if (has_surf(settings)) connection.execute(kDescriptorTable);
    }
    WorkDatabase work(incomplete, colmap::Access::write);
    work.together([&] {
      for (const auto& [name, value] : settings) work.set(name, value);
      work.set(kUnknown, kShared);
    });
  });
}

bool WorkDatabase::is_one(const fs::path& file) {
  return is_ours(sqlite::Connection(file, colmap::quiet_access(file)));
}

void WorkDatabase::copy(const fs::path& from, const fs::path& file,
                        std::span<const PhotographRow> rows) {
  sqlite::fold_log(from);
  sqlite::make_whole(file, kIncompleteSuffix, [&](const fs::path& incomplete) {
    fs::copy_file(from, incomplete);
    WorkDatabase work(incomplete, colmap::Access::write);
    work.together([&] {
      work.connection().execute("DELETE FROM bifocal_collect WHERE name GLOB 'note *'");
      for (const PhotographRow& r : rows) work.set_changed(r);
    });
  });
}

WorkDatabase::WorkDatabase(const fs::path& file, colmap::Access access)
    : database_(with_own_tables(file, access), access) {
  if (access != colmap::Access::write) return;
  // Committed work survives the end of the process; if the machine loses power, the last seconds
  // may be lost. Deleted data is overwritten with zeros.
  connection().execute("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON");
  set_cache(kMostCache);
  log_ = std::make_unique<sqlite::BoundedLog>(file, sqlite::kLongestLog);
  log_->attach(connection());
}

void WorkDatabase::set_cache(std::int64_t bytes) {
  const std::int64_t size = std::clamp(bytes, kLeastCache, kMostCache) / 1024;
  connection().execute(fmt::format("PRAGMA cache_size = -{}", size).c_str());
}

void WorkDatabase::set(const std::string& name, std::string_view value) {
  run("INSERT OR REPLACE INTO bifocal_collect VALUES(?, ?)", "table bifocal_collect, " + name, name,
      value);
}

std::optional<std::string> WorkDatabase::get(const std::string& name) const {
  return sqlite::text_of(connection(), "SELECT value FROM bifocal_collect WHERE name = ?", name);
}

std::optional<DescriptorKind> WorkDatabase::given() const {
  const auto text = get(kGiven);
  if (!text) return {};
  const auto numbers = io::to_number<int>(std::string_view(*text).substr(0, text->find(' ')));
  const DescriptorKind kind{numbers.value_or(0), text->ends_with(" bytes")};
  if (kind.numbers < 0 || !numbers || kind.numbers > kMostDescriptorNumbers ||
      *text != to_string(kind))
    refuse("table bifocal_collect, {}: '{}', must be 0 to {} bytes or floats", kGiven,
           io::printable(*text), kMostDescriptorNumbers);
  return kind;
}
void WorkDatabase::set_given(const DescriptorKind& kind) { set(kGiven, to_string(kind)); }

int WorkDatabase::screened_photographs() const {
  const auto text = get(kScreened);
  if (!text) return 0;
  const auto count = io::to_number<int>(*text);
  if (!count || *count < 0)
    refuse("table bifocal_collect, {}: '{}', must be a number", kScreened, io::printable(*text));
  return *count;
}
void WorkDatabase::set_screened_photographs(int count) { set(kScreened, fmt::to_string(count)); }

bool WorkDatabase::shares_unknown_cameras() const { return get(kUnknown) == kShared; }

void WorkDatabase::set_camera(int number, colmap::Id camera) {
  run("UPDATE images SET camera_id = ? WHERE image_id = ?",
      fmt::format("table images, image_id {}", image_id(number)), static_cast<std::int64_t>(camera),
      static_cast<std::int64_t>(image_id(number)));
  if (colmap::DatabaseInside::state(database_).tables.priors != colmap::PriorTable::of_sensors)
    return;
  run("UPDATE pose_priors SET corr_sensor_id = ? WHERE corr_data_id = ? AND corr_sensor_type = 0",
      fmt::format("table pose_priors, image {}", image_id(number)), camera, image_id(number));
}

void WorkDatabase::remove_camera(colmap::Id camera) {
  run("DELETE FROM cameras WHERE camera_id = ?", fmt::format("table cameras, camera_id {}", camera),
      static_cast<std::int64_t>(camera));
}

void WorkDatabase::add(const PhotographRow& row) {
  const bool is_left_out = row.state == PhotographState::left_out;
  const PhotographInfo& info = row.info;
  const auto of_done = [&](const auto& value) {
    return is_left_out ? std::nullopt : std::optional(value);
  };
  const auto degrees = [&](double GeoPosition::*angle) {
    return info.position ? of_done((*info.position).*angle) : std::nullopt;
  };
  run("INSERT INTO bifocal_photographs VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      "table bifocal_photographs, " + row.name, image_id(row.number), row.name, row.bytes,
      std::as_bytes(std::span(&row.changed, 1)),
      is_left_out ? std::optional(row.reason) : std::nullopt, of_done(info.width),
      of_done(info.height), of_done(info.camera), is_left_out ? std::nullopt : info.focal_length,
      degrees(&GeoPosition::latitude_deg), degrees(&GeoPosition::longitude_deg), row.content,
      info.doubt);
}

void WorkDatabase::add(const PhotographRow& row, const colmap::Image& image,
                       const ImageFeatures& features) {
  add(row);
  database_.write(image);
  add_priors(image.id, row.info);
  database_.write_keypoints(image.id, features.keypoints);
  if (features.descriptors) database_.write_descriptors(image.id, *features.descriptors);
  if (!features.own_descriptors.empty())
    run("INSERT INTO bifocal_descriptors VALUES(?, ?)", "table bifocal_descriptors, " + row.name,
        image.id, std::as_bytes(std::span(features.own_descriptors)));
}

// As COLMAP's extractor, writes a position only together with its altitude. Its gravity comes from
// the gimbal: EXIF's orientation, from which COLMAP derives it, says nothing about the pitch.
void WorkDatabase::add_priors(colmap::Id image, const PhotographInfo& info) {
  colmap::PosePrior prior{.image = image};
  if (info.position && info.altitude_m) {
    prior.coordinates = colmap::PriorCoordinates::wgs84;
    prior.position = {info.position->latitude_deg, info.position->longitude_deg, *info.altitude_m};
    if (const auto& s = info.position_deviations_m)
      prior.covariance = {(*s)[0] * (*s)[0], 0, 0, 0, (*s)[1] * (*s)[1], 0, 0, 0,
                          (*s)[2] * (*s)[2]};
  }
  if (info.gimbal) prior.gravity = gravity_of(*info.gimbal);
  if (prior.position || prior.gravity) database_.write(prior);
  if (info.gimbal || info.relative_altitude_m)
    colmap::write(database_, {image, info.relative_altitude_m, info.gimbal});
}

void WorkDatabase::set_changed(const PhotographRow& row) {
  run("UPDATE bifocal_photographs SET changed = ? WHERE image_id = ?",
      "table bifocal_photographs, " + row.name, std::as_bytes(std::span(&row.changed, 1)),
      image_id(row.number));
}

void WorkDatabase::add(const ScreenedPair& row) {
  run("INSERT INTO bifocal_screened VALUES(?, ?)", std::string("table bifocal_screened"),
      key_of(row.pair), row.matches);
}

void WorkDatabase::add(const ImagePair& pair, std::span<const colmap::IndexPair> matches,
                       const colmap::TwoViewGeometry* geometry) {
  const colmap::Id first = image_id(pair.image1), second = image_id(pair.image2);
  database_.write_matches(first, second, matches);
  if (geometry) database_.write_geometry(first, second, *geometry);
}

void WorkDatabase::finish(std::span<const std::string> notes) {
  // A run may have stopped after this step and before the rename. A second write would move rows.
  if (sqlite::text_of(connection(),
                      "SELECT count(*) > 0 AND sum(changed != zeroblob(8)) = 0 "
                      "FROM bifocal_photographs") == "1")
    return;
  together([&] {
    for (std::size_t i = 0; i < notes.size(); ++i) set(fmt::format("{}{}", kNote, i + 1), notes[i]);
    connection().execute("UPDATE bifocal_photographs SET changed = zeroblob(8)");
  });
}

namespace {

// Waits until the data is on the disk: the file is renamed only after that.
void synchronise(const fs::path& file) {
  const io::FileDescriptor own(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!own.valid() || ::fsync(own.get()) != 0) io::reject_write(file, errno);
}

// Removes the log of an existing database; SQLite would take it for the log of the new one.
void remove_old(const fs::path& database) {
  if (fs::exists(database)) {
    try {
      sqlite::fold_log(database);
    } catch (const Error&) {  // not a database or damaged: replaced as a whole
    }
  }
  sqlite::remove_logs(database);
}

}  // namespace

void publish(const fs::path& work, const fs::path& database) {
  sqlite::fold_log(work);
  sqlite::reset_change_counter(work);
  synchronise(work);
  remove_old(database);
  fs::rename(work, database);
}

}  // namespace bifocal::collection
