// SPDX-License-Identifier: BSD-3-Clause
// Rows into a database, piece by piece, while others read it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>

#include <bifocal/colmap.hpp>

namespace bifocal::colmap {

// Where readers of this process can be asked to stay out for a moment.
class ReadGate {
 public:
  void enter();
  void leave() noexcept;
  // Waits until nobody is inside; enter() waits until it is opened again.
  void close();
  void open() noexcept;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int inside_ = 0;
  bool closed_ = false;
};

// One thread adds piece after piece. A database with a write-ahead log: each piece is appended to
// the log, and another thread writes what is in the log into the database meanwhile; a reader sees
// the pieces that were committed when it began and waits for nobody. A log of kLongestLog is
// written whole and begun anew, unless another process is just reading: then when it has as much
// again. Killing the process at any time loses no piece. With a rollback journal, pieces are
// written as SQLite does it, and readers wait for those that are being committed.
class RowWriter {
 public:
  static constexpr std::int64_t kLongestLog = std::int64_t{128} << 20;  // bytes
  explicit RowWriter(std::filesystem::path file, std::int64_t longest_log = kLongestLog);
  ~RowWriter();
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;

  // rows(database), all or nothing. Throws what the other thread failed with, too.
  void write(const std::function<void(Database&)>& rows);
  // The log is written into the database as far as readers allow.
  void finish();
  // For those of this process that read the database meanwhile.
  [[nodiscard]] ReadGate& gate() { return gate_; }

 private:
  class LogKeeper;
  std::filesystem::path file_;
  std::int64_t page_size_ = 0;  // bytes
  ReadGate gate_;
  std::unique_ptr<LogKeeper> keeper_;  // null: no log
};

}  // namespace bifocal::colmap
