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

// The files are little endian, like the machines that the library is built for.
static_assert(std::endian::native == std::endian::little);

// Appends a blob of the row as numbers or structs of type T. Throws DamagedRow if the blob's size
// is no multiple of T's. where: the table and row, for messages.
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

// Checks the size of a blob against the columns `rows`, `cols` and `data`, which follow each other
// from `place`; unit: bytes of a number. Throws DamagedRow if they differ. where: the table and
// row, or a function that returns them.
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
  // COLMAP leaves the number of columns undefined if a table has no rows.
  if (rows > 0 && !allowed) refuse(fmt::format("cols = {}, can't be", columns));
  const auto size = static_cast<std::int64_t>(unit);
  if (rows == 0 ? bytes != 0 : bytes / columns / size != rows || bytes % (columns * size) != 0)
    refuse(fmt::format("a blob of {} bytes, {} rows of {} numbers of {} bytes are expected", bytes,
                       rows, columns, size));
}

// Returns the checked table [rows, columns] of such a row.
template <class T>
std::vector<T> table_of(const Statement& row, int place, std::span<const int> allowed_columns,
                        const std::string& where) {
  check_table(row, place, allowed_columns, sizeof(T), where);
  return numbers_of<T>(row, place + 2, where);
}

}  // namespace bifocal::sqlite
