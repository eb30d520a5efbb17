// SPDX-License-Identifier: BSD-3-Clause
// Files of control points.
#include <bifocal/control.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "mapping/flights.hpp"
#include "support/data.hpp"

namespace bifocal::test {
namespace {

constexpr double kLongitude = 8.62, kLatitude = 47.05, kAltitude = 450;

std::string message_of(const std::string& text) {
  try {
    (void)parse_control_points(text, "list.txt");
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::input);
    return e.what();
  }
  return {};
}

TEST(ControlFile, ListsOfOpenDroneMapGiveTheirPointsAndMarks) {
  const ControlPoints control = parse_control_points(
      "EPSG:4326\n# a comment\n8.62 47.05 450 10.5 20 a.jpg north\n"
      "8.62 47.05 450 30 40.25 b.jpg north further words\r\n8.63 47.06 451.5 5 6 a.jpg\n"
      "8.63\t47.06 451.5 7 8 b.jpg\n",
      "list.txt");
  ASSERT_EQ(control.points.size(), 2u);
  EXPECT_EQ(control.points[0].name, "north");
  EXPECT_EQ(control.points[0].place.longitude_deg, 8.62);
  EXPECT_EQ(control.points[0].place.latitude_deg, 47.05);
  EXPECT_EQ(control.points[1].place.altitude_m, 451.5);
  EXPECT_FALSE(control.points[0].deviations);
  ASSERT_EQ(control.marks.size(), 4u);
  EXPECT_EQ(control.marks[1].image, "b.jpg");
  EXPECT_EQ(control.marks[1].x, 30);
  EXPECT_EQ(control.marks[1].y, 40.25);
  EXPECT_EQ(control.marks[1].line, 4);
  EXPECT_EQ(control.marks[3].point, 1);
}

TEST(ControlFile, ProjectionsOfOneZoneGiveOnePlace) {
  const UtmPoint utm = utm_of({kLatitude, kLongitude, kAltitude});
  ASSERT_EQ(utm.zone, 32);
  for (const char* line : {"WGS84 UTM 32N", "wgs84 utm 32", "EPSG:32632", "+proj=utm +zone=32",
                           "+proj=utm +zone=32 +datum=WGS84 +units=m +no_defs",
                           "+proj=utm +zone=32 +north +ellps=WGS84 +datum=WGS84 +type=crs"}) {
    const ControlPoints control = parse_control_points(
        fmt::format("{}\n{:.6f} {:.6f} 450 1 2 a.jpg\n", line, utm.easting_m, utm.northing_m),
        "list.txt");
    EXPECT_NEAR(control.points[0].place.latitude_deg, kLatitude, 1e-10) << line;
    EXPECT_NEAR(control.points[0].place.longitude_deg, kLongitude, 1e-10) << line;
  }
  for (const char* line : {"WGS84 UTM 32S", "EPSG:32732", "+proj=utm +zone=32 +south"}) {
    const ControlPoints control = parse_control_points(
        fmt::format("{}\n{:.6f} {:.6f} 450 1 2 a.jpg\n", line, utm.easting_m, utm.northing_m),
        "list.txt");
    EXPECT_LT(control.points[0].place.latitude_deg, 0) << line;
  }
  for (const char* line :
       {"WGS84", "EPSG:4326", "+proj=longlat +datum=WGS84 +no_defs", "+proj=latlong"}) {
    const ControlPoints control =
        parse_control_points(fmt::format("{}\n8.62 47.05 450 1 2 a.jpg\n", line), "list.txt");
    EXPECT_EQ(control.points[0].place.latitude_deg, kLatitude) << line;
  }
}

TEST(ControlFile, TablesGivePositionsDeviationsAndMarks) {
  const UtmPoint utm = utm_of({kLatitude, kLongitude, kAltitude});
  const ControlPoints control = parse_control_points(
      fmt::format("point,latitude,longitude,altitude,deviation,deviation_up\n"
                  "a 1,47.05,8.62,450,0.01,0.03\n"
                  "point,zone,easting,northing,altitude\nb,32N,{:.6f},{:.6f},450\n"
                  "point,image,x,y\na 1,folder/my photo.jpg,1.5,2\nb,b.jpg,3,4\n",
                  utm.easting_m, utm.northing_m),
      "list.csv");
  ASSERT_EQ(control.points.size(), 2u);
  EXPECT_EQ(control.points[0].name, "a 1");
  EXPECT_EQ(control.points[0].deviations, (Vec3{0.01, 0.01, 0.03}));
  EXPECT_NEAR(control.points[1].place.latitude_deg, kLatitude, 1e-10);
  EXPECT_FALSE(control.points[1].deviations);
  ASSERT_EQ(control.marks.size(), 2u);
  EXPECT_EQ(control.marks[0].image, "folder/my photo.jpg");
}

TEST(ControlFile, TheMadeListHasItsTargets) {
  const Flight made = flight({.images = 20});
  const TemporaryFolder folder;
  write_file(folder / "gcp_list.txt", control_list(made));
  const ControlPoints control = read_control_points(folder / "gcp_list.txt");
  ASSERT_EQ(control.points.size(), made.targets.size());
  const TangentPlane plane(kFlightOrigin);
  for (std::size_t i = 0; i < control.points.size(); ++i) {
    const Vec3 at = plane.enu(control.points[i].place);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(at[k], made.targets[i].stated[k], 2e-4);
  }
}

TEST(ControlFile, BadInputIsNamedWithItsLine) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "list.txt: no marks"},
      {"EPSG:2056\n1 2 3 4 5 a.jpg\n", "line 1: the projection 'EPSG:2056' is not understood"},
      {"EPSG:32661\n1 2 3 4 5 a.jpg\n", "line 1: the projection"},
      {"+proj=utm +zone=32 +datum=NAD83\n1 2 3 4 5 a.jpg\n", "line 1: the projection"},
      {"+proj=utm\n1 2 3 4 5 a.jpg\n", "line 1: the projection"},
      {"1 2 3 4 5 a.jpg\n", "WGS84 UTM 32N"},
      {"EPSG:4326\n8 47 450 1 2\n", "line 2: 5 fields"},
      {"EPSG:4326\n8 47 nan 1 2 a.jpg\n", "line 2: Z 'nan' is not a finite number"},
      {"EPSG:4326\n8 47 450 inf 2 a.jpg\n", "line 2: x 'inf'"},
      {"EPSG:4326\n8 47 450 1 2px a.jpg\n", "line 2: y '2px'"},
      {"EPSG:4326\n8 47 1e6 1 2 a.jpg\n", "line 2: altitude 1000000 is not within 20000 m"},
      {"EPSG:4326\n47 108 450 1 2 a.jpg\n", "they are if they are exchanged"},
      {"EPSG:4326\n8 47 450 1 2 a.jpg p\n8 47 450 1 3 a.jpg p\n",
       "line 3: point p is marked in a.jpg a second time, first on line 2"},
      {"EPSG:4326\n8 47 450 1 2 a.jpg p\n8 47 451 1 3 b.jpg p\n",
       "line 3: point p has other coordinates"},
      {"point,latitude,altitude\n", "line 1: the header 'point,latitude,altitude'"},
      {"point,latitude,longitude,altitude\na,47,8\n", "line 2: 3 fields"},
      {"point,latitude,longitude,altitude,deviation\na,47,8,3,0\n", "line 2: deviation 0 must be"},
      {"point,latitude,longitude,altitude\na,47,8,3\na,47,8,3\n", "line 3: point a has two lines"},
      {"point,zone,easting,northing,altitude\na,61N,4e5,5e6,3\n", "line 2: zone '61N'"},
      {"point,image,x,y\na,b.jpg,1,2\n", "line 2: point 'a' is not in a table of points above"},
  };
  for (const auto& [text, words] : cases)
    EXPECT_NE(message_of(text).find(words), std::string::npos) << text << message_of(text);
}

