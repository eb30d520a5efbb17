// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/geodesy.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace bifocal {
namespace {

constexpr double kA = 6378137, kF = 1 / 298.257223563;     // WGS84
constexpr double kB = kA * (1 - kF), kE2 = kF * (2 - kF);  // minor axis, squared eccentricity
constexpr double kRadian = std::numbers::pi / 180;
constexpr double kLeastAltitude_m = -6e6, kLeastRadius_m = 1e5;

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorCode::usage, message); }

void check(const GeoPoint& p) {
  if (!(std::abs(p.latitude_deg) <= 90) || !(std::abs(p.longitude_deg) <= 180))
    fail(fmt::format("no place on Earth has latitude {} and longitude {}", p.latitude_deg,
                     p.longitude_deg));
  if (!(p.altitude_m > kLeastAltitude_m) || !std::isfinite(p.altitude_m))
    fail(fmt::format("altitude {} m: must be finite and above {} m", p.altitude_m,
                     kLeastAltitude_m));
}

}  // namespace

Vec3 ecef_of(const GeoPoint& point) {
  check(point);
  const double latitude = point.latitude_deg * kRadian, longitude = point.longitude_deg * kRadian;
  const double sine = std::sin(latitude);
  const double normal = kA / std::sqrt(1 - kE2 * sine * sine);  // radius of the prime vertical
  const double across = (normal + point.altitude_m) * std::cos(latitude);
  return {across * std::cos(longitude), across * std::sin(longitude),
          (normal * (1 - kE2) + point.altitude_m) * sine};
}

GeoPoint geo_of(const Vec3& ecef) {
  const auto [x, y, z] = ecef;
  const double across = std::hypot(x, y), radius = std::hypot(across, z);
  if (!(radius >= kLeastRadius_m) || !std::isfinite(radius))
    fail(fmt::format("ECEF {}, {}, {}: must be finite and at least {} m from the Earth's centre", x,
                     y, z, kLeastRadius_m));
  // Bowring's parametric latitude b; each step is one of Newton's and gains more than 6 digits
  // near the surface.
  constexpr double kSecond = kE2 / (1 - kE2);
  double sine = z / kB, cosine = across / kA;
  double latitude = 0;
  for (int step = 0; step < 8; ++step) {
    const double length = std::hypot(sine, cosine);
    sine /= length, cosine /= length;
    const double before = latitude;
    latitude = std::atan2(z + kSecond * kB * sine * sine * sine,
                          across - kE2 * kA * cosine * cosine * cosine);
    if (step > 0 && latitude == before) break;
    sine = (1 - kF) * std::sin(latitude), cosine = std::cos(latitude);
  }
  const double s = std::sin(latitude), c = std::cos(latitude);
  const double altitude = across * c + z * s - kA * std::sqrt(1 - kE2 * s * s);
  return {latitude / kRadian, across > 0 ? std::atan2(y, x) / kRadian : 0, altitude};
}

TangentPlane::TangentPlane(const GeoPoint& origin)
    : origin_(origin), origin_ecef_(ecef_of(origin)) {
  const double latitude = origin.latitude_deg * kRadian, longitude = origin.longitude_deg * kRadian;
  const double s = std::sin(latitude), c = std::cos(latitude);
  const double sl = std::sin(longitude), cl = std::cos(longitude);
  enu_from_ecef_ = {-sl, cl, 0, -s * cl, -s * sl, c, c * cl, c * sl, s};
}

Vec3 TangentPlane::enu(const GeoPoint& point) const {
  const Vec3 p = ecef_of(point);
  return times(enu_from_ecef_,
               Vec3{p[0] - origin_ecef_[0], p[1] - origin_ecef_[1], p[2] - origin_ecef_[2]});
}

GeoPoint TangentPlane::geo(const Vec3& enu) const {
  const Vec3 d = times(transposed(enu_from_ecef_), enu);
  return geo_of(Vec3{origin_ecef_[0] + d[0], origin_ecef_[1] + d[1], origin_ecef_[2] + d[2]});
}

