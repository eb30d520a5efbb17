// SPDX-License-Identifier: BSD-3-Clause
// Which tables and columns a database has, and those of a new one.
#pragma once

#include <array>
#include <iterator>
#include <string>

#include "collection/colmap/sqlite.hpp"

namespace bifocal::colmap {

// Columns of geometries that some versions lack, in the order of Database::geometry().
inline constexpr const char* kOptional[] = {"F", "E", "H", "qvec", "tvec"};

struct Tables {
  bool descriptor_types = false;  // from 4.0 on
  bool has_frames = false;        // from 3.12 on, when there is a row
  // kOptional that are there, and the texts of the statements that take these.
  std::array<bool, std::size(kOptional)> of_geometry{};
  std::string select_geometry, insert_geometry;
  // In files of old versions zeros, and the pose of two equal cameras, say that nothing is known.
  bool identity_is_unset = false;
};

// Throws Error(input) where a table or column that every version has is missing.
[[nodiscard]] Tables inspect(const sqlite::Connection& connection);

// Makes the tables in an empty file, which gets a write-ahead log.
void create_tables(const sqlite::Connection& connection);

}  // namespace bifocal::colmap
