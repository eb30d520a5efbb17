// SPDX-License-Identifier: BSD-3-Clause
// Conversions between positions on the Earth agree with published values and are inverses.
#include <bifocal/error.hpp>
#include <bifocal/geodesy.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace bifocal {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double distance(const Vec3& a, const Vec3& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

// Random points over the whole Earth, at altitudes of aircraft.
std::vector<GeoPoint> points(int count) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> height(-1, 1), angle(-180, 180), altitude(-500, 20000);
  std::vector<GeoPoint> all = {{90, 0, 10}, {-90, 0, -10}, {0, 180, 0}, {0, -180, 5}, {0, 0, 0}};
  for (int i = 0; i < count; ++i)
    all.push_back(
        {std::asin(height(random)) * 180 / std::numbers::pi, angle(random), altitude(random)});
  return all;
}

// Values of PROJ 9.5.1 (EPSG 4979 to 4978).
TEST(Ecef, AgreesWithProj) {
  struct Case {
    GeoPoint point;
    Vec3 ecef;
  };
  for (const Case& c :
       {Case{{40, -75, 100}, {1266345.735705788, -4726066.625602189, 4078049.850961345}},
        Case{{-33.3, 151.2, -20}, {-4676203.609140133, 2570764.688725412, -3481804.455203692}},
        Case{{89.9999, 30, 5000}, {9.680539873, 5.589062301, 6361752.314235425}},
        Case{{90, 0, 0}, {0, 0, 6356752.314245179}}})
    EXPECT_LT(distance(ecef_of(c.point), c.ecef), 2e-9);
}

TEST(Ecef, ComesBackOverTheWholeEarth) {
  for (const GeoPoint& p : points(100000)) {
    const GeoPoint back = geo_of(ecef_of(p));
    ASSERT_LT(distance(ecef_of(back), ecef_of(p)), 1e-8) << p.latitude_deg;
    ASSERT_NEAR(back.altitude_m, p.altitude_m, 1e-8) << p.latitude_deg;
    ASSERT_NEAR(back.latitude_deg, p.latitude_deg, 1e-13) << p.longitude_deg;
  }
  // Deep below the surface and far above it as well.
  for (const double altitude : {-5e6, 1e6, 3.6e7})
    EXPECT_NEAR(geo_of(ecef_of({45, 10, altitude})).altitude_m, altitude, 1e-7);
}

TEST(TangentPlane, HasEastNorthAndUp) {
  const TangentPlane plane({47, 8, 400});
  EXPECT_LT(distance(plane.enu({47, 8, 410}), {0, 0, 10}), 1e-8);
  const Vec3 north = plane.enu({47.001, 8, 400}), east = plane.enu({47, 8.001, 400});
  // Radii of curvature at 47 degrees: 6,369,621 m along the meridian, 6,389,593 m across it.
  EXPECT_NEAR(north[1], 6370021 * 0.001 * std::numbers::pi / 180, 2e-3);
  EXPECT_NEAR(north[0], 0, 1e-9);
  EXPECT_NEAR(east[0],
              6389993 * std::cos(47 * std::numbers::pi / 180) * 0.001 * std::numbers::pi / 180,
              2e-3);
  EXPECT_NEAR(north[2], -north[1] * north[1] / 12742000, 1e-5);
  for (const GeoPoint& p : points(1000)) {
    const TangentPlane here(p);
    for (const Vec3& v : {Vec3{0, 0, 0}, Vec3{1200, -800, 90}, Vec3{-50000, 300, -100}})
      ASSERT_LT(distance(here.enu(here.geo(v)), v), 1e-8) << p.latitude_deg;
  }
}

