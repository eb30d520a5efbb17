// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace bifocal::sqlite {

// The name, for sqlite3_open_v2(), of SQLite's own way to files, but for write-ahead logs: SQLite
// hands each page to the system by itself, and its header before it; this gathers them, in order,
// until a transaction is committed, which nobody else can see a part of. Commits and whatever is
// no page go to the file at once, so that errors are told where SQLite looks for them. Null,
// SQLite's own, where it can't be had.
const char* gathering_files();

// While it lives, the calling thread does nothing with such files but to write a log into its
// database: pages of the log are read many at a time. What is read while the log is written into
// the database does not change until that is done.
class ReadingAhead {
 public:
  ReadingAhead();
  ~ReadingAhead();
  ReadingAhead(const ReadingAhead&) = delete;
  ReadingAhead& operator=(const ReadingAhead&) = delete;
};

}  // namespace bifocal::sqlite
