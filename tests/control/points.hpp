// SPDX-License-Identifier: BSD-3-Clause
// Control points of the synthetic flight.
#pragma once

#include <bifocal/control.hpp>

#include "mapping/flights.hpp"

namespace bifocal::test {

// Three control points and ten check points, as its list has them.
inline ControlPoints control_of(const Flight& made) {
  ControlPoints control = parse_control_points(control_list(made), "gcp_list.txt");
  for (std::size_t i = 0; i < control.points.size(); ++i)
    control.points[i].is_check = made.targets[i].is_check;
  return control;
}

}  // namespace bifocal::test