TEST(ControlFile, ChangedBytesAreReadOrRefused) {
  const std::string files[] = {
      "WGS84 UTM 32N\n471137.5 5210941 451.3 10.5 20 a.jpg north\n471140 5210900 4 1 2 b.jpg\n",
      "point,latitude,longitude,altitude,deviation\na,47,8,450,0.1\npoint,image,x,y\na,b.jpg,1,"
      "2\n"};
  std::mt19937 random(1);
  int read = 0, refused = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::string text = files[trial % 2];
    for (int change = 0; change < 1 + trial % 3; ++change)
      text[random() % text.size()] = "0123456789.,-+NSe \n\t#a\xff"[random() % 24];
    try {
      const ControlPoints control = parse_control_points(text, "fuzz");
      for (const ControlMark& mark : control.marks) {
        ASSERT_LT(static_cast<std::size_t>(mark.point), control.points.size());
        ASSERT_TRUE(std::isfinite(mark.x) && std::isfinite(mark.y));
      }
      for (const ControlPoint& point : control.points)
        ASSERT_TRUE(std::isfinite(norm(ecef_of(point.place))));
      ++read;
    } catch (const Error& e) {
      ASSERT_EQ(e.code(), ErrorCode::input) << text << e.what();
      ++refused;
    }
  }
  EXPECT_GT(read, 1000);
  EXPECT_GT(refused, 1000);
}

TEST(ControlFile, AnUnknownCheckPointIsNamed) {
  ControlPoints control =
      parse_control_points("EPSG:4326\n8 47 450 1 2 a.jpg p\n8 47.1 450 1 2 a.jpg q\n", "list.txt");
  choose_check_points(control, std::vector<std::string>{"q"});
  EXPECT_FALSE(control.points[0].is_check);
  EXPECT_TRUE(control.points[1].is_check);
  try {
    choose_check_points(control, std::vector<std::string>{"r"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage);
    EXPECT_NE(std::string(e.what()).find("check point 'r' is not in list.txt, which has p, q"),
              std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace bifocal::test
