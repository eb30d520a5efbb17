// SPDX-License-Identifier: BSD-3-Clause
#include "collection/collect/work_file.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace bifocal::collection {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// A table's blob of plain values.
template <class T>
void bind(sqlite::Statement& s, int place, const std::vector<T>& values) {
  s.bind_bytes(place, values.data(), values.size() * sizeof(T));
}
void bind(sqlite::Statement& s, int place, const std::optional<Mat3>& matrix) {
  if (matrix) {
    s.bind_bytes(place, matrix->data(), sizeof(Mat3));
  } else {
    s.bind_null(place);
  }
}
std::int64_t key_of(const ImagePair& p) { return std::int64_t{p.image1} << 32 | p.image2; }

// Of the tables, as user_version: work of other ones cannot be gone on with.
constexpr std::int64_t kVersion = 4;
constexpr const char* kTables = R"(
PRAGMA page_size = 65536;
PRAGMA journal_mode = WAL;
BEGIN;
CREATE TABLE settings(name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE photographs(number INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, bytes INTEGER NOT NULL,
  changed INTEGER NOT NULL, state INTEGER NOT NULL, reason TEXT, width INTEGER, height INTEGER, camera TEXT,
  numbers BLOB, features INTEGER);
CREATE TABLE features(number INTEGER PRIMARY KEY NOT NULL, keypoints BLOB NOT NULL, descriptors BLOB NOT NULL,
  shapes BLOB NOT NULL);
CREATE TABLE pairs(id INTEGER PRIMARY KEY NOT NULL, matches BLOB NOT NULL, configuration INTEGER, F BLOB, E BLOB,
  H BLOB, pose BLOB, inliers BLOB);
CREATE TABLE screened(id INTEGER PRIMARY KEY NOT NULL, matches INTEGER NOT NULL);
COMMIT;)";

// Throws Error(usage) for tables of another version.
void check_version(const std::filesystem::path& file) {
  const sqlite::Connection connection(file, sqlite::Mode::write);
  sqlite::Statement query(connection, "PRAGMA user_version");
  const sqlite::Use use(query);
  // Views may have no end, and triggers write what nobody asked for.
  sqlite::Statement other(connection,
                          "SELECT name FROM sqlite_master WHERE type IN ('view', 'trigger')");
  const sqlite::Use use_other(other);
  if (other.step("tables"))
    io::reject(file.string(), "{} is none of its tables", io::printable(other.text(0)));
  if (query.step("user_version") && query.number(0) == kVersion) return;
  throw Error(ErrorCode::usage,
              fmt::format("{}: unfinished work of another version of bifocal; --overwrite to begin "
                          "anew",
                          file.string()));
}

// The tables have to be there before the statements are prepared.
const std::filesystem::path& with_tables(const std::filesystem::path& file, WorkFile::Mode mode) {
  if (mode == WorkFile::Mode::create) {
    const sqlite::Connection connection(file, sqlite::Mode::create);
    connection.execute(kTables);
    connection.execute(fmt::format("PRAGMA user_version = {}", kVersion).c_str());
  } else {
    check_version(file);
  }
  return file;
}

}  // namespace

WorkFile::WorkFile(const std::filesystem::path& file, Mode mode)
    : connection_(with_tables(file, mode), sqlite::Mode::write),
      set_(connection_, "INSERT OR REPLACE INTO settings VALUES(?, ?)"),
      get_(connection_, "SELECT value FROM settings WHERE name = ?"),
      add_photograph_(connection_,
                      "INSERT INTO photographs(number, name, bytes, changed, state) "
                      "VALUES(?, ?, ?, ?, 0)"),
      finish_photograph_(connection_,
                         "UPDATE photographs SET state = ?, reason = ?, width = ?, height = ?, "
                         "camera = ?, numbers = ?, features = ? WHERE number = ?"),
      add_features_(connection_, "INSERT OR REPLACE INTO features VALUES(?, ?, ?, ?)"),
      features_(connection_,
                "SELECT keypoints, descriptors, shapes, p.features FROM photographs p "
                "LEFT JOIN features f ON f.number = p.number WHERE p.number = ?"),
      add_pair_(connection_, "INSERT OR REPLACE INTO pairs VALUES(?, ?, ?, ?, ?, ?, ?, ?)"),
      add_screened_(connection_, "INSERT INTO screened VALUES(?, ?)") {
  // Committed work outlives the process; of a machine without power the last seconds may be lost.
  // 16 MB of the log are written into the file at a time.
  connection_.execute("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 250");
}

