// SPDX-License-Identifier: BSD-3-Clause
// Results of control points (bifocal/_colmap/control.py).
#include <bifocal/control.hpp>

#include "models.hpp"
#include "../results.hpp"

namespace bifocal::python {
namespace {

nb::tuple triple(const Vec3& v) { return nb::make_tuple(v[0], v[1], v[2]); }
nb::tuple tuple_of(const ControlRms& rms) {
  return nb::make_tuple(rms.points, rms.horizontal, rms.up, rms.total);
}

}  // namespace

nb::tuple control_tuple(const ControlPoints& control, const ControlResult& result) {
  const ControlReport& report = result.after;
  nb::list points, marks, doubts;
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const ControlPointReport& point = report.points[i];
    points.append(nb::make_tuple(text_of(control.points[i].name), std::string(to_string(point.use)),
                                 point.marks, triple(point.position), triple(point.residual),
                                 point.rms_px));
  }
  for (std::size_t k = 0; k < report.marks.size(); ++k) {
    const ControlMark& mark = control.marks[k];
    const ControlMarkReport& seen = report.marks[k];
    marks.append(nb::make_tuple(text_of(control.points[static_cast<std::size_t>(mark.point)].name),
                                text_of(mark.image), mark.line, seen.is_in_model, seen.agrees,
                                seen.error_px));
  }
  for (const std::string& doubt : report.doubts) doubts.append(text_of(doubt));
  const GeoPoint& origin = report.origin;
  return nb::make_tuple(
      points, marks, tuple_of(report.control), tuple_of(report.check), doubts,
      nb::make_tuple(origin.latitude_deg, origin.longitude_deg, origin.altitude_m), "");
}

nb::object control_tuple(const jobs::ControlledModel& model) {
  if (model.result) return control_tuple(model.control, *model.result);
  const nb::tuple none = tuple_of(ControlRms{});
  return nb::make_tuple(nb::list(), nb::list(), none, none, nb::list(), nb::none(),
                        text_of(model.reason));
}

}  // namespace bifocal::python
