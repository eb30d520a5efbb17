// SPDX-License-Identifier: BSD-3-Clause
#include "collection/colmap/bounded_log.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/thread_name.hpp"

namespace bifocal::sqlite {
namespace {

// A shorter log is left to the end of the connection.
constexpr std::int64_t kShortLog = std::int64_t{4} << 20;

void move_log(const Connection& connection) {
  const int code = sqlite3_wal_checkpoint_v2(connection.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE,
                                             nullptr, nullptr);
  const int kind = code & 0xff;
  if (kind != SQLITE_OK && kind != SQLITE_BUSY && kind != SQLITE_LOCKED)
    connection.fail("writing its log into it");
}

}  // namespace

// SQLite ignores a checkpoint by a connection that has not read the database.
Checkpointer::Checkpointer(const std::filesystem::path& file) : connection_(file, Mode::write) {
  (void)text_of(connection_, "SELECT count(*) FROM sqlite_master");
}

Checkpointer::~Checkpointer() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Checkpointer::begin() {
  {
    const std::lock_guard lock(mutex_);
    ++wanted_;
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  }
  changed_.notify_all();
}

void Checkpointer::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return done_ == wanted_; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Checkpointer::work() {
  runtime::name_thread("log");
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || done_ < wanted_; });
    if (ends_) return;
    const std::int64_t now = wanted_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      move_log(connection_);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    done_ = now;
    failure_ = failure;  // a later checkpoint includes the pages of a failed one
    changed_.notify_all();
  }
}

void BoundedLog::attach(const Connection& connection) {
  page_size_ = std::stoll(text_of(connection, "PRAGMA page_size").value_or("0"));
  sqlite3_wal_hook(
      connection.get(),
      [](void* to, sqlite3*, const char*, int in_log) {
        *static_cast<int*>(to) = in_log;
        return SQLITE_OK;
      },
      &pages_);
}

void BoundedLog::before_piece(const std::function<void()>& alone) {
  if (bytes_ < next_) return;
  if (alone) alone();
  finish();
  end_guard();  // the next commit begins the log again
  next_ = bytes_ + longest_;
}

void BoundedLog::after_piece() {
  const std::int64_t before = bytes_;
  bytes_ = pages_ * page_size_;
  if (bytes_ < before) next_ = longest_;  // the log was begun again
  if (bytes_ == before) return;
  // The pages of this piece are not moved before the earlier read ends, so the new one is in the
  // log.
  const int next = guard_ == 0 ? 1 : 0;
  guards_[next].execute("BEGIN; SELECT count(*) FROM sqlite_master");
  end_guard();
  guard_ = next;
  if (bytes_ >= std::min(kShortLog, longest_)) checkpointer_.begin();
}

void BoundedLog::end_guard() {
  if (guard_ >= 0) guards_[guard_].execute("COMMIT");
  guard_ = -1;
}

void BoundedLog::finish() {
  checkpointer_.begin();
  checkpointer_.wait();
}

}  // namespace bifocal::sqlite
