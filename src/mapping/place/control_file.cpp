// SPDX-License-Identifier: BSD-3-Clause
// Files of control points.
#include <bifocal/control.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/parse.hpp"
#include "mapping/place/projection.hpp"

namespace bifocal {
namespace {

using mapping::Projection;
using Words = std::vector<std::string_view>;

constexpr double kMostAltitude = 20000;  // m, in both directions
constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

Words fields_of(std::string_view line) {
  Words out;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    out.push_back(trimmed(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return out;
}

Words words_of(std::string_view line) {
  Words out;
  for (std::size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    out.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlanks, end);
  }
  return out;
}

class Reader {
 public:
  explicit Reader(std::string_view name) { out_.file = name; }

  ControlPoints read(std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      ++line_;
      const std::string_view line = trimmed(text.substr(begin, end - begin));
      if (!line.empty() && line.front() != '#') take(line);
      begin = end + 1;
    }
    if (out_.marks.empty())
      throw Error(ErrorCode::input, fmt::format("{}: no marks of control points", out_.file));
    return std::move(out_);
  }

 private:
  enum class Table { none, list, points, marks };

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> what, Args&&... args) const {
    throw Error(ErrorCode::input, fmt::format("{}, line {}: {}", out_.file, line_,
                                              fmt::format(what, std::forward<Args>(args)...)));
  }

  void take(std::string_view line) {
    const Words fields = fields_of(line);
    if (table_ != Table::list && fields.size() > 1 && fields[0] == "point")
      return take_header(fields);
    if (table_ == Table::none) return take_projection(line);
    if (table_ == Table::list) return take_list_line(words_of(line));
    if (fields.size() != header_.size())
      fail("{} fields, the header of the table has {}: {}", fields.size(), header_.size(),
           fmt::join(header_, ","));
    table_ == Table::points ? take_point(fields) : take_mark(fields);
  }

  void take_header(const Words& fields) {
    const std::string line = fmt::format("{}", fmt::join(fields, ","));
    static const std::set<std::string, std::less<>> kPoints{
        "point,latitude,longitude,altitude",
        "point,latitude,longitude,altitude,deviation",
        "point,latitude,longitude,altitude,deviation,deviation_up",
        "point,zone,easting,northing,altitude",
        "point,zone,easting,northing,altitude,deviation",
        "point,zone,easting,northing,altitude,deviation,deviation_up"};
    if (line != "point,image,x,y" && !kPoints.contains(line))
      fail(
          "the header '{}' is none of a table of points or marks, such as "
          "point,latitude,longitude,altitude,deviation or point,image,x,y",
          line);
    table_ = line == "point,image,x,y" ? Table::marks : Table::points;
    header_.assign(fields.begin(), fields.end());
  }

  void take_projection(std::string_view line) {
    const std::optional<Projection> found = mapping::parse_projection(line);
    if (!found)
      fail(
          "the projection '{}' is not understood; it must be EPSG:4326 or WGS84 (longitude and "
          "latitude), WGS84 UTM 32N, EPSG:32601 to 32660, EPSG:32701 to 32760 or +proj=utm "
          "+zone=32 [+south] with datum WGS84; or the first line is the header of a CSV file",
          line);
    projection_ = *found, table_ = Table::list;
  }

  // X Y Z x y IMAGE [NAME ...]
  void take_list_line(const Words& words) {
    if (words.size() < 6) fail("{} fields, must be X Y Z x y IMAGE [NAME]", words.size());
    const std::array<double, 3> at{number(words[0], "X"), number(words[1], "Y"),
                                   number(words[2], "Z")};
    const GeoPoint place = place_of(projection_.utm, at[0], at[1], at[2]);
    const auto [found, is_new] = unnamed_.emplace(at, static_cast<int>(unnamed_.size() + 1));
    const std::string name =
        words.size() > 6 ? std::string(words[6]) : fmt::format("point{}", found->second);
    add_mark(point(name, place, {}), words[5], words[3], words[4]);
  }

