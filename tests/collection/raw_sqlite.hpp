// SPDX-License-Identifier: BSD-3-Clause
// Accesses a database through SQLite alone, independently of the tested reader and writer.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace bifocal::test {

class RawDatabase {
 public:
  explicit RawDatabase(const std::filesystem::path& file) {
    EXPECT_EQ(sqlite3_open(file.c_str(), &db_), SQLITE_OK);
  }
  ~RawDatabase() { sqlite3_close(db_); }
  RawDatabase(const RawDatabase&) = delete;
  RawDatabase& operator=(const RawDatabase&) = delete;

  void run(const std::string& sql) {
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
        << sql << ": " << (message ? message : "");
    sqlite3_free(message);
  }
  // Returns the first column of the first row as bytes: the bytes of a blob, or the text of
  // another value.
  [[nodiscard]] std::string bytes(const std::string& sql) {
    sqlite3_stmt* s = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(db_, sql.c_str(), -1, &s, nullptr), SQLITE_OK) << sql;
    EXPECT_EQ(sqlite3_step(s), SQLITE_ROW) << sql;
    const void* data = sqlite3_column_blob(s, 0);
    std::string out(static_cast<const char*>(data),
                    data ? static_cast<std::size_t>(sqlite3_column_bytes(s, 0)) : 0);
    sqlite3_finalize(s);
    return out;
  }
  template <class T>
  [[nodiscard]] std::vector<T> numbers(const std::string& sql) {
    const std::string all = bytes(sql);
    std::vector<T> out(all.size() / sizeof(T));
    std::memcpy(out.data(), all.data(), out.size() * sizeof(T));
    return out;
  }
  // Writes `data` to the blob column that `sql` updates by its only parameter `?`.
  template <class T>
  void write(const std::string& sql, const std::vector<T>& data) {
    sqlite3_stmt* s = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(db_, sql.c_str(), -1, &s, nullptr), SQLITE_OK) << sql;
    sqlite3_bind_blob(s, 1, data.data(), static_cast<int>(data.size() * sizeof(T)),
                      SQLITE_TRANSIENT);
    EXPECT_EQ(sqlite3_step(s), SQLITE_DONE) << sql;
    sqlite3_finalize(s);
  }

 private:
  sqlite3* db_ = nullptr;
};

}  // namespace bifocal::test
