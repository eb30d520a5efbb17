// SPDX-License-Identifier: BSD-3-Clause
#include "collection/colmap/row_writer.hpp"

#include <utility>

#include "collection/colmap/state.hpp"

namespace bifocal::colmap {
RowWriter::RowWriter(std::filesystem::path file, std::int64_t longest_log)
    : file_(std::move(file)) {
  const bool has_log =
      sqlite::text_of(sqlite::Connection(file_, Access::write), "PRAGMA journal_mode") == "wal";
  if (has_log) log_ = std::make_unique<sqlite::BoundedLog>(file_, longest_log);
}

// Opens a new connection for each call. SQLite counts changes in the file's header, with a
// write-ahead log once per connection; this count must not depend on interruptions.
void RowWriter::write(const std::function<void(Database&)>& rows) {
  std::unique_lock<ReadGate> alone(gate_, std::defer_lock);
  Database database(file_, Access::write);
  const sqlite::Connection& connection = DatabaseInside::connection(database);
  if (log_) {
    // NORMAL makes commits without waiting for the disk. The cache of 8 MB holds a piece of rows;
    // pages beyond it would be written twice.
    connection.execute("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000");
    log_->attach(connection);
    log_->before_piece([&] { alone.lock(); });
  }
  Transaction all(database);
  rows(database);
  all.commit();
  if (log_) log_->after_piece();
}

void RowWriter::finish() {
  if (log_) log_->finish();
}

}  // namespace bifocal::colmap
