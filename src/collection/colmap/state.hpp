// SPDX-License-Identifier: BSD-3-Clause
// The inside of a colmap::Database: the connection, what it has, and the statements made so far.
#pragma once

#include <array>
#include <map>
#include <string_view>

#include <bifocal/colmap.hpp>

#include "collection/colmap/tables.hpp"
#include "collection/colmap/sqlite.hpp"

namespace bifocal::colmap {

struct Database::State {
  State(const std::filesystem::path& path, sqlite::Mode mode) : file(path), connection(path, mode) {
    if (mode == sqlite::Mode::create) create_tables(connection);
    if (mode != sqlite::Mode::read && mode != sqlite::Mode::frozen)
      connection.execute("PRAGMA foreign_keys = ON");
    tables = inspect(connection);
  }

  // Prepared once for each text.
  sqlite::Statement& prepared(std::string_view sql) {
    const auto found = statements.find(sql);
    if (found != statements.end()) return found->second;
    return statements.try_emplace(std::string(sql), connection, sql).first->second;
  }

  std::filesystem::path file;
  sqlite::Connection connection;
  Tables tables;
  std::map<std::string, sqlite::Statement, std::less<>> statements;

  // Made when the first one is written. Which of F E H qvec tvec it has a place for, is known then.
  sqlite::Statement& insert_of_geometry();
  sqlite::Statement* insert_geometry = nullptr;
  std::array<bool, 5> optional_columns{};
};

// What the library itself may do beside Access.
struct DatabaseInside {
  [[nodiscard]] static Database open(const std::filesystem::path& file, sqlite::Mode mode) {
    return Database(std::make_unique<Database::State>(file, mode));
  }
  [[nodiscard]] static sqlite::Statement& prepared(const Database& database, std::string_view sql) {
    return database.state_->prepared(sql);
  }
  [[nodiscard]] static const sqlite::Connection& connection(const Database& database) {
    return database.state_->connection;
  }
};

// Where damaged rows are told: in a list, or by an exception.
class Faults {
 public:
  Faults(const Database& database, std::vector<RowFault>* to)
      : file_(database.file().string()), to_(to) {}
  void add(const std::string& row, const std::string& reason) const {
    if (!to_) throw sqlite::DamagedRow(file_, row, reason);
    to_->push_back({row, reason});
  }
  // body(), what it throws of a row being told.
  template <class Body>
  void guard(const Body& body) const {
    try {
      body();
    } catch (const sqlite::DamagedRow& e) {
      if (!to_) throw;
      to_->push_back({e.row(), e.reason()});
    }
  }

 private:
  std::string file_;
  std::vector<RowFault>* to_;
};

// "table keypoints, image_id 3".
[[nodiscard]] std::string row_name(std::string_view table, std::string_view key,
                                   std::uint64_t value);
// "table matches, pair_id 4294967297 (images 2 and 3)".
[[nodiscard]] std::string pair_row(std::string_view table, Id image1, Id image2);

}  // namespace bifocal::colmap
