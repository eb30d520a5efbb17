// SPDX-License-Identifier: BSD-3-Clause
// The file georeference.json.
#include <bifocal/io.hpp>

#include <cmath>
#include <nlohmann/json.hpp>

#include "collection/colmap/model/parts.hpp"
#include "io/reject.hpp"

namespace bifocal::colmap::model {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostBytes = std::int64_t{1} << 26;
constexpr std::size_t kMostMessage = 200;  // the parser's messages repeat a text of any length
constexpr const char* kFrame = "east, north, up in metres around the origin";
constexpr const char* kGivenFrame = "the frame of the given positions";

// Finite numbers of an array.
Vec3 vector_of(const Json& json) {
  Vec3 out{};
  if (!json.is_array() || json.size() != 3) throw std::range_error("is no array of 3 numbers");
  for (std::size_t k = 0; k < 3; ++k) {
    out[k] = json[k].get<double>();
    if (!std::isfinite(out[k])) throw std::range_error("is not finite");
  }
  return out;
}

}  // namespace

Georeference parse_georeference(std::string_view text, const std::string& name) {
  Georeference out;
  std::string member = "the file";
  const auto get = [&](const Json& json, const char* key) -> const Json& {
    member = key;
    return json.at(key);
  };
  try {
    const Json json = Json::parse(text);
    if (const Json& origin = get(json, "origin"); !origin.is_null()) {
      const Json &latitude = get(origin, "latitude_deg"), &longitude = get(origin, "longitude_deg"),
                 &altitude = get(origin, "altitude_m");
      out.origin =
          GeoPoint{latitude.get<double>(), longitude.get<double>(), altitude.get<double>()};
      member = "origin";
      (void)ecef_of(*out.origin);
    }
    const Json& positions = get(json, "positions");
    if (!positions.is_number_integer() || positions.get<std::int64_t>() < 0)
      throw std::range_error("is no number of images");
    out.positions = positions.get<std::int64_t>();
    out.outliers = get(json, "outliers").get<std::vector<std::string>>();
    out.residuals = vector_of(get(json, "residuals_m"));
    out.position_deviations = vector_of(get(json, "position_deviations_m"));
    out.rotation_deviations_deg = vector_of(get(json, "rotation_deviations_deg"));
    out.scale_deviation = get(json, "scale_deviation").get<double>();
    out.is_adjusted = get(json, "is_adjusted").get<bool>();
    if (!json.contains("control_points")) return out;  // of a version without control points
    out.control_points = get(json, "control_points").get<std::int64_t>();
    out.check_points = get(json, "check_points").get<std::int64_t>();
    out.control_residuals = vector_of(get(json, "control_residuals_m"));
    out.check_residuals = vector_of(get(json, "check_residuals_m"));
  } catch (const nlohmann::json::exception& e) {
    io::reject(name, "{}: {}", member, std::string_view(e.what()).substr(0, kMostMessage));
  } catch (const std::range_error& e) {
    io::reject(name, "{} {}", member, e.what());
  } catch (const Error& e) {
    if (e.code() != ErrorCode::usage) throw;
    io::reject(name, "{}: {}", member, e.what());
  }
  return out;
}

Georeference read_georeference(const std::filesystem::path& file) {
  return parse_georeference(read_text(file, kMostBytes), file.string());
}

std::string bytes_of(const Georeference& g) {
  Json json = {{"frame", g.origin ? kFrame : kGivenFrame}, {"origin", Json()}};
  if (g.origin)
    json["origin"] = {{"datum", "WGS84"},
                      {"latitude_deg", g.origin->latitude_deg},
                      {"longitude_deg", g.origin->longitude_deg},
                      {"altitude_m", g.origin->altitude_m}};
  json["positions"] = g.positions;
  json["outliers"] = g.outliers;
  json["residuals_m"] = g.residuals;
  json["position_deviations_m"] = g.position_deviations;
  json["rotation_deviations_deg"] = g.rotation_deviations_deg;
  json["scale_deviation"] = g.scale_deviation;
  json["is_adjusted"] = g.is_adjusted;
  json["control_points"] = g.control_points;
  json["check_points"] = g.check_points;
  json["control_residuals_m"] = g.control_residuals;
  json["check_residuals_m"] = g.check_residuals;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace bifocal::colmap::model
