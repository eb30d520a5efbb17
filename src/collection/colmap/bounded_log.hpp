// SPDX-License-Identifier: BSD-3-Clause
// Moves the write-ahead log of a database into the database while another connection appends to
// the log.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>

#include "collection/colmap/sqlite.hpp"

namespace bifocal::sqlite {

// Runs checkpoints on a thread with a separate connection, from the first call of begin() on. A
// checkpoint reads and writes all bytes again and waits for the disk, so a writer that runs it
// itself takes half as long again. Not for databases without a write-ahead log.
class Checkpointer {
 public:
  explicit Checkpointer(const std::filesystem::path& file);
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  // Requests that all committed pieces be moved as far as readers allow. Does not wait.
  void begin();
  // Waits for the requested moves. Throws the error of a move that failed.
  void wait();

 private:
  void work();

  const Connection connection_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t wanted_ = 0, done_ = 0;  // moves
  bool ends_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

// Bounds the log of a connection that writes pieces: the log is moved in the background while it
// grows, and once it has `longest` bytes, the next piece waits until SQLite can begin it again. If
// another connection reads at this moment, the next attempt comes after as many bytes again.
//
// At any other time a read of the last piece keeps SQLite from beginning the log again. Up to
// 3.51.2 it may lose pages if one connection begins the log again while another one moves it
// (https://sqlite.org/wal.html#walresetbug).
class BoundedLog {
 public:
  BoundedLog(const std::filesystem::path& file, std::int64_t longest)
      : checkpointer_(file),
        guards_{{file, Mode::read}, {file, Mode::read}},
        longest_(longest),
        next_(longest) {}

  // Takes over SQLite's automatic moves; `connection` must not write after the end of this object.
  void attach(const Connection& connection);
  // Must be called before a transaction. alone: called before the log is to begin again.
  void before_piece(const std::function<void()>& alone = {});
  // Must be called after a commit.
  void after_piece();
  // Moves the log as far as readers allow, and waits.
  void finish();

 private:
  void end_guard();

  Checkpointer checkpointer_;
  const Connection guards_[2];
  int guard_ = -1;  // which of them reads; -1: none
  std::int64_t longest_, next_, bytes_ = 0, page_size_ = 0;
  int pages_ = 0;  // in the log
};

// Longest log of a writer, in bytes, by default.
inline constexpr std::int64_t kLongestLog = std::int64_t{256} << 20;

}  // namespace bifocal::sqlite
