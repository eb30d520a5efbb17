// SPDX-License-Identifier: BSD-3-Clause
#include "collection/colmap/row_writer.hpp"

#include <sqlite3.h>

#include <exception>
#include <thread>
#include <utility>

#include "collection/colmap/log_file.hpp"
#include "collection/colmap/state.hpp"
#include "runtime/thread_name.hpp"

namespace bifocal::colmap {
namespace {

std::string text_of(const sqlite::Connection& connection, const char* pragma) {
  sqlite::Statement row(connection, pragma);
  const sqlite::Use use(row);
  return row.step(pragma) ? row.text(0) : std::string();
}

}  // namespace

void ReadGate::enter() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !closed_; });
  ++inside_;
}

void ReadGate::leave() noexcept {
  const std::lock_guard lock(mutex_);
  --inside_;
  changed_.notify_all();
}

void ReadGate::close() {
  std::unique_lock lock(mutex_);
  closed_ = true;
  changed_.wait(lock, [this] { return inside_ == 0; });
}

void ReadGate::open() noexcept {
  const std::lock_guard lock(mutex_);
  closed_ = false;
  changed_.notify_all();
}

// Writes the log into the database, on a thread of its own.
class RowWriter::LogKeeper {
 public:
  LogKeeper(const std::filesystem::path& file, std::int64_t longest)
      : connection_(file, sqlite::Mode::append),
        longest_(longest),
        next_(longest),
        thread_([this] { run(); }) {}
  ~LogKeeper() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  LogKeeper(const LogKeeper&) = delete;
  LogKeeper& operator=(const LogKeeper&) = delete;

  // There is more in the log, which has `bytes` now.
  void added(std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes < bytes_) next_ = longest_;  // it was begun anew
    bytes_ = bytes;
    ++asked_;
    changed_.notify_all();
    if (failure_) std::rethrow_exception(failure_);
  }

  // All that is there is written, or what keeps readers from being led astray is left.
  void catch_up() {
    std::unique_lock lock(mutex_);
    const std::int64_t all = ++asked_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return done_ >= all; });
    if (failure_) std::rethrow_exception(failure_);
  }

  // Of a long log all is written, if no other process reads it: the next one to write begins it
  // anew. True when the gate was closed for that.
  bool make_room(ReadGate& gate) {
    if (bytes_ < next_) return false;
    catch_up();  // most of it while others read
    gate.close();
    try {
      catch_up();
    } catch (...) {
      gate.open();
      throw;
    }
    next_ = bytes_ + longest_;  // the next attempt, should it not be begun anew
    return true;
  }

 private:
  void run() {
    runtime::name_thread("log");
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stop_ || done_ < asked_; });
      if (done_ == asked_) return;
      const std::int64_t all = asked_;
      lock.unlock();
      std::exception_ptr failure;
      try {
        write_log();
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      failure_ = failure;
      done_ = all;
      changed_.notify_all();
    }
  }

  // As far as readers allow; the others go on meanwhile.
  void write_log() {
    const sqlite::ReadingAhead ahead;
    const int code = sqlite3_wal_checkpoint_v2(connection_.get(), nullptr,
                                               SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    const int kind = code & 0xff;
    if (kind != SQLITE_OK && kind != SQLITE_BUSY && kind != SQLITE_LOCKED)
      connection_.fail("writing its log into it");
  }

  sqlite::Connection connection_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t asked_ = 0, done_ = 0;
  std::exception_ptr failure_;
  bool stop_ = false;
  const std::int64_t longest_;
  std::int64_t bytes_ = 0, next_;  // of the writing thread: what the log has, and is cut from
  std::thread thread_;
};

RowWriter::RowWriter(std::filesystem::path file, std::int64_t longest_log)
    : file_(std::move(file)) {
  const sqlite::Connection connection(file_, sqlite::Mode::write);
  if (text_of(connection, "PRAGMA journal_mode") != "wal") return;
  page_size_ = std::stoll(text_of(connection, "PRAGMA page_size"));
  keeper_ = std::make_unique<LogKeeper>(file_, longest_log);
}

RowWriter::~RowWriter() = default;

// Each with a connection of its own: SQLite counts in the file's header how often it was changed,
// in a write-ahead log once a connection, and that must not depend on interruptions.
void RowWriter::write(const std::function<void(Database&)>& rows) {
  const bool closed = keeper_ && keeper_->make_room(gate_);
  const auto open_again = [closed](ReadGate* gate) {
    if (closed) gate->open();
  };
  std::unique_ptr<ReadGate, decltype(open_again)> closing(&gate_, open_again);
  int pages = 0;  // in the log
  Database database =
      DatabaseInside::open(file_, keeper_ ? sqlite::Mode::append : sqlite::Mode::write);
  if (keeper_)
    sqlite3_wal_hook(
        DatabaseInside::connection(database).get(),
        [](void* to, sqlite3*, const char*, int in_log) {
          *static_cast<int*>(to) = in_log;
          return SQLITE_OK;
        },
        &pages);
  Transaction all(database);
  rows(database);
  all.commit();  // a log that is written whole is begun anew here
  closing.reset();
  if (keeper_) keeper_->added(pages * page_size_);
}

void RowWriter::finish() {
  if (keeper_) keeper_->catch_up();
}

}  // namespace bifocal::colmap
