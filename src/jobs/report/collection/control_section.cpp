// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/report/collection/control_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "jobs/report/collection/scene_axes.hpp"

namespace bifocal::jobs {
namespace {

constexpr double kLongest = 0.08;  // of the drawing, for the longest residual

std::string residual_text(const ControlPointReport& point) {
  return fmt::format("{:+.3f} m east, {:+.3f} m north, {:+.3f} m up", point.residual[0],
                     point.residual[1], point.residual[2]);
}

// The use of a point in words.
std::string use_text(ControlUse use) {
  std::string text(to_string(use));
  std::ranges::replace(text, '_', ' ');
  return text;
}

void add_rms(std::string& html, const char* name, const ControlRms& rms) {
  if (rms.points == 0) return;
  html += fmt::format(
      "<tr><td>{} {} points, root mean square</td><td></td><td></td><td colspan=\"3\">{:.3f} m "
      "horizontally, {:.3f} m in height</td><td></td></tr>\n",
      rms.points, name, rms.horizontal, rms.up);
}

}  // namespace

DrawnControls drawn_controls(const NamedModel& named, double extent) {
  DrawnControls out;
  if (!named.report) return out;
  const ControlReport& report = *named.report;
  const TangentPlane plane(report.origin);
  double longest = 0;
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const ControlPointReport& point = report.points[i];
    if (!is_determined(point.use)) continue;
    const Vec3 enu = plus(plane.enu(named.control.points[i].place), report.t, -1);
    const Vec3 place = plus({}, times(transposed(report.R), enu), 1 / report.scale);
    const std::string& name = named.control.points[i].name;
    out.points.push_back(
        {place, point.position, point.use == ControlUse::check, name,
         fmt::format("{} ({}): {}", name, use_text(point.use), residual_text(point))});
    longest = std::max(longest, norm(plus(point.position, place, -1)));
  }
  out.factor = longest > 0 ? std::max(1.0, round_number(kLongest * extent / longest)) : 1;
  for (DrawnControl& point : out.points) {
    point.end = plus(point.place, plus(point.end, point.place, -1), out.factor);
  }
  return out;
}

void add_control_table(Page& page, const NamedModel& named) {
  if (!named.report) return;
  const ControlReport& report = *named.report;
  std::string html = fmt::format(
      "<table class=\"control\"><caption>Control points of {}</caption>\n<tr><td>point</td><td>"
      "use</td><td>marks</td><td>east, m</td><td>north, m</td><td>up, m</td><td>px</td></tr>\n",
      escaped(named.folder));
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const ControlPointReport& point = report.points[i];
    html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td>",
                        escaped(named.control.points[i].name), use_text(point.use), point.marks);
    html += is_determined(point.use)
                ? fmt::format("<td>{:+.3f}</td><td>{:+.3f}</td><td>{:+.3f}</td><td>{:.2f}</td>",
                              point.residual[0], point.residual[1], point.residual[2], point.rms_px)
                : std::string("<td></td><td></td><td></td><td></td>");
    html += "</tr>\n";
  }
  add_rms(html, "control", report.control);
  add_rms(html, "check", report.check);
  page.markup(html + "</table>\n");
  const bool is_fitted = !named.model.georeference || !named.model.georeference->origin;
  page.paragraph(fmt::format(
      "East, north and up: model minus stated place{}. px: root mean square of the distances of "
      "the marks from the point that they determine.",
      is_fitted ? ", after the best similarity, because the model has no place on the Earth" : ""));
}

}  // namespace bifocal::jobs