  void take_point(const Words& fields) {
    const bool has_zone = header_[1] == "zone";
    std::optional<mapping::UtmZone> zone;
    if (has_zone) {
      zone = mapping::parse_zone(fields[1]);
      if (!zone) fail("zone '{}' must be 1 to 60 and N or S, such as 32N", fields[1]);
    }
    const std::size_t first = has_zone ? 2 : 1;
    double a = number(fields[first], header_[first]),
           b = number(fields[first + 1], header_[first + 1]);
    if (!has_zone) std::swap(a, b);
    const GeoPoint place = place_of(zone, a, b, number(fields[first + 2], "altitude"));
    std::optional<Vec3> deviations;
    if (fields.size() > first + 3) {
      const double level = deviation(fields[first + 3]);
      deviations = {level, level, level};
      if (fields.size() > first + 4) (*deviations)[2] = deviation(fields[first + 4]);
    }
    if (numbers_.contains(fields[0])) fail("point {} has two lines", fields[0]);
    point(fields[0], place, deviations);
  }

  void take_mark(const Words& fields) {
    const auto found = numbers_.find(fields[0]);
    if (found == numbers_.end()) fail("point '{}' is not in a table of points above", fields[0]);
    if (fields[1].empty()) fail("a mark without image");
    add_mark(found->second, fields[1], fields[2], fields[3]);
  }

  [[nodiscard]] double number(std::string_view word, std::string_view what) const {
    const std::optional<double> value = io::to_number<double>(word);
    if (!value || !std::isfinite(*value)) fail("{} '{}' is not a finite number", what, word);
    return *value;
  }
  [[nodiscard]] double deviation(std::string_view word) const {
    const double value = number(word, "deviation");
    if (!(value > 0)) fail("deviation {} must be positive", value);
    return value;
  }

  // x: longitude or easting; y: latitude or northing.
  [[nodiscard]] GeoPoint place_of(const std::optional<mapping::UtmZone>& zone, double x, double y,
                                  double altitude) const {
    if (std::abs(altitude) > kMostAltitude)
      fail("altitude {} is not within {} m", altitude, kMostAltitude);
    if (zone) {
      try {
        return geo_of(UtmPoint{zone->number, zone->is_north, x, y, altitude});
      } catch (const Error& e) {
        fail("{}", e.what());
      }
    }
    if (std::abs(y) > 90 || std::abs(x) > 180)
      fail("longitude {} and latitude {} are not within 180 and 90 degrees{}", x, y,
           std::abs(x) <= 90 && std::abs(y) <= 180 ? "; they are if they are exchanged" : "");
    return {y, x, altitude};
  }

  // Returns the place of a point, which is added if the name is new.
  int point(std::string_view name, const GeoPoint& place, const std::optional<Vec3>& deviations) {
    if (name.empty()) fail("a point without name");
    const auto [found, is_new] =
        numbers_.emplace(std::string(name), static_cast<int>(out_.points.size()));
    if (is_new) {
      out_.points.push_back({std::string(name), place, deviations});
      return found->second;
    }
    const GeoPoint& known = out_.points[static_cast<std::size_t>(found->second)].place;
    if (known.latitude_deg != place.latitude_deg || known.longitude_deg != place.longitude_deg ||
        known.altitude_m != place.altitude_m)
      fail("point {} has other coordinates than above", name);
    return found->second;
  }

  void add_mark(int point, std::string_view image, std::string_view x, std::string_view y) {
    const auto [found, is_new] = marked_.emplace(std::pair(point, std::string(image)), line_);
    if (!is_new)
      fail("point {} is marked in {} a second time, first on line {}",
           out_.points[static_cast<std::size_t>(point)].name, image, found->second);
    out_.marks.push_back({point, std::string(image), number(x, "x"), number(y, "y"), line_});
  }

  ControlPoints out_;
  int line_ = 0;
  Table table_ = Table::none;
  Projection projection_;
  std::vector<std::string> header_;
  std::map<std::string, int, std::less<>> numbers_;
  std::map<std::array<double, 3>, int> unnamed_;
  std::map<std::pair<int, std::string>, int> marked_;
};

}  // namespace

ControlPoints parse_control_points(std::string_view text, std::string_view name) {
  return Reader(name).read(text);
}

ControlPoints read_control_points(const std::filesystem::path& file) {
  return parse_control_points(read_text(file), file.string());
}

void choose_check_points(ControlPoints& control, std::span<const std::string> names) {
  for (const std::string& name : names)
    if (std::ranges::find(control.points, name, &ControlPoint::name) == control.points.end()) {
      std::vector<std::string> known;
      for (const ControlPoint& point : control.points) known.push_back(point.name);
      throw Error(ErrorCode::usage, fmt::format("check point '{}' is not in {}, which has {}", name,
                                                control.file, fmt::join(known, ", ")));
    }
  for (ControlPoint& point : control.points)
    point.is_check = std::ranges::find(names, point.name) != names.end();
}

}  // namespace bifocal
