// SPDX-License-Identifier: BSD-3-Clause
// After SQLite's documents of its write-ahead log and its interface to the system (wal.html,
// fileformat2.html section 4, vfs.html).
#include "collection/colmap/log_file.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <type_traits>

namespace bifocal::sqlite {
namespace {

constexpr int kFrameHeader = 24;      // bytes in front of each page
constexpr int kGathered = 112 << 10;  // bytes; SQLite's own file takes fewer than 128 KiB at once

sqlite3_vfs* real_files = nullptr;
// Which time this is that the thread writes a log into its database; 0 while it does not.
thread_local unsigned this_time = 0, last_time = 0;

bool is_page_size(int n) { return n >= 512 && std::has_single_bit(unsigned(n)); }

// Stands in front of SQLite's own file, which follows it in memory.
struct LogFile {
  sqlite3_file base;
  char* gathered;       // ours: a unique_ptr is of no standard layout for clang
  sqlite3_int64 begin;  // in the file
  int size;
  bool is_header_last;
  // Of what was read ahead; it lies in `gathered` while nothing is gathered there.
  sqlite3_int64 ahead_begin;
  int ahead_size;
  unsigned ahead_time;  // 0: not to be read ahead

  [[nodiscard]] sqlite3_file* own() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  [[nodiscard]] const sqlite3_io_methods& methods() { return *own()->pMethods; }

  // What fails here fails the transaction: nothing of it was committed.
  int flush() {
    ahead_size = 0;
    ahead_time = 0;
    const int n = size;
    size = 0;
    is_header_last = false;
    return n == 0 ? SQLITE_OK : methods().xWrite(own(), gathered, n, begin);
  }

  int write(const char* data, int n, sqlite3_int64 at) {
    const bool follows = size > 0 && at == begin + size && n <= kGathered - size;
    const bool is_page = follows && is_header_last && is_page_size(n);
    // The size of the database in pages after a commit; 0 in all frames of it but the last.
    constexpr char kNoCommit[4] = {};
    const bool is_header = n == kFrameHeader && std::memcmp(data + 4, kNoCommit, 4) == 0;
    if (!follows || (!is_page && !is_header))
      if (const int failed = flush()) return failed;
    if (!is_page && !is_header) return methods().xWrite(own(), data, n, at);
    if (size == 0) begin = at;
    std::memcpy(gathered + size, data, static_cast<std::size_t>(n));
    size += n;
    is_header_last = is_header;
    ahead_size = 0;
    ahead_time = 0;
    return SQLITE_OK;
  }

  int read(char* to, int n, sqlite3_int64 at) {
    if (ahead_time == 0 || ahead_time != this_time || !is_page_size(n)) {
      const int failed = flush();
      return failed ? failed : methods().xRead(own(), to, n, at);
    }
    if (at < ahead_begin || at + n > ahead_begin + ahead_size) {
      sqlite3_int64 end = 0;
      ahead_size = 0;
      if (const int failed = methods().xFileSize(own(), &end)) return failed;
      const int most = static_cast<int>(std::clamp<sqlite3_int64>(end - at, n, kGathered));
      if (const int failed = methods().xRead(own(), gathered, most, at)) return failed;
      ahead_begin = at;
      ahead_size = most;
    }
    std::memcpy(to, gathered + (at - ahead_begin), static_cast<std::size_t>(n));
    return SQLITE_OK;
  }
};

static_assert(std::is_standard_layout_v<LogFile> && sizeof(LogFile) % alignof(void*) == 0);

LogFile& log_of(sqlite3_file* file) { return *reinterpret_cast<LogFile*>(file); }

// SQLite's own, after what was gathered.
template <auto Method, class... Arguments>
int after_flush(sqlite3_file* file, Arguments... arguments) {
  LogFile& log = log_of(file);
  const int failed = log.flush();
  return failed ? failed : (log.methods().*Method)(log.own(), arguments...);
}
template <auto Method, class... Arguments>
int as_it_is(sqlite3_file* file, Arguments... arguments) {
  LogFile& log = log_of(file);
  return (log.methods().*Method)(log.own(), arguments...);
}

// What is gathered still was not committed.
int close(sqlite3_file* file) {
  LogFile& log = log_of(file);
  const int closed = log.methods().xClose(log.own());
  delete[] log.gathered;
  return closed;
}

int read(sqlite3_file* file, void* to, int n, sqlite3_int64 at) {
  return log_of(file).read(static_cast<char*>(to), n, at);
}

// SQLite asks for it when it has decided how much of the log it writes into the database, before it
// reads the first page: from here on that much does not change.
int sync(sqlite3_file* file, int flags) {
  const int failed = after_flush<&sqlite3_io_methods::xSync, int>(file, flags);
  log_of(file).ahead_time = failed ? 0 : this_time;
  return failed;
}

int write(sqlite3_file* file, const void* data, int n, sqlite3_int64 at) {
  return log_of(file).write(static_cast<const char*>(data), n, at);
}

using Methods = sqlite3_io_methods;
constexpr Methods log_methods() {
  Methods m{};
  m.iVersion = 1;
  m.xClose = close;
  m.xRead = read;
  m.xWrite = write;
  m.xTruncate = after_flush<&Methods::xTruncate, sqlite3_int64>;
  m.xSync = sync;
  m.xFileSize = after_flush<&Methods::xFileSize, sqlite3_int64*>;
  m.xLock = as_it_is<&Methods::xLock, int>;
  m.xUnlock = as_it_is<&Methods::xUnlock, int>;
  m.xCheckReservedLock = as_it_is<&Methods::xCheckReservedLock, int*>;
  m.xFileControl = as_it_is<&Methods::xFileControl, int, void*>;
  m.xSectorSize = as_it_is<&Methods::xSectorSize>;
  m.xDeviceCharacteristics = as_it_is<&Methods::xDeviceCharacteristics>;
  return m;
}
constexpr Methods kLogMethods = log_methods();

int open(sqlite3_vfs* /*files*/, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  if (!(flags & SQLITE_OPEN_WAL))
    return real_files->xOpen(real_files, name, file, flags, out_flags);
  auto* log = new (file) LogFile{};
  log->gathered = new (std::nothrow) char[kGathered];
  const int failed = log->gathered
                         ? real_files->xOpen(real_files, name, log->own(), flags, out_flags)
                         : SQLITE_NOMEM;
  if (!failed) {
    log->base.pMethods = &kLogMethods;
    return SQLITE_OK;
  }
  delete[] log->gathered;
  file->pMethods = nullptr;  // it is not to be closed
  return failed;
}

const char* make() {
  real_files = sqlite3_vfs_find(nullptr);
  if (!real_files) return nullptr;
  static sqlite3_vfs files = *real_files;
  files.pNext = nullptr;
  files.zName = "bifocal-log";
  files.szOsFile += static_cast<int>(sizeof(LogFile));
  files.xOpen = open;
  return sqlite3_vfs_register(&files, 0) == SQLITE_OK ? files.zName : nullptr;
}

}  // namespace

ReadingAhead::ReadingAhead() { this_time = ++last_time; }
ReadingAhead::~ReadingAhead() { this_time = 0; }

const char* gathering_files() {
  static const char* const name = make();
  return name;
}

}  // namespace bifocal::sqlite
