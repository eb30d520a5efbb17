// SPDX-License-Identifier: BSD-3-Clause
// Positions on the Earth: WGS84 degrees, Earth-centred coordinates, local metres and UTM; attitudes
// of cameras.
//
//   const TangentPlane plane(first);               // GeoPoint of the first photograph
//   const Vec3 metres = plane.enu(point);          // east, north, up
//   const UtmPoint utm = utm_of(point);            // zone, easting, northing
//
// All functions use the ellipsoid WGS84 (a = 6378137 m, f = 1 / 298.257223563). Altitudes are
// heights above the ellipsoid. Many receivers and cameras write heights above sea level instead,
// which differ by the geoid's undulation, up to 107 m, nearly constant over a few kilometres.
// Results are the same on every machine of one kind.
#pragma once

#include <bifocal/geometry.hpp>

namespace bifocal {

// A point in WGS84: degrees north and east, and the height above the ellipsoid in metres.
struct GeoPoint {
  double latitude_deg = 0, longitude_deg = 0, altitude_m = 0;
};

// Returns the Earth-centred, Earth-fixed coordinates of a point in metres: x towards latitude 0 and
// longitude 0, z towards the north pole. Throws Error(usage) unless |latitude| <= 90, |longitude|
// <= 180 and the altitude is finite and above -6,000,000 m.
[[nodiscard]] Vec3 ecef_of(const GeoPoint& point);
// Returns the point of Earth-centred coordinates in metres, by a closed formula followed by Newton
// steps; accurate to 1e-8 m. The longitude is in [-180, 180], at the poles 0. Throws Error(usage)
// if a coordinate is not finite, or within 100 km of the Earth's centre, where the latitude is not
// unique.
//   B. R. Bowring, Transformation from spatial to geographical coordinates, Survey Review 23, 1976.
[[nodiscard]] GeoPoint geo_of(const Vec3& ecef);

// Cartesian coordinates around an origin: east, north and up in metres, where up is the normal of
// the ellipsoid at the origin. The plane does not follow the Earth's curvature: a point of
// altitude 0 at the distance d is about d^2 / 12,742,000 m below the plane.
class TangentPlane {
 public:
  // Throws Error(usage) like ecef_of().
  explicit TangentPlane(const GeoPoint& origin);

  [[nodiscard]] const GeoPoint& origin() const { return origin_; }
  // Returns the rotation from Earth-centred axes to east, north and up.
  [[nodiscard]] const Mat3& enu_from_ecef() const { return enu_from_ecef_; }
  // Returns east, north and up of a point in metres. Throws Error(usage) like ecef_of().
  [[nodiscard]] Vec3 enu(const GeoPoint& point) const;
  // Returns the point with these coordinates in metres. The inverse of enu(). Throws Error(usage)
  // like geo_of().
  [[nodiscard]] GeoPoint geo(const Vec3& enu) const;

 private:
  GeoPoint origin_;
  Vec3 origin_ecef_;
  Mat3 enu_from_ecef_;
};

// A point in a zone of the Universal Transverse Mercator projection. The northing of the southern
// hemisphere has the false origin 10,000,000 m.
struct UtmPoint {
  int zone = 0;          // 1 to 60; zone z has the central meridian 6 z - 183 degrees east
  bool is_north = true;  // hemisphere
  double easting_m = 0, northing_m = 0;
  double altitude_m = 0;  // above the ellipsoid
};

// Projects a point to UTM, with an error below 1e-8 m within 35 degrees of the central meridian.
//
// zone: 1 to 60; 0 takes the zone that contains the longitude, with the exceptions of Norway and
// Svalbard. Throws Error(usage) like ecef_of(), for another zone, and for a longitude more than 35
// degrees from the central meridian of the zone. Latitudes near the poles, for which UTM is not
// defined (above 84 and below -80 degrees), are projected by the same formulas.
//   L. Krueger, Konforme Abbildung des Erdellipsoids in der Ebene, 1912, to the sixth order;
//   C. F. F. Karney, Transverse Mercator with an accuracy of a few nanometers, J. Geodesy 85, 2011.
[[nodiscard]] UtmPoint utm_of(const GeoPoint& point, int zone = 0);
// Returns the point of UTM coordinates. The inverse of utm_of(). Throws Error(usage) for a zone
// other than 1 to 60, and for an easting more than 4,000 km from the central meridian or a northing
// outside the projected Earth.
[[nodiscard]] GeoPoint geo_of(const UtmPoint& point);

// Angles of a camera or an aircraft in degrees. The rotation from its axes (forward, right, down)
// to north, east, down is Rz(yaw) Ry(pitch) Rx(roll): yaw is clockwise from north, pitch is -90 for
// a camera that looks straight down, and roll is positive if the right side is lower.
struct Attitude {
  double yaw_deg = 0, pitch_deg = 0, roll_deg = 0;
};
// Returns the direction of gravity (down, unit length) in the axes of a camera with this attitude:
// x right, y down, z forward in the stored image. A camera that looks straight down has (0, 0, 1).
[[nodiscard]] Vec3 gravity_of(const Attitude& camera);

}  // namespace bifocal
