// SPDX-License-Identifier: BSD-3-Clause
#include "collection/colmap/row_writer.hpp"

#include <sqlite3.h>

#include <utility>

#include "collection/colmap/state.hpp"

namespace bifocal::colmap {
namespace {

// Writes the log into the database as far as readers allow.
void write_log(const sqlite::Connection& connection) {
  const int code = sqlite3_wal_checkpoint_v2(connection.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE,
                                             nullptr, nullptr);
  const int kind = code & 0xff;
  if (kind != SQLITE_OK && kind != SQLITE_BUSY && kind != SQLITE_LOCKED)
    connection.fail("writing its log into it");
}

}  // namespace

RowWriter::RowWriter(std::filesystem::path file, std::int64_t longest_log)
    : file_(std::move(file)), longest_log_(longest_log), next_(longest_log) {
  const sqlite::Connection connection(file_, Access::write);
  has_log_ = sqlite::text_of(connection, "PRAGMA journal_mode") == "wal";
  page_size_ = std::stoll(sqlite::text_of(connection, "PRAGMA page_size").value_or("0"));
}

// Opens a new connection for each call. SQLite counts changes in the file's header, with a
// write-ahead log once per connection; this count must not depend on interruptions.
void RowWriter::write(const std::function<void(Database&)>& rows) {
  std::unique_lock<ReadGate> alone(gate_, std::defer_lock);
  int pages = 0;  // in the log
  Database database(file_, Access::write);
  const sqlite::Connection& connection = DatabaseInside::connection(database);
  if (has_log_) {
    // NORMAL makes commits without waiting for the disk. The cache of 8 MB holds a piece of rows;
    // pages beyond it would be written twice.
    connection.execute("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000");
    // Replaces SQLite's own hook, which writes the log into the database automatically.
    sqlite3_wal_hook(
        connection.get(),
        [](void* to, sqlite3*, const char*, int in_log) {
          *static_cast<int*>(to) = in_log;
          return SQLITE_OK;
        },
        &pages);
  }
  if (log_ >= next_) {
    alone.lock();
    write_log(connection);  // the commit restarts the log
    next_ = log_ + longest_log_;
  }
  Transaction all(database);
  rows(database);
  all.commit();
  const std::int64_t bytes = pages * page_size_;
  if (bytes < log_) next_ = longest_log_;  // the log was restarted
  log_ = bytes;
}

void RowWriter::finish() {
  if (has_log_) write_log(sqlite::Connection(file_, Access::write));
}

}  // namespace bifocal::colmap
