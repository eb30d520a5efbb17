// SPDX-License-Identifier: BSD-3-Clause
// Inspection of a database's tables and columns, and the schema of new databases.
#include "collection/colmap/state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <vector>

namespace bifocal::colmap {
namespace {

struct Table {
  const char* name;
  std::vector<const char*> columns;
};
// Tables and columns of all versions from 3.8 on.
const Table kNeeded[] = {
    {"cameras", {"camera_id", "model", "width", "height", "params", "prior_focal_length"}},
    {"images", {"image_id", "name", "camera_id"}},
    {"keypoints", {"image_id", "rows", "cols", "data"}},
    {"descriptors", {"image_id", "rows", "cols", "data"}},
    {"matches", {"pair_id", "rows", "cols", "data"}},
    {"two_view_geometries", {"pair_id", "rows", "cols", "data", "config"}}};

// Databases up to this user_version store an unset pose as the identity.
constexpr std::int64_t kLastWithIdentity = 3130000;

// Returns whether the database has a table of this name. Views and virtual tables do not count,
// because a view may produce rows without end.
bool is_table(const sqlite::Connection& connection, std::string_view name) {
  return sqlite::text_of(connection,
                         "SELECT type = 'table' AND rootpage > 0 FROM sqlite_master "
                         "WHERE name = ? COLLATE NOCASE",
                         name) == "1";
}

void set_geometry(Tables& tables, const std::set<std::string>& present) {
  std::string known, columns, places;
  for (std::size_t k = 0; k < std::size(kOptional); ++k) {
    tables.of_geometry[k] = present.contains(kOptional[k]);
    known += tables.of_geometry[k] ? fmt::format(", {}", kOptional[k]) : ", NULL";
    if (!tables.of_geometry[k]) continue;
    columns += fmt::format(", {}", kOptional[k]);
    places += ", ?";
  }
  tables.select_geometry = fmt::format(
      "SELECT rows, cols, data, config{} FROM two_view_geometries WHERE pair_id = ?", known);
  tables.select_geometries = fmt::format(
      "SELECT rows, cols, data, config{}, pair_id FROM two_view_geometries WHERE pair_id >= ? AND "
      "pair_id < ? ORDER BY pair_id",
      known);
  tables.insert_geometry = fmt::format(
      "INSERT OR REPLACE INTO two_view_geometries (pair_id, rows, cols, data, "
      "config{}) VALUES (?, ?, 2, ?, ?{})",
      columns, places);
}

// Tables that 3.10 to 4.2.1 read alike. Rigs, frames and priors are omitted, because versions
// before 3.12 lack them or have other columns; `type` has a default, because 3.x cannot write
// descriptors otherwise. A user_version above 3140001 means that unset values are NULL, so that 4.x
// migrates no rows.
constexpr const char* kSchema = R"(
BEGIN IMMEDIATE;
CREATE TABLE cameras (
  camera_id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  model INTEGER NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL,
  params BLOB, prior_focal_length INTEGER NOT NULL);
CREATE TABLE images (
  image_id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  name TEXT NOT NULL UNIQUE, camera_id INTEGER NOT NULL,
  CONSTRAINT image_id_check CHECK(image_id >= 0 and image_id < 2147483647),
  FOREIGN KEY(camera_id) REFERENCES cameras(camera_id));
CREATE UNIQUE INDEX index_name ON images(name);
CREATE TABLE keypoints (
  image_id INTEGER PRIMARY KEY NOT NULL,
  rows INTEGER NOT NULL, cols INTEGER NOT NULL, data BLOB,
  FOREIGN KEY(image_id) REFERENCES images(image_id) ON DELETE CASCADE);
CREATE TABLE descriptors (
  image_id INTEGER PRIMARY KEY NOT NULL, type INTEGER NOT NULL DEFAULT 0,
  rows INTEGER NOT NULL, cols INTEGER NOT NULL, data BLOB,
  FOREIGN KEY(image_id) REFERENCES images(image_id) ON DELETE CASCADE);
CREATE TABLE matches (
  pair_id INTEGER PRIMARY KEY NOT NULL,
  rows INTEGER NOT NULL, cols INTEGER NOT NULL, data BLOB);
CREATE TABLE two_view_geometries (
  pair_id INTEGER PRIMARY KEY NOT NULL,
  rows INTEGER NOT NULL, cols INTEGER NOT NULL, data BLOB, config INTEGER NOT NULL,
  F BLOB, E BLOB, H BLOB, qvec BLOB, tvec BLOB);
PRAGMA user_version = 4000000;
COMMIT;
)";

// Finds the layout of the table pose_priors. Another table of this name stops no reader of the
// other tables.
void set_priors(Tables& tables, const sqlite::Connection& connection) {
  const std::set<std::string> present = columns_of(connection, "pose_priors");
  if (present.empty()) return;
  tables.priors = present.contains("image_id") ? PriorTable::of_images : PriorTable::of_sensors;
  tables.has_prior_covariances = present.contains("position_covariance");
  std::vector<const char*> needed = {"position", "coordinate_system"};
  if (tables.priors == PriorTable::of_sensors)
    needed.insert(needed.end(), {"pose_prior_id", "corr_data_id", "corr_sensor_id",
                                 "corr_sensor_type", "position_covariance", "gravity"});
  for (const char* column : needed)
    if (!present.contains(column))
      tables.prior_fault = fmt::format("has no column {}, but {}", column, fmt::join(present, " "));
  if (!is_table(connection, "pose_priors")) tables.prior_fault = "is a view or a virtual table";
}

}  // namespace

std::set<std::string> columns_of(const sqlite::Connection& connection, const std::string& table) {
  sqlite::Statement query(connection, "SELECT name FROM pragma_table_info(?)");
  const sqlite::Use use(query, table);
  std::set<std::string> names;
  while (query.step("the columns of table " + table)) names.insert(query.text(0));
  return names;
}

Tables inspect(const sqlite::Connection& connection) {
  std::set<std::string> of_descriptors, of_geometries;
  for (const Table& table : kNeeded) {
    const std::set<std::string> present = columns_of(connection, table.name);
    if (present.empty())
      io::reject(connection.name(), "has no table {}: is it a database of COLMAP?", table.name);
    if (!is_table(connection, table.name))
      io::reject(connection.name(), "table {}: is a view or a virtual table", table.name);
    for (const char* column : table.columns)
      if (!present.contains(column))
        io::reject(connection.name(), "table {}: has no column {}, but {}", table.name, column,
                   fmt::join(present, " "));
    if (std::string_view(table.name) == "descriptors") of_descriptors = present;
    if (std::string_view(table.name) == "two_view_geometries") of_geometries = present;
  }
  Tables tables;
  tables.descriptor_types = of_descriptors.contains("type");
  set_geometry(tables, of_geometries);
  tables.has_frames =
      is_table(connection, "frames") && sqlite::text_of(connection, "SELECT 1 FROM frames");
  set_priors(tables, connection);
  const auto version = sqlite::text_of(connection, "PRAGMA user_version");
  tables.identity_is_unset = std::stoll(version.value_or("0")) <= kLastWithIdentity;
  return tables;
}

void create_tables(const sqlite::Connection& connection) {
  // Rows have some kilobytes. With the largest pages most rows fit one page, which halves the time
  // to write and read them.
  connection.execute(
      "PRAGMA page_size = 65536; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  connection.execute(kSchema);
}

}  // namespace bifocal::colmap
