// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/json.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

namespace bifocal::jobs {
namespace {

// Appends `json` with one member of an object a line; arrays without objects stay on one line.
void append_indented(const Json& json, int depth, std::string& text) {
  const bool has_lines =
      (json.is_object() && !json.empty()) ||
      (json.is_array() &&
       std::any_of(json.begin(), json.end(), [](const Json& v) { return v.is_object(); }));
  if (!has_lines) {
    text += to_line(json);
    return;
  }
  const std::string margin(static_cast<std::size_t>(2 * depth + 2), ' ');
  text += json.is_object() ? "{\n" : "[\n";
  for (auto item = json.begin(); item != json.end(); ++item) {
    text += margin;
    if (json.is_object()) text += to_line(Json(item.key())) + ": ";
    append_indented(*item, depth + 1, text);
    text += std::next(item) == json.end() ? "\n" : ",\n";
  }
  text += margin.substr(2);
  text += json.is_object() ? '}' : ']';
}

}  // namespace

std::string to_text(const Json& json) {
  std::string text;
  append_indented(json, 0, text);
  return text + '\n';
}

Json times_json(const std::vector<StageTime>& times) {
  Json json = Json::object();
  for (const StageTime& t : times) json[t.stage] = t.ms;
  return json;
}

std::string to_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json focal_lengths_json(const colmap::FocalLengths& given,
                        const std::optional<colmap::FocalLengths>& adjusted) {
  const auto range = [](const colmap::FocalLengths& f) { return Json{f.least, f.largest}; };
  Json json = {{"count", given.cameras}, {"with_prior", given.with_prior}};
  json["focal_length"] = range(given);
  if (adjusted) json["adjusted_focal_length"] = range(*adjusted);
  return json;
}

}  // namespace bifocal::jobs
