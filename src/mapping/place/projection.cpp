// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/place/projection.hpp"

#include <cctype>
#include <string>
#include <vector>

#include "io/parse.hpp"

namespace bifocal::mapping {
namespace {

std::vector<std::string> lower_words(std::string_view line) {
  std::vector<std::string> words;
  bool is_inside = false;
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (!std::isspace(byte) && !is_inside) words.emplace_back();
    is_inside = !std::isspace(byte);
    if (is_inside) words.back() += static_cast<char>(std::tolower(byte));
  }
  return words;
}

// EPSG:4326, EPSG:326zz or EPSG:327zz.
std::optional<Projection> projection_of_code(std::string_view code) {
  const std::optional<int> number = io::to_number<int>(code);
  if (!number) return {};
  if (*number == 4326) return Projection{};
  const int zone = *number % 100;
  if (*number / 100 != 326 && *number / 100 != 327) return {};
  if (zone < 1 || zone > 60) return {};
  return Projection{UtmZone{zone, *number / 100 == 326}};
}

// A definition of PROJ, +key=value or +key each. All keys have to be understood.
std::optional<Projection> projection_of_proj(const std::vector<std::string>& words) {
  std::string name;
  std::optional<UtmZone> zone;
  bool is_south = false;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    const bool is_ignored = word == "+no_defs" || word == "+units=m" || word == "+type=crs" ||
                            word == "+north" || word == "+datum=wgs84" || word == "+ellps=wgs84";
    if (key == "+proj") {
      name = value;
    } else if (key == "+zone") {
      zone = parse_zone(value);
      if (!zone) return {};
    } else if (word == "+south") {
      is_south = true;
    } else if (!is_ignored) {
      return {};
    }
  }
  const bool is_degrees =
      name == "longlat" || name == "latlong" || name == "lonlat" || name == "latlon";
  if (is_degrees && !zone && !is_south) return Projection{};
  if (name != "utm" || !zone) return {};
  return Projection{UtmZone{zone->number, zone->is_north && !is_south}};
}

}  // namespace

std::optional<UtmZone> parse_zone(std::string_view word) {
  UtmZone zone;
  const char last = word.empty() ? ' ' : word.back();
  zone.is_north = last != 'S' && last != 's';
  if (last == 'N' || last == 'n' || !zone.is_north) word.remove_suffix(1);
  const std::optional<int> number = io::to_number<int>(word);
  if (!number || *number < 1 || *number > 60) return {};
  zone.number = *number;
  return zone;
}

std::optional<Projection> parse_projection(std::string_view line) {
  const std::vector<std::string> words = lower_words(line);
  if (words.empty()) return {};
  if (words.size() == 1 && words[0].starts_with("epsg:"))
    return projection_of_code(std::string_view(words[0]).substr(5));
  if (words[0].starts_with('+')) return projection_of_proj(words);
  if (words[0] != "wgs84") return {};
  if (words.size() == 1) return Projection{};
  if (words.size() != 3 || words[1] != "utm") return {};
  const std::optional<UtmZone> zone = parse_zone(words[2]);
  if (!zone) return {};
  return Projection{zone};
}

}  // namespace bifocal::mapping
