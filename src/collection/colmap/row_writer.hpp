// SPDX-License-Identifier: BSD-3-Clause
// Rows into a database, piece by piece, while others read it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>

#include <bifocal/colmap/database.hpp>

namespace bifocal::colmap {

// A lock of which those who wait get their turn: a reader that locks it again and again does not
// keep the writer out.
class ReadGate {
 public:
  void lock() {
    const std::lock_guard turn(turn_);
    inside_.lock();
  }
  void unlock() { inside_.unlock(); }

 private:
  std::mutex turn_, inside_;
};

// One thread adds piece after piece. A database with a write-ahead log: each piece is appended to
// the log; a reader sees the pieces that were committed when it began and waits for nobody. A log
// of kLongestLog is written into the database and begun anew, unless another process is just
// reading: then when it has as much again. Killing the process at any time loses no piece. With a
// rollback journal, pieces are written as SQLite does it, and readers wait for those that are being
// committed.
class RowWriter {
 public:
  static constexpr std::int64_t kLongestLog = std::int64_t{128} << 20;  // bytes
  explicit RowWriter(std::filesystem::path file, std::int64_t longest_log = kLongestLog);

  // rows(database), all or nothing.
  void write(const std::function<void(Database&)>& rows);
  // The log is written into the database as far as readers allow.
  void finish();
  // The readers of this process hold it while they read.
  [[nodiscard]] ReadGate& gate() { return gate_; }

 private:
  std::filesystem::path file_;
  bool has_log_;
  std::int64_t page_size_;                     // bytes
  std::int64_t longest_log_, next_, log_ = 0;  // bytes: `next_` is when it is begun anew
  ReadGate gate_;
};

}  // namespace bifocal::colmap