namespace {

constexpr double kScale = 0.9996, kFalseEasting_m = 500'000, kFalseNorthing_m = 10'000'000;
constexpr double kMostMeridian_deg = 35, kMostEasting_m = 4e6;

constexpr double kN = kF / (2 - kF);  // third flattening

// Radius of the sphere with the ellipsoid's meridian length (Karney 2011, equation 14).
constexpr double kMeanRadius_m =
    kA / (1 + kN) * (1 + kN * kN / 4 + kN * kN * kN * kN / 64 + kN * kN * kN * kN * kN * kN / 256);

// Krueger's series to n^6 (Karney 2011, equations 35 and 36): coefficients of n^j, n^(j+1), ...,
// n^6 of the j-th term.
using Series = double[6][6];
constexpr Series kForward = {{1. / 2, -2. / 3, 5. / 16, 41. / 180, -127. / 288, 7891. / 37800},
                             {13. / 48, -3. / 5, 557. / 1440, 281. / 630, -1983433. / 1935360},
                             {61. / 240, -103. / 140, 15061. / 26880, 167603. / 181440},
                             {49561. / 161280, -179. / 168, 6601661. / 7257600},
                             {34729. / 80640, -3418889. / 1995840},
                             {212378941. / 319334400}};
constexpr Series kInverse = {{1. / 2, -2. / 3, 37. / 96, -1. / 360, -81. / 512, 96199. / 604800},
                             {1. / 48, 1. / 15, -437. / 1440, 46. / 105, -1118711. / 3870720},
                             {17. / 480, -37. / 840, -209. / 4480, 5569. / 90720},
                             {4397. / 161280, -11. / 504, -830251. / 7257600},
                             {4583. / 161280, -108847. / 3991680},
                             {20648693. / 638668800}};

// Returns the sum over j of c_j sin(2 j z).
std::complex<double> sum_of(const Series& series, std::complex<double> z) {
  std::complex<double> sum = 0;
  for (int j = 6; j >= 1; --j) {
    double coefficient = 0;
    for (int k = 6 - j; k >= 0; --k) coefficient = coefficient * kN + series[j - 1][k];
    sum += coefficient * std::pow(kN, j) * std::sin(2.0 * j * z);
  }
  return sum;
}

// Returns the tangent of the conformal latitude of a tangent of a latitude (Karney 2011,
// equations 7 to 9).
double conformal(double tangent) {
  const double e = std::sqrt(kE2), secant = std::hypot(1.0, tangent);
  const double sigma = std::sinh(e * std::atanh(e * tangent / secant));
  return tangent * std::hypot(1.0, sigma) - sigma * secant;
}

// The inverse of conformal() by Newton's method (Karney 2011, equations 19 to 21).
double geographic(double conformal_tangent) {
  double tangent = conformal_tangent;
  for (int step = 0; step < 8; ++step) {
    const double at = conformal(tangent);
    const double change = (conformal_tangent - at) / std::hypot(1.0, at) *
                          (1 + (1 - kE2) * tangent * tangent) /
                          ((1 - kE2) * std::hypot(1.0, tangent));
    tangent += change;
    if (!(std::abs(change) > 1e-16 * std::max(1.0, std::abs(tangent)))) break;
  }
  return tangent;
}

int zone_of(const GeoPoint& p) {
  const int zone = std::clamp(static_cast<int>(std::floor((p.longitude_deg + 180) / 6)) + 1, 1, 60);
  const double latitude = p.latitude_deg, longitude = p.longitude_deg;
  if (latitude >= 56 && latitude < 64 && longitude >= 3 && longitude < 12) return 32;
  if (latitude >= 72 && latitude <= 84 && longitude >= 0 && longitude < 42)
    return longitude < 9 ? 31 : longitude < 21 ? 33 : longitude < 33 ? 35 : 37;
  return zone;
}

double meridian_deg(int zone) { return 6.0 * zone - 183; }

}  // namespace

UtmPoint utm_of(const GeoPoint& point, int zone) {
  check(point);
  if (zone < 0 || zone > 60) fail(fmt::format("UTM zone {}: must be 1 to 60", zone));
  if (zone == 0) zone = zone_of(point);
  const double from_meridian = std::remainder(point.longitude_deg - meridian_deg(zone), 360.0);
  if (std::abs(from_meridian) > kMostMeridian_deg)
    fail(fmt::format("UTM zone {}: longitude {} is more than {} degrees from its meridian", zone,
                     point.longitude_deg, kMostMeridian_deg));
  const double longitude = from_meridian * kRadian;
  const double t = conformal(std::tan(point.latitude_deg * kRadian)), c = std::cos(longitude);
  const std::complex<double> z(std::atan2(t, c),
                               std::asinh(std::sin(longitude) / std::hypot(t, c)));
  const std::complex<double> plane = kScale * kMeanRadius_m * (z + sum_of(kForward, z));
  const bool is_north = point.latitude_deg >= 0;
  return {zone, is_north, kFalseEasting_m + plane.imag(),
          plane.real() + (is_north ? 0 : kFalseNorthing_m), point.altitude_m};
}

GeoPoint geo_of(const UtmPoint& point) {
  if (point.zone < 1 || point.zone > 60)
    fail(fmt::format("UTM zone {}: must be 1 to 60", point.zone));
  const double north = point.northing_m - (point.is_north ? 0 : kFalseNorthing_m);
  const double east = point.easting_m - kFalseEasting_m;
  if (!(std::abs(east) <= kMostEasting_m) || !(std::abs(north) <= kFalseNorthing_m))
    fail(fmt::format("UTM zone {}: no place has easting {} and northing {}", point.zone,
                     point.easting_m, point.northing_m));
  const std::complex<double> plane(north / (kScale * kMeanRadius_m),
                                   east / (kScale * kMeanRadius_m));
  const std::complex<double> z = plane - sum_of(kInverse, plane);
  const double s = std::sinh(z.imag()), c = std::cos(z.real());
  const double latitude = std::atan(geographic(std::sin(z.real()) / std::hypot(s, c)));
  const double longitude = meridian_deg(point.zone) + std::atan2(s, c) / kRadian;
  return {latitude / kRadian, std::remainder(longitude, 360.0), point.altitude_m};
}

Vec3 gravity_of(const Attitude& camera) {
  const double pitch = camera.pitch_deg * kRadian, roll = camera.roll_deg * kRadian;
  return {std::cos(pitch) * std::sin(roll), std::cos(pitch) * std::cos(roll), -std::sin(pitch)};
}

}  // namespace bifocal
