// SPDX-License-Identifier: BSD-3-Clause
// What drones write about their photographs and COLMAP's pose_priors cannot store: Bifocal's table
// bifocal_pose_priors(image_id, relative_altitude, gimbal_yaw, gimbal_pitch, gimbal_roll), in m and
// degrees, with NULL for unknown values.
#pragma once

#include <optional>
#include <vector>

#include <bifocal/colmap/database.hpp>
#include <bifocal/io.hpp>

namespace bifocal::colmap {

struct FlightRecord {
  Id image = 0;
  std::optional<double> relative_altitude_m;  // above the place of take-off
  std::optional<Attitude> gimbal;             // angles of the camera
};

// Reads the records in the order of image numbers; empty without the table. Damaged rows throw
// Error(input), unless `faults` is given: then a damaged value is unknown, and a record of a
// missing image is left out.
[[nodiscard]] std::vector<FlightRecord> flight_records(const Database& database,
                                                       std::vector<RowFault>* faults = nullptr);
// Inserts or replaces the record of an image. Creates the table if it is missing.
void write(Database& database, const FlightRecord& record);

}  // namespace bifocal::colmap
