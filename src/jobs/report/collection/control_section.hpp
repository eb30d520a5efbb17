// SPDX-License-Identifier: BSD-3-Clause
// Control points on the page of a collection.
#pragma once

#include <string>
#include <vector>

#include "jobs/report/collection/model_section.hpp"

namespace bifocal::jobs {

// A control point as it is drawn, in the world of its model.
struct DrawnControl {
  Vec3 place, end;  // its stated place; the end of the line that shows its residual
  bool is_check = false;
  std::string name, text;  // text: with its residual
};
struct DrawnControls {
  std::vector<DrawnControl> points;
  double factor = 1;  // residuals are drawn so many times longer
};
// Points that marks determine. extent: of the drawing, in the unit of the model.
[[nodiscard]] DrawnControls drawn_controls(const NamedModel& named, double extent);

// Adds a table with a row for each point; leaves the page unchanged for a model without control
// points.
void add_control_table(Page& page, const NamedModel& named);

}  // namespace bifocal::jobs
