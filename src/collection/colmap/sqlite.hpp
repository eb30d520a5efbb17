// SPDX-License-Identifier: BSD-3-Clause
// Connections to SQLite and prepared statements. Failures throw Error(input) with file, table and
// row, or TryAgain if a second try may succeed.
#pragma once

#include <sqlite3.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <bifocal/colmap/database.hpp>

#include "io/reject.hpp"

namespace bifocal::sqlite {

using Mode = colmap::Access;

class Connection {
 public:
  Connection(const std::filesystem::path& file, Mode mode);
  ~Connection() { sqlite3_close_v2(db_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] sqlite3* get() const { return db_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  void execute(const char* sql) const;
  // Throws the message of the last failure. where: the table and row, or the failed action.
  [[noreturn]] void fail(const std::string& where) const;

 private:
  void open(const std::filesystem::path& file, Mode mode);
  std::string name_;
  sqlite3* db_ = nullptr;
};

// A transaction. The destructor rolls it back unless it was committed.
class ScopedTransaction {
 public:
  ScopedTransaction(const Connection& connection, const char* begin) : connection_(connection) {
    connection.execute(begin);
  }
  ~ScopedTransaction() {
    if (sqlite3_get_autocommit(connection_.get()) == 0)
      sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  ScopedTransaction(const ScopedTransaction&) = delete;
  ScopedTransaction& operator=(const ScopedTransaction&) = delete;

 private:
  const Connection& connection_;
};

// Writes the log into the database before a rename. Throws if another connection has the database
// open, or if the disk is full; a closing connection would ignore a full disk and leave the log.
void fold_log(const std::filesystem::path& file);

// Removes the log and the journal of a database, because SQLite would apply them to a new database
// of this name. Returns whether a file was removed.
bool remove_logs(const std::filesystem::path& file);
// Removes a database with its log and journal.
void remove_database(const std::filesystem::path& file);

// Creates a database by fill(temporary name) and renames it once it is complete. ending: suffix of
// the temporary name.
template <class Fill>
void make_whole(const std::filesystem::path& file, const char* ending, const Fill& fill) {
  const std::filesystem::path incomplete = file.string() + ending;
  remove_database(incomplete);
  fill(incomplete);
  fold_log(incomplete);
  remove_logs(file);  // left over from a deleted database of this name
  std::filesystem::rename(incomplete, file);
}

// Resets the change counters in the header of a closed database, the only bytes that depend on the
// number of connections.
void reset_change_counter(const std::filesystem::path& file);

// Reads the whole database and throws Error(input) if it is inconsistent.
void check_whole(const std::filesystem::path& file);

// A row contradicts itself; the file is sound, and other rows can be read.
class DamagedRow : public Error {
 public:
  DamagedRow(const std::string& file, const colmap::RowFault& what)
      : Error(ErrorCode::input, fmt::format("{}: {}: {}", file, what.row, what.reason)),
        fault(what) {}
  colmap::RowFault fault;
};

// A prepared statement for repeated use: bind values to its placeholders, step through the rows,
// reset (at the end of a Use).
class Statement {
 public:
  Statement(const Connection& connection, std::string_view sql);
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(Statement&& other) noexcept
      : connection_(other.connection_), statement_(std::exchange(other.statement_, nullptr)) {}
  Statement& operator=(Statement&&) = delete;

  // Binds a value to a placeholder; `place` counts from 1. Bytes and text remain the caller's and
  // must live until the reset.
  void bind(int place, std::integral auto value) {
    check(sqlite3_bind_int64(statement_, place, static_cast<std::int64_t>(value)));
  }
  void bind(int place, double value) { check(sqlite3_bind_double(statement_, place, value)); }
  void bind(int place, std::string_view text) {
    check(sqlite3_bind_text64(statement_, place, text.data(), text.size(), SQLITE_STATIC,
                              SQLITE_UTF8));
  }
  // Empty bytes become an empty blob, as COLMAP writes it, not NULL.
  void bind(int place, std::span<const std::byte> bytes) {
    const void* const data = bytes.empty() ? static_cast<const void*>("") : bytes.data();
    check(sqlite3_bind_blob64(statement_, place, data, bytes.size(), SQLITE_STATIC));
  }
  void bind(int place, std::nullopt_t /*null*/) { check(sqlite3_bind_null(statement_, place)); }
  template <class T>
  void bind(int place, const std::optional<T>& value) {
    value ? bind(place, *value) : bind(place, std::nullopt);
  }

  // Advances to the next row; returns false after the last row. where: text for errors, or a
  // function that returns it.
  template <class Where>
  bool step(const Where& where) {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW || code == SQLITE_DONE) return code == SQLITE_ROW;
    if constexpr (std::invocable<Where>)
      connection_->fail(where());
    else
      connection_->fail(where);
  }
  void reset() { sqlite3_reset(statement_); }

  // Columns of the current row; `place` counts from 0.
  [[nodiscard]] bool is_null(int place) const {
    return sqlite3_column_type(statement_, place) == SQLITE_NULL;
  }
  [[nodiscard]] std::int64_t number(int place) const {
    return sqlite3_column_int64(statement_, place);
  }
  [[nodiscard]] double real(int place) const { return sqlite3_column_double(statement_, place); }
  [[nodiscard]] std::string text(int place) const;
  [[nodiscard]] std::span<const std::byte> bytes(int place) const;

  [[nodiscard]] const Connection& connection() const { return *connection_; }

 private:
  void check(int code) const {
    if (code != SQLITE_OK) connection_->fail("bind");
  }
  const Connection* connection_;
  sqlite3_stmt* statement_ = nullptr;
};

// Binds values to a statement's placeholders, in order, and resets the statement in the destructor,
// so that no lock outlives a call, even after an exception.
class Use {
 public:
  template <class... Values>
  explicit Use(Statement& statement, const Values&... values) : statement_(statement) {
    int place = 0;
    (statement_.bind(++place, values), ...);
  }
  ~Use() { statement_.reset(); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  Statement& statement_;
};

// Returns the first column of the first row as text; nullopt without a row.
template <class... Values>
[[nodiscard]] std::optional<std::string> text_of(const Connection& connection, std::string_view sql,
                                                 const Values&... values) {
  Statement row(connection, sql);
  const Use use(row, values...);
  if (!row.step([&] { return std::string(sql); })) return {};
  return row.text(0);
}

}  // namespace bifocal::sqlite
