// SPDX-License-Identifier: BSD-3-Clause
#include "collection/colmap/sqlite.hpp"

#include <bifocal/error.hpp>

#include "io/file_descriptor.hpp"
#include "io/regular_file.hpp"

namespace bifocal::sqlite {
namespace {

constexpr int kBusyMs = 30000;

bool may_pass(int code) {
  return code == SQLITE_BUSY || code == SQLITE_LOCKED || code == SQLITE_NOMEM ||
         code == SQLITE_IOERR || code == SQLITE_FULL || code == SQLITE_CANTOPEN;
}

// Returns whether the disk is full. SQLite reports "disk I/O error" if its log cannot grow.
bool disk_is_full(sqlite3* db, const std::string& file) {
  const int code = sqlite3_errcode(db) & 0xff;
  if (code == SQLITE_FULL) return true;
  if (code != SQLITE_IOERR) return false;
  const int error = sqlite3_system_errno(db);
  std::error_code unknown;
  const auto space = std::filesystem::space(std::filesystem::absolute(file).parent_path(), unknown);
  return error == ENOSPC || error == EDQUOT || error == EFBIG || (!unknown && space.available == 0);
}

// Returns the URI of an immutable file: SQLite uses no locks and no index of a write-ahead log.
std::string frozen_name(const std::filesystem::path& file) {
  std::string name = "file:";
  for (const char c : std::filesystem::absolute(file).string())
    name += c == '%' || c == '?' || c == '#' ? fmt::format("%{:02x}", int(c)) : std::string(1, c);
  return name + "?immutable=1";
}

// Returns whether the database must be opened frozen: even a reader of a database in WAL mode
// creates a log, which may fail. Throws if an existing log has changes, which a frozen
// database would miss.
bool needs_frozen(sqlite3* db, const std::filesystem::path& file) {
  const int code =
      sqlite3_exec(db, "SELECT count(*) FROM sqlite_master", nullptr, nullptr, nullptr) & 0xff;
  if (code != SQLITE_READONLY && code != SQLITE_CANTOPEN) return false;
  std::error_code none;
  const std::string log = file.string() + "-wal";
  if (std::filesystem::exists(log, none) && std::filesystem::file_size(log, none) > 0)
    io::reject(log,
               "has changes of the database, which can't be read without the right to write "
               "in its folder; copy both files to another one");
  return true;
}

}  // namespace

Connection::Connection(const std::filesystem::path& file, Mode mode) : name_(file.string()) {
  std::error_code none;
  const bool exists = std::filesystem::exists(file, none);
  const bool is_new = mode == Mode::create;
  if (!is_new && !exists) io::reject(name_, "can't be read: there is no such file");
  if (exists) io::require_regular(file);
  if (is_new && exists) io::reject(name_, "exists already");
  open(file, mode);
  if (mode == Mode::read && needs_frozen(db_, file)) {
    sqlite3_close(db_);
    open(file, Mode::frozen);
  }
  sqlite3_extended_result_codes(db_, 1);
  // Views, triggers and checks of the file must not call functions with side effects.
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA  // SQLite 3.31
  sqlite3_db_config(db_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
#endif
  sqlite3_db_config(db_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_busy_timeout(db_, kBusyMs);
}

void Connection::open(const std::filesystem::path& file, Mode mode) {
  const int flags = mode == Mode::read     ? SQLITE_OPEN_READONLY
                    : mode == Mode::frozen ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
                    : mode == Mode::create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                           : SQLITE_OPEN_READWRITE;
  const std::string path = mode == Mode::frozen ? frozen_name(file) : name_;
  if (sqlite3_open_v2(path.c_str(), &db_, flags, nullptr) == SQLITE_OK) return;
  const std::string why = db_ ? sqlite3_errmsg(db_) : "out of memory";
  sqlite3_close(db_);
  io::reject(name_, "can't be opened: {}", why);
}

void Connection::fail(const std::string& where) const {
  const int code = sqlite3_errcode(db_) & 0xff;
  if (code == SQLITE_NOTADB) io::reject(name_, "is no SQLite database");
  const char* hint = code == SQLITE_BUSY ? ": another program writes to it"
                     : disk_is_full(db_, name_)
                         ? ": no space left on its disk; free some, and the same command resumes"
                         : "";
  const std::string what = fmt::format("{}: {}: {}{}", name_, where, sqlite3_errmsg(db_), hint);
  if (may_pass(code)) throw TryAgain(what);
  throw Error(ErrorCode::input, what);
}

void Connection::execute(const char* sql) const {
  if (sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return;
  fail(std::string_view(sql).find('\n') == std::string_view::npos ? sql : "making its tables");
}

void fold_log(const std::filesystem::path& file) {
  const Connection connection(file, Mode::write);
  Statement fold(connection, "PRAGMA wal_checkpoint(TRUNCATE)");
  const Use use(fold);
  const std::string what = "writing its log into it";
  // The row reports whether another connection prevented the checkpoint.
  if (!fold.step(what) || fold.number(0) != 0) io::reject(file.string(), "{}: it is in use", what);
}

bool remove_logs(const std::filesystem::path& file) {
  bool found = false;
  for (const char* ending : {"-wal", "-shm", "-journal"}) {
    std::error_code error;
    found = std::filesystem::remove(file.string() + ending, error) || found;
    if (error) io::reject(file.string() + ending, "can't be removed: {}", error.message());
  }
  return found;
}

void reset_change_counter(const std::filesystem::path& file) {
  // Offsets of "file change counter" and "version-valid-for number" in the file header,
  // which are equal.
  constexpr off_t kPlaces[] = {24, 92};
  constexpr unsigned char kOne[] = {0, 0, 0, 1};
  const io::FileDescriptor out(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  bool done = out.valid();
  for (const off_t place : kPlaces)
    done = done && ::pwrite(out.get(), kOne, sizeof kOne, place) == sizeof kOne;
  if (!done) io::reject_write(file, errno);
}

void check_whole(const std::filesystem::path& file) {
  const Connection connection(file, Mode::write);
  const auto found = text_of(connection, "PRAGMA quick_check(1)");
  if (found != "ok") io::reject(file.string(), "is damaged: {}", found.value_or(""));
}

void remove_database(const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::remove(file, error);
  if (error) io::reject(file.string(), "can't be removed: {}", error.message());
  remove_logs(file);
}

Statement::Statement(const Connection& connection, std::string_view sql)
    : connection_(&connection) {
  if (sqlite3_prepare_v3(connection.get(), sql.data(), static_cast<int>(sql.size()),
                         SQLITE_PREPARE_PERSISTENT, &statement_, nullptr) != SQLITE_OK)
    connection.fail(std::string(sql));
}

std::string Statement::text(int place) const {
  const unsigned char* text = sqlite3_column_text(statement_, place);
  const int size = sqlite3_column_bytes(statement_, place);
  return text ? std::string(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size))
              : std::string();
}

std::span<const std::byte> Statement::bytes(int place) const {
  const void* data = sqlite3_column_blob(statement_, place);
  const int size = sqlite3_column_bytes(statement_, place);
  return {static_cast<const std::byte*>(data), data ? static_cast<std::size_t>(size) : 0};
}

}  // namespace bifocal::sqlite
