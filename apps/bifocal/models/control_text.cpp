// SPDX-License-Identifier: BSD-3-Clause
#include "models/control_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace bifocal::cli {
namespace {

Json json_of(const ControlRms& rms) {
  return {{"points", rms.points},
          {"horizontal_m", rms.horizontal},
          {"up_m", rms.up},
          {"total_m", rms.total}};
}

}  // namespace

std::vector<std::string> ControlArguments::names() const {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin < check.size();) {
    const std::size_t end = std::min(check.find(',', begin), check.size());
    if (end > begin) out.push_back(check.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

Option add_control_options(const Command& command, ControlArguments& o, const char* use) {
  const HelpGroup group(command, "Control points");
  const Option control = command.option("--control", o.control, use);
  command
      .option("--check", o.check,
              "names of points of --control that are only compared with the model: bridge,north")
      .needs(control);
  return control;
}

Json control_json(const ControlPoints& control, const ControlResult& result) {
  const ControlReport& r = result.after;
  Json json = {
      {"file", control.file},
      {"origin",
       {{"latitude_deg", r.origin.latitude_deg},
        {"longitude_deg", r.origin.longitude_deg},
        {"altitude_m", r.origin.altitude_m}}},
      {"deviation_px", result.deviation_px},
      {"iterations", result.adjustment.iterations},
      {"converged", result.adjustment.is_converged()},
      {"control", json_of(r.control)},
      {"check", json_of(r.check)},
      {"before",
       {{"control", json_of(result.before.control)}, {"check", json_of(result.before.check)}}},
      {"points", Json::array()},
      {"marks", Json::array()},
      {"doubts", r.doubts}};
  for (std::size_t i = 0; i < r.points.size(); ++i) {
    const ControlPointReport& point = r.points[i];
    json["points"].push_back({{"name", control.points[i].name},
                              {"use", to_string(point.use)},
                              {"marks", point.marks},
                              {"position_m", point.position},
                              {"residual_m", point.residual},
                              {"rms_px", point.rms_px}});
  }
  for (std::size_t k = 0; k < r.marks.size(); ++k) {
    const ControlMark& mark = control.marks[k];
    json["marks"].push_back({{"point", control.points[static_cast<std::size_t>(mark.point)].name},
                             {"image", mark.image},
                             {"line", mark.line},
                             {"is_in_model", r.marks[k].is_in_model},
                             {"agrees", r.marks[k].agrees},
                             {"error_px", r.marks[k].error_px}});
  }
  return json;
}

Json control_json(const ControlledModel& model) {
  if (model.result) return control_json(model.control, *model.result);
  return {{"reason", model.reason}};
}

std::string sentences_of(const std::string& name, const ControlledModel& model) {
  if (!model.result)
    return fmt::format("{}: not placed by control points: {}\n", name, model.reason);
  return fmt::format("{}: control points of {}:\n{}", name, model.control.file,
                     control_table(model.control, model.result->after));
}

}  // namespace bifocal::cli
