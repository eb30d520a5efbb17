// SPDX-License-Identifier: BSD-3-Clause
// Which tables and columns a database has, and those of a new one.
#pragma once

#include <set>
#include <string>

#include "collection/colmap/sqlite.hpp"

namespace bifocal::colmap {

struct Tables {
  bool descriptor_types = false;      // from 4.0 on
  std::set<std::string> of_geometry;  // of F E H qvec tvec those that are there
  bool has_frames = false;            // from 3.12 on, when there is a row
  // In files of old versions zeros, and the pose of two equal cameras, say that nothing is known.
  bool identity_is_unset = false;
};

// Throws Error(input) where a table or column that every version has is missing.
[[nodiscard]] Tables inspect(const sqlite::Connection& connection);

// Makes the tables in an empty file, which gets a write-ahead log.
void create_tables(const sqlite::Connection& connection);

}  // namespace bifocal::colmap
