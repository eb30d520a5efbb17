// SPDX-License-Identifier: BSD-3-Clause
// Projections of files of control points.
#pragma once

#include <bifocal/geodesy.hpp>

#include <optional>
#include <string_view>

namespace bifocal::mapping {

struct UtmZone {
  int number = 0;
  bool is_north = true;
};
// Parses 32N, 7S or 32, which is north; no value for anything else.
[[nodiscard]] std::optional<UtmZone> parse_zone(std::string_view word);

// The coordinates of a file: WGS84 in degrees, or a zone of UTM.
struct Projection {
  std::optional<UtmZone> utm = {};
};
// Parses the first line of OpenDroneMap's gcp_list.txt; no value for a projection that is not
// understood.
[[nodiscard]] std::optional<Projection> parse_projection(std::string_view line);

}  // namespace bifocal::mapping