void WorkFile::roll_back() noexcept {
  sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void WorkFile::set(const std::string& name, std::string_view value) {
  const sqlite::Use use(set_);
  set_.bind(1, name);
  set_.bind_bytes(2, value.data(), value.size());
  set_.step("table settings, " + name);
}

std::optional<std::string> WorkFile::get(const std::string& name) {
  const sqlite::Use use(get_);
  get_.bind(1, name);
  if (!get_.step("table settings, " + name)) return {};
  const auto bytes = get_.bytes(0);
  return std::string(bytes.begin(), bytes.end());
}

void WorkFile::set_given(const DescriptorKind& kind) {
  const std::array<int, 2> numbers = {kind.numbers, kind.is_bytes};
  set(kGiven, {reinterpret_cast<const char*>(numbers.data()), sizeof numbers});
}

void WorkFile::add(const PhotographRow& row) {
  const sqlite::Use use(add_photograph_);
  add_photograph_.bind(1, row.number);
  add_photograph_.bind(2, row.name);
  add_photograph_.bind(3, row.bytes);
  add_photograph_.bind(4, row.changed);
  add_photograph_.step("table photographs, " + row.name);
}

void WorkFile::finish(const PhotographRow& row, const Features& features) {
  const auto& position = row.info.position;
  const Numbers numbers = {row.info.focal_length.value_or(kUnknown),
                           position ? position->latitude_deg : kUnknown,
                           position ? position->longitude_deg : kUnknown};
  {
    const sqlite::Use use(finish_photograph_);
    finish_photograph_.bind(1, static_cast<int>(row.state));
    finish_photograph_.bind(2, row.reason);
    finish_photograph_.bind(3, row.info.width);
    finish_photograph_.bind(4, row.info.height);
    finish_photograph_.bind(5, row.info.camera);
    finish_photograph_.bind_bytes(6, numbers.data(), sizeof numbers);
    finish_photograph_.bind(7, features.size());
    finish_photograph_.bind(8, row.number);
    finish_photograph_.step("table photographs, " + row.name);
  }
  const sqlite::Use use(add_features_);
  add_features_.bind(1, row.number);
  bind(add_features_, 2, features.keypoints);
  bind(add_features_, 3, features.descriptors);
  bind(add_features_, 4, features.shapes);
  add_features_.step("table features, " + row.name);
}

void WorkFile::add(const ScreenedPair& row) {
  const sqlite::Use use(add_screened_);
  add_screened_.bind(1, key_of(row.pair));
  add_screened_.bind(2, row.matches);
  add_screened_.step(fmt::format("table screened, {} and {}", row.pair.image1, row.pair.image2));
}

void WorkFile::add(const PairRow& row) {
  const sqlite::Use use(add_pair_);
  add_pair_.bind(1, key_of(row.pair));
  bind(add_pair_, 2, row.matches);
  for (int place = 3; place <= 8; ++place) add_pair_.bind_null(place);
  if (const auto& g = row.geometry) {
    add_pair_.bind(3, static_cast<int>(g->configuration));
    bind(add_pair_, 4, g->F);
    bind(add_pair_, 5, g->E);
    bind(add_pair_, 6, g->H);
    if (g->cam2_from_cam1) add_pair_.bind_bytes(7, &*g->cam2_from_cam1, sizeof(Pose));
    bind(add_pair_, 8, g->inliers);
  }
  add_pair_.step(fmt::format("table pairs, {} and {}", row.pair.image1, row.pair.image2));
}
}  // namespace bifocal::collection
