// SPDX-License-Identifier: BSD-3-Clause
#include "collection/colmap/flight_records.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <string>

#include "collection/colmap/state.hpp"

namespace bifocal::colmap {
namespace {

constexpr const char* kFlightTable =
    "CREATE TABLE IF NOT EXISTS bifocal_pose_priors(image_id INTEGER PRIMARY KEY NOT NULL, "
    "relative_altitude REAL, gimbal_yaw REAL, gimbal_pitch REAL, gimbal_roll REAL)";
constexpr double kMostAltitude_m = 20000, kMostAngle_deg = 360;

// Returns a finite number of magnitude at most `most`; nullopt for NULL.
std::optional<double> real_of(const sqlite::Statement& row, int place, double most,
                              const std::string& where, const Faults& faults) {
  if (row.is_null(place)) return {};
  const double value = row.real(place);
  if (std::abs(value) <= most) return value;
  faults.add(where, fmt::format("{}, must be -{} to {}", value, most, most));
  return {};
}

}  // namespace

std::vector<FlightRecord> flight_records(const Database& database,
                                         std::vector<RowFault>* reported) {
  const sqlite::Connection& connection = DatabaseInside::connection(database);
  if (!sqlite::text_of(connection,
                       "SELECT 1 FROM sqlite_master WHERE name = 'bifocal_pose_priors' AND "
                       "type = 'table' AND rootpage > 0"))
    return {};
  const Faults faults(database, reported);
  const std::set<std::string> present = columns_of(connection, "bifocal_pose_priors");
  for (const char* column :
       {"image_id", "relative_altitude", "gimbal_yaw", "gimbal_pitch", "gimbal_roll"})
    if (!present.contains(column)) {
      faults.add("table bifocal_pose_priors", fmt::format("has no column {}", column));
      return {};
    }
  sqlite::Statement row(connection,
                        "SELECT p.image_id, i.image_id, p.relative_altitude, p.gimbal_yaw, "
                        "p.gimbal_pitch, p.gimbal_roll FROM bifocal_pose_priors p LEFT JOIN images "
                        "i ON i.image_id = p.image_id ORDER BY p.image_id");
  std::vector<FlightRecord> all;
  while (row.step("table bifocal_pose_priors")) {
    const std::int64_t image = row.number(0);
    const std::string where = fmt::format("table bifocal_pose_priors, image_id {}", image);
    if (row.is_null(1) || image < 0 || image >= kMaxImages) {
      faults.add(where, "there is no such image");
      continue;
    }
    FlightRecord& record = all.emplace_back(FlightRecord{static_cast<Id>(image), {}, {}});
    record.relative_altitude_m =
        real_of(row, 2, kMostAltitude_m, where + ", relative_altitude", faults);
    const auto angle = [&](int place) {
      return real_of(row, place, kMostAngle_deg, where + ", gimbal", faults);
    };
    const auto yaw = angle(3), pitch = angle(4), roll = angle(5);
    if (yaw && pitch && roll) record.gimbal = Attitude{*yaw, *pitch, *roll};
  }
  return all;
}

void write(Database& database, const FlightRecord& record) {
  DatabaseInside::connection(database).execute(kFlightTable);
  const auto angle = [&](double Attitude::*of) {
    return record.gimbal ? std::optional((*record.gimbal).*of) : std::nullopt;
  };
  DatabaseInside::state(database).run(
      "INSERT OR REPLACE INTO bifocal_pose_priors VALUES (?, ?, ?, ?, ?)",
      fmt::format("table bifocal_pose_priors, image_id {}", record.image), record.image,
      record.relative_altitude_m, angle(&Attitude::yaw_deg), angle(&Attitude::pitch_deg),
      angle(&Attitude::roll_deg));
}

}  // namespace bifocal::colmap