// Values of GeographicLib's and PROJ's documented projection (PROJ 9.5.1, utm). 33.3 N 44.4 E is
// the example of GeographicLib's GeoConvert: 38n 444140.54 3684706.36.
TEST(Utm, AgreesWithProj) {
  struct Case {
    double latitude, longitude;
    int zone;
    double easting, northing;
  };
  for (const Case& c : {Case{33.3, 44.4, 38, 444140.544918426, 3684706.355549777},
                        Case{-33.3, 151.2, 56, 332411.824772155, 6314008.652625484},
                        Case{60.5, 5.3, 32, 296817.424679829, 6712810.071865152},   // Norway
                        Case{78.2, 15.6, 33, 513696.945417043, 8680760.053195585},  // Svalbard
                        Case{0, -179.9, 1, 177163.805956257, 0},
                        Case{83.9, -10, 29, 488136.730751040, 9317033.097119881},
                        Case{-79.5, 100, 47, 520343.228401568, 1174046.406884279}}) {
    const UtmPoint utm = utm_of({c.latitude, c.longitude, 12});
    EXPECT_EQ(utm.zone, c.zone);
    EXPECT_EQ(utm.is_north, c.latitude >= 0);
    EXPECT_NEAR(utm.easting_m, c.easting, 1e-8);
    EXPECT_NEAR(utm.northing_m, c.northing, 1e-8);
    EXPECT_EQ(utm.altitude_m, 12);
  }
  // A zone that is given: 17 degrees from its meridian.
  const UtmPoint far = utm_of({10, 20, 0}, 31);
  EXPECT_NEAR(far.easting_m, 2389507.827978470, 1e-8);
  EXPECT_NEAR(far.northing_m, 1155187.115297120, 1e-8);
}

// Independent of the series: the northing on the central meridian is 0.9996 of the meridian's arc.
TEST(Utm, KeepsTheArcOfTheMeridian) {
  const double e2 = 2 / 298.257223563 - 1 / (298.257223563 * 298.257223563);
  const auto slope = [&](double t) {
    return 6378137 * (1 - e2) * std::pow(1 - e2 * std::sin(t) * std::sin(t), -1.5);
  };
  for (const double latitude : {5.0, 40.0, 60.0, 84.0}) {
    constexpr int kSteps = 2000;  // Simpson's rule
    const double h = latitude * std::numbers::pi / 180 / kSteps;
    double arc = slope(0) + slope(kSteps * h);
    for (int i = 1; i < kSteps; ++i) arc += (i % 2 == 1 ? 4 : 2) * slope(i * h);
    EXPECT_NEAR(utm_of({latitude, 9, 0}, 32).northing_m, 0.9996 * arc * h / 3, 1e-7) << latitude;
  }
}

TEST(Utm, ComesBackOverTheWholeEarth) {
  for (const GeoPoint& p : points(100000)) {
    const GeoPoint back = geo_of(utm_of(p));
    ASSERT_LT(distance(ecef_of(back), ecef_of(p)), 1e-8) << p.latitude_deg;
  }
}

TEST(Geodesy, RefusesImpossibleValues) {
  const auto is_refused = [](const auto& call) {
    try {
      call();
      return false;
    } catch (const Error& e) {
      return e.code() == ErrorCode::usage;
    }
  };
  for (const GeoPoint& p : {GeoPoint{91, 0, 0}, GeoPoint{0, 181, 0}, GeoPoint{kNan, 0, 0},
                            GeoPoint{0, kNan, 0}, GeoPoint{0, 0, kNan}, GeoPoint{0, 0, -7e6},
                            GeoPoint{0, 0, std::numeric_limits<double>::infinity()}}) {
    EXPECT_TRUE(is_refused([&] { (void)ecef_of(p); }));
    EXPECT_TRUE(is_refused([&] { (void)TangentPlane(p); }));
    EXPECT_TRUE(is_refused([&] { (void)utm_of(p); }));
  }
  for (const Vec3& v : {Vec3{0, 0, 0}, Vec3{kNan, 0, 7e6}})
    EXPECT_TRUE(is_refused([&] { (void)geo_of(v); }));
  EXPECT_TRUE(is_refused([] { (void)utm_of({0, 0, 0}, 61); }));
  EXPECT_TRUE(is_refused([] { (void)utm_of({0, 0, 0}, 60); }));
  for (const UtmPoint& u :
       {UtmPoint{0, true, 5e5, 0}, UtmPoint{61, true, 5e5, 0}, UtmPoint{31, true, kNan, 0},
        UtmPoint{31, true, 5e6, 0}, UtmPoint{31, true, 5e5, 2e7}})
    EXPECT_TRUE(is_refused([&] { (void)geo_of(u); }));
}

}  // namespace
}  // namespace bifocal
