// SPDX-License-Identifier: BSD-3-Clause
// Writes rows to a database, piece by piece, while other connections read it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>

#include <bifocal/colmap/database.hpp>

#include "collection/colmap/bounded_log.hpp"

namespace bifocal::colmap {

// A fair lock: a reader that locks it repeatedly does not starve the writer.
class ReadGate {
 public:
  void lock() {
    const std::lock_guard place(queue_);
    inside_.lock();
  }
  void unlock() { inside_.unlock(); }

 private:
  std::mutex queue_, inside_;
};

// Adds piece after piece from one thread. In a database with a write-ahead log, each piece is
// appended to the log, which is moved into the database at the same time (BoundedLog); a reader
// sees the pieces committed before it began, and never waits. A kill at any time loses no piece.
// With a rollback journal, pieces are written by SQLite's usual rules, and readers wait for a
// commit in progress.
class RowWriter {
 public:
  explicit RowWriter(std::filesystem::path file, std::int64_t longest_log = sqlite::kLongestLog);

  // Runs rows(database) in one transaction.
  void write(const std::function<void(Database&)>& rows);
  // Moves the log into the database as far as readers allow.
  void finish();
  // Returns the lock that this process's readers must hold while they read.
  [[nodiscard]] ReadGate& gate() { return gate_; }

 private:
  std::filesystem::path file_;
  std::unique_ptr<sqlite::BoundedLog> log_;  // null without a write-ahead log
  ReadGate gate_;
};

}  // namespace bifocal::colmap
