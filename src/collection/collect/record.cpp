// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/collect.hpp>

#include "collection/colmap/sqlite.hpp"

namespace bifocal {

CollectRecord read_collect_record(const std::filesystem::path& database) {
  constexpr std::string_view kNote = "note ", kState = "state ";
  const sqlite::Connection connection(database, sqlite::Mode::read);
  CollectRecord record;
  {
    sqlite::Statement there(connection,
                            "SELECT 1 FROM sqlite_master WHERE name = 'bifocal_collect'");
    if (!there.step("tables")) return record;
  }
  sqlite::Statement row(connection, "SELECT name, value FROM bifocal_collect ORDER BY name");
  while (row.step("table bifocal_collect")) {
    const std::string name = row.text(0);
    if (name.starts_with(kNote))
      record.notes.push_back(row.text(1));
    else if (!name.starts_with(kState))
      record.settings.emplace_back(name, row.text(1));
  }
  sqlite::Statement left_out(connection,
                             "SELECT name, reason FROM bifocal_photographs "
                             "WHERE reason IS NOT NULL ORDER BY name");
  while (left_out.step("table bifocal_photographs"))
    record.left_out.push_back({left_out.text(0), left_out.text(1)});
  return record;
}

}  // namespace bifocal
