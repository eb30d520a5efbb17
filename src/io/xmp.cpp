// SPDX-License-Identifier: BSD-3-Clause
// Heights and angles that drones write into XMP packets (ISO 16684-1), in DJI's namespace.
#include <pugixml.hpp>

#include <cmath>
#include <map>

#include <bifocal/io.hpp>

#include "io/exif.hpp"
#include "io/parse.hpp"

namespace bifocal::io {
namespace {

constexpr std::string_view kDji = "drone-dji:";

// Numbers of the namespace by name, the first of each name.
class Values : public pugi::xml_tree_walker {
 public:
  // Returns the number, or nullopt if it is missing, or not within [least, most].
  [[nodiscard]] std::optional<double> number(const char* name, double least, double most) const {
    const auto found = values_.find(name);
    if (found == values_.end() || !(found->second >= least && found->second <= most)) return {};
    return found->second;
  }

 private:
  bool for_each(pugi::xml_node& node) override {
    add(node.name(), node.text().get());
    for (const pugi::xml_attribute a : node.attributes()) add(a.name(), a.value());
    return true;
  }
  void add(std::string_view name, std::string_view text) {
    if (!name.starts_with(kDji)) return;
    constexpr const char* kBlanks = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    text.remove_suffix(text.size() - (text.find_last_not_of(kBlanks) + 1));
    if (const auto value = to_number<double>(text); value && std::isfinite(*value))
      values_.emplace(name.substr(kDji.size()), *value);
  }
  std::map<std::string, double, std::less<>> values_;
};

std::optional<Attitude> attitude(const Values& values, const std::string& of) {
  const auto yaw = values.number((of + "YawDegree").c_str(), -360, 360);
  const auto pitch = values.number((of + "PitchDegree").c_str(), -180, 180);
  const auto roll = values.number((of + "RollDegree").c_str(), -360, 360);
  if (!yaw || !pitch || !roll) return {};
  return Attitude{*yaw, *pitch, *roll};
}

// Returns the deviations of a receiver with corrections (RTK). RtkFlag is 0 without a position.
std::optional<Vec3> deviations(const Values& values) {
  constexpr double kLeast_m = 1e-4;
  const auto deviation = [&](const char* name) {
    return values.number(name, kLeast_m, kMostDeviation_m);
  };
  const auto east = deviation("RtkStdLon"), north = deviation("RtkStdLat"),
             up = deviation("RtkStdHgt");
  if (!east || !north || !up || values.number("RtkFlag", 0, 0)) return {};
  return Vec3{*east, *north, *up};
}

}  // namespace

void add_xmp(std::string_view packet, Exif& exif) {
  if (!packet.starts_with(kXmpStart)) return;
  packet.remove_prefix(kXmpStart.size());
  pugi::xml_document document;
  // pugixml expands no entities of a document type. The packet has at most 64 kB, a segment of
  // JPEG.
  if (!document.load_buffer(packet.data(), packet.size(), pugi::parse_default, pugi::encoding_utf8))
    return;
  Values values;
  document.traverse(values);
  exif.relative_altitude_m = values.number("RelativeAltitude", -20000, 20000);
  exif.gimbal = attitude(values, "Gimbal");
  exif.flight = attitude(values, "Flight");
  if (!exif.altitude_m)
    if (const auto m = values.number("AbsoluteAltitude", -1e9, 1e9); m && is_possible_altitude(*m))
      exif.altitude_m = *m;
  if (const auto rtk = deviations(values)) exif.position_deviations_m = *rtk;
}

}  // namespace bifocal::io
