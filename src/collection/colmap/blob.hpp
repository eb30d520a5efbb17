// SPDX-License-Identifier: BSD-3-Clause
// Arrays of numbers in the blobs of a database, little endian.
#pragma once

#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "collection/colmap/sqlite.hpp"

namespace bifocal::sqlite {

// The files are little endian, and so are the machines that the library is built for.
static_assert(std::endian::native == std::endian::little);

// Adds the blob of the row as numbers, or structs of them; its size has to be theirs. `where`: the
// table and row.
template <class T>
void append_numbers(const Statement& row, int place, const std::string& where, std::vector<T>& to) {
  const auto bytes = row.bytes(place);
  if (bytes.size() % sizeof(T) != 0)
    throw DamagedRow(
        row.connection().name(),
        {where, fmt::format("a blob of {} bytes, no multiple of {}", bytes.size(), sizeof(T))});
  if (bytes.empty()) return;
  const std::size_t before = to.size();
  to.resize(before + bytes.size() / sizeof(T));
  std::memcpy(to.data() + before, bytes.data(), bytes.size());
}
template <class T>
std::vector<T> numbers_of(const Statement& row, int place, const std::string& where) {
  std::vector<T> values;
  append_numbers(row, place, where, values);
  return values;
}

// Does the blob of a row, whose columns `rows`, `cols` and `data` stand one after another, have
// the size that these say, in numbers of `unit` bytes? `where`: as above, or what makes it.
template <class Where>
void check_table(const Statement& row, int place, std::span<const int> allowed_columns,
                 std::size_t unit, const Where& where) {
  const auto refuse = [&](const std::string& what) {
    if constexpr (std::is_invocable_v<Where>)
      throw DamagedRow(row.connection().name(), {where(), what});
    else
      throw DamagedRow(row.connection().name(), {where, what});
  };
  const std::int64_t rows = row.number(place), columns = row.number(place + 1);
  if (rows < 0) refuse(fmt::format("rows = {}, must be at least 0", rows));
  const auto bytes = static_cast<std::int64_t>(row.bytes(place + 2).size());
  bool allowed = allowed_columns.empty() && columns > 0 && columns < 1 << 24;
  for (const int c : allowed_columns) allowed = allowed || columns == c;
  // COLMAP leaves the number of columns open where there are no rows.
  if (rows > 0 && !allowed) refuse(fmt::format("cols = {}, can't be", columns));
  const auto size = static_cast<std::int64_t>(unit);
  if (rows == 0 ? bytes != 0 : bytes / columns / size != rows || bytes % (columns * size) != 0)
    refuse(fmt::format("a blob of {} bytes, {} rows of {} numbers of {} bytes are expected", bytes,
                       rows, columns, size));
}

// The table [rows, columns] of such a row.
template <class T>
std::vector<T> table_of(const Statement& row, int place, std::span<const int> allowed_columns,
                        const std::string& where) {
  check_table(row, place, allowed_columns, sizeof(T), where);
  return numbers_of<T>(row, place + 2, where);
}

}  // namespace bifocal::sqlite
