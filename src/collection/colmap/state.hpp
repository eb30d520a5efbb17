// SPDX-License-Identifier: BSD-3-Clause
// Implementation of colmap::Database: the connection, the tables of the file, and
// the prepared statements.
#pragma once

#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <bifocal/colmap/database.hpp>

#include "collection/colmap/sqlite.hpp"

namespace bifocal::colmap {

// Columns of geometries that some versions lack, in the order of Database::geometry().
inline constexpr const char* kOptional[] = {"F", "E", "H", "qvec", "tvec"};

// Layout of the table pose_priors.
enum class PriorTable {
  absent,
  of_images,   // 3.10 to 3.13: a row for each image
  of_sensors,  // from 4.0 on: a row for each datum of a sensor
};

struct Tables {
  bool descriptor_types = false;  // from 4.0 on
  bool has_frames = false;        // from 3.12 on, if the table has a row
  PriorTable priors = PriorTable::absent;
  bool has_prior_covariances = false;
  std::string prior_fault;  // why the table pose_priors cannot be read; empty without a reason
  // Presence of the columns kOptional, and SQL statements for the existing columns.
  std::array<bool, std::size(kOptional)> of_geometry{};
  // select_geometries: of a range of pair_id, which is the column after those of select_geometry.
  std::string select_geometry, select_geometries, insert_geometry;
  // In files of old versions, zeros and the pose of two equal cameras mean "unset".
  bool identity_is_unset = false;
};

// Throws Error(input) if a table or column of all versions is missing.
[[nodiscard]] Tables inspect(const sqlite::Connection& connection);

// Returns the names of a table's columns; empty without this table.
[[nodiscard]] std::set<std::string> columns_of(const sqlite::Connection& connection,
                                               const std::string& table);

// Creates the tables in an empty file and enables its write-ahead log.
void create_tables(const sqlite::Connection& connection);

struct Database::State {
  State(const std::filesystem::path& path, sqlite::Mode mode) : file(path), connection(path, mode) {
    if (mode == sqlite::Mode::create) create_tables(connection);
    if (mode != sqlite::Mode::read && mode != sqlite::Mode::frozen)
      connection.execute("PRAGMA foreign_keys = ON");
    tables = inspect(connection);
  }

  // Returns the statement, which is prepared once for each SQL text.
  sqlite::Statement& prepared(std::string_view sql) {
    const auto found = statements.find(sql);
    if (found != statements.end()) return found->second;
    return statements.try_emplace(std::string(sql), connection, sql).first->second;
  }

  // Binds the values and runs a statement without results. where: its table and row, or a function
  // that returns them.
  template <class Where, class... Values>
  void run(std::string_view sql, const Where& where, const Values&... values) {
    sqlite::Statement& statement = prepared(sql);
    const sqlite::Use use(statement, values...);
    (void)statement.step(where);
  }
  // Binds the values, runs a statement and returns the integer in the first row; nullopt
  // without a row.
  template <class... Values>
  std::optional<std::int64_t> number(std::string_view sql, const std::string& where,
                                     const Values&... values) {
    sqlite::Statement& row = prepared(sql);
    const sqlite::Use use(row, values...);
    return row.step(where) ? std::optional(row.number(0)) : std::nullopt;
  }
  // Appends the matches of a pair, in the order of its row; returns false if it has none.
  bool append_matches(Id image1, Id image2, std::vector<IndexPair>& to);

  std::filesystem::path file;
  sqlite::Connection connection;
  Tables tables;
  std::map<std::string, sqlite::Statement, std::less<>> statements;
};

// Access to the implementation for the library's own use.
struct DatabaseInside {
  [[nodiscard]] static Database::State& state(const Database& database) { return *database.state_; }
  [[nodiscard]] static const sqlite::Connection& connection(const Database& database) {
    return database.state_->connection;
  }
};

// Records damaged rows: in a list, or by an exception without a list.
class Faults {
 public:
  Faults(const Database& database, std::vector<RowFault>* to)
      : file_(database.file().string()), to_(to) {}
  void add(const std::string& row, const std::string& reason) const {
    if (!to_) throw sqlite::DamagedRow(file_, {row, reason});
    to_->push_back({row, reason});
  }
  // Calls body() and records the damaged row that it throws.
  template <class Body>
  void guard(const Body& body) const {
    try {
      body();
    } catch (const sqlite::DamagedRow& e) {
      if (!to_) throw;
      to_->push_back(e.fault);
    }
  }

 private:
  std::string file_;
  std::vector<RowFault>* to_;
};

// Returns "table keypoints, image_id 3".
[[nodiscard]] std::string row_name(std::string_view table, std::string_view key,
                                   std::uint64_t value);
// Returns "table matches, pair_id 4294967297 (images 2 and 3)".
[[nodiscard]] std::string pair_row(std::string_view table, Id image1, Id image2);

}  // namespace bifocal::colmap
