// SPDX-License-Identifier: BSD-3-Clause
// made_flight FOLDER: writes a synthetic flight of a drone over hills (tests/mapping/flights.hpp).
//
//   photographs/00000.jpg ...  with EXIF: camera, focal length, GPS position
//   gcp_list.txt               control and check points in OpenDroneMap's format
//   model/                     true cameras, poses and points, a COLMAP model
//   photographs.db             with --made-features: a database with pose priors, without rendering
//   truth.txt                  true poses (true_poses.hpp)
//   control.txt                "NAME control|check EAST NORTH UP": true positions
//   origin.txt                 latitude, longitude (degrees) and altitude (m) of the origin, WGS84
//   positions.txt              "NAME EAST NORTH UP" of the GPS positions
//
// Files are the same in every run with the same options.
#include <bifocal/colmap/model.hpp>
#include <bifocal/io.hpp>

#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "io/exif_block.hpp"
#include "mapping/flights.hpp"
#include "mapping/scenes.hpp"
#include "renderer.hpp"
#include "runtime/parallel.hpp"
#include "true_poses.hpp"

namespace bifocal::bench {
namespace {

constexpr int kQuality = 92;
constexpr double kNoise = 2;                          // grey values
constexpr double kContrast = 0.7;                     // few pixels are black or white
constexpr double kLargest = 40.96;                    // m, of the texture
constexpr double kFar = 4000;                         // m, keeps coordinates of textures positive
constexpr double kTarget = 0.5;                       // m, half the side of a painted target
constexpr double kFilmDiagonal = 43.266615305567875;  // mm, of 36 x 24 mm

struct Order {
  std::filesystem::path folder;
  test::FlightSettings settings;
  std::vector<int> size{1600, 1200};
  bool has_features = false, has_xmp = false;
};

// Rays of all pixels in rows; their depth is 1.
std::vector<Vec3> rays_of(const colmap::ModelCamera& camera) {
  const LensCamera lens = colmap::lens_camera_of(camera);
  const Intrinsics& K = lens.pinhole();
  std::vector<Vec3> rays;
  for (int y = 0; y < camera.height; ++y)
    for (int x = 0; x < camera.width; ++x) {
      const Vec2 px = lens.undistort({double(x), double(y)});
      rays.push_back({(px[0] - K.cx) / K.fx, (px[1] - K.cy) / K.fy, 1});
    }
  return rays;
}

// Grey value of the ground, 0 to 1: a target with black and white quarters, or texture.
double ground(const std::vector<test::FlightTarget>& targets, const Vec3& X, double pixel) {
  for (const test::FlightTarget& target : targets) {
    const double east = X[0] - target.position[0], north = X[1] - target.position[1];
    if (std::max(std::abs(east), std::abs(north)) < kTarget) return east * north > 0 ? 0.95 : 0.05;
  }
  return 0.5 + kContrast * (texture(X[0] + kFar, X[1] + kFar, 0, pixel, kLargest) - 0.5);
}

ImageU8 photograph(const test::Flight& flight, std::size_t number, const std::vector<Vec3>& rays) {
  const Pose& pose = flight.images[number].cam_from_world;
  const Vec3 eye = mapping::centre_of(pose);
  const double focal = flight.camera.params[0];
  std::vector<test::FlightTarget> targets;  // that it sees
  for (const test::FlightTarget& target : flight.targets)
    if (!std::isnan(test::seen_at(flight, number, target.position)[0])) targets.push_back(target);
  ImageU8 out(static_cast<int>(flight.camera.width), static_cast<int>(flight.camera.height), 3);
  std::mt19937 random(static_cast<std::uint32_t>(number));
  std::normal_distribution<double> noise(0, kNoise);
  const double gain = std::uniform_real_distribution<double>(0.9, 1.1)(random);
  double z = 0;
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x) {
      const Vec3& ray = rays[static_cast<std::size_t>(y * out.width + x)];
      const Vec3 X = flight.hills.hit(eye, mapping::transposed_times(pose.R, ray), z);
      z = X[2];
      const double depth = mapping::moved(pose, X)[2];
      const double v = 255 * gain * ground(targets, X, depth / focal) + noise(random);
      for (int k = 0; k < 3; ++k)
        out.at(x, y, k) = static_cast<std::uint8_t>(std::clamp(v, 0.0, 255.0));
    }
  return out;
}

std::vector<double> sexagesimal(double degrees) {
  const double d = std::abs(degrees), whole = std::floor(d), minutes = 60 * (d - whole);
  return {whole, std::floor(minutes), 60 * (minutes - std::floor(minutes))};
}

std::string exif_of(const test::Flight& flight, const test::FlightImage& image) {
  const colmap::ModelCamera& camera = flight.camera;
  const GeoPoint at = TangentPlane(test::kFlightOrigin).geo(image.gps);
  const double diagonal = std::hypot(double(camera.width), double(camera.height));
  return test::exif_block({.focal_on_film_mm = static_cast<int>(
                               std::lround(camera.params[0] * kFilmDiagonal / diagonal)),
                           .width = static_cast<int>(camera.width),
                           .make = "Bifocal",
                           .model = "made_flight",
                           .latitude = sexagesimal(at.latitude_deg),
                           .longitude = sexagesimal(at.longitude_deg),
                           .north = at.latitude_deg < 0 ? 'S' : 'N',
                           .east = at.longitude_deg < 0 ? 'W' : 'E',
                           .altitude = at.altitude_m});
}

// A drone's relative altitude, to 0.1 m, and its angles.
std::string xmp_of(const test::Flight& flight, const test::FlightImage& image) {
  const Vec3 start = mapping::centre_of(flight.images.front().cam_from_world);
  const double above =
      mapping::centre_of(image.cam_from_world)[2] - flight.hills.height(start[0], start[1]);
  const double yaw = std::remainder(image.heading / mapping::kRadPerDeg, 360);
  return test::xmp_block(
      fmt::format("drone-dji:RelativeAltitude='{:+.1f}' drone-dji:GimbalPitchDegree='-90.00' "
                  "drone-dji:GimbalYawDegree='{:+.2f}' drone-dji:GimbalRollDegree='+0.00' "
                  "drone-dji:FlightYawDegree='{:+.2f}'",
                  above, yaw, yaw));
}

// Pose priors as collect writes them.
void write_priors(const Order& order, const test::Flight& flight) {
  const TangentPlane plane(test::kFlightOrigin);
  colmap::Database database(order.folder / "photographs.db", colmap::Access::write);
  colmap::Transaction all(database);
  for (std::size_t i = 0; i < flight.images.size(); ++i) {
    const GeoPoint at = plane.geo(flight.images[i].gps);
    colmap::PosePrior prior{.image = static_cast<colmap::Id>(i + 1),
                            .coordinates = colmap::PriorCoordinates::wgs84,
                            .position = Vec3{at.latitude_deg, at.longitude_deg, at.altitude_m}};
    if (order.has_xmp) prior.gravity = Vec3{0, 0, 1};
    database.write(prior);
  }
  all.commit();
}

void write_tables(const Order& order, const test::Flight& flight) {
  std::string truth, control, positions;
  for (const test::FlightImage& image : flight.images) {
    truth += true_pose(image.name, image.cam_from_world);
    positions += fmt::format("{} {:.4f}\n", image.name, fmt::join(image.gps, " "));
  }
  for (const test::FlightTarget& target : flight.targets)
    control += fmt::format("{} {} {:.6f}\n", target.name, target.is_check ? "check" : "control",
                           fmt::join(target.position, " "));
  write_file(order.folder / "truth.txt", truth);
  write_file(order.folder / "control.txt", control);
  write_file(order.folder / "positions.txt", positions);
  write_file(order.folder / "origin.txt",
             fmt::format("{} {} {}\n", test::kFlightOrigin.latitude_deg,
                         test::kFlightOrigin.longitude_deg, test::kFlightOrigin.altitude_m));
  write_file(order.folder / "gcp_list.txt", test::control_list(flight));
  colmap::write_model(order.folder / "model", test::true_model(flight), colmap::ModelFormat::binary,
                      true);
}

void make(Order& order) {
  order.settings.width = order.size[0], order.settings.height = order.size[1];
  const test::Flight flight = test::flight(order.settings);
  std::filesystem::create_directories(order.folder / "photographs");
  write_tables(order, flight);
  if (order.has_features) {
    test::write_database(order.folder / "photographs.db",
                         test::view_graph(flight, {.seed = order.settings.seed}));
    return write_priors(order, flight);
  }
  const std::vector<Vec3> rays = rays_of(flight.camera);
  runtime::parallel_for(order.settings.images, [&](int k) {
    const auto number = static_cast<std::size_t>(k);
    const test::FlightImage& image = flight.images[number];
    std::string jpeg = encode_jpeg(photograph(flight, number, rays), kQuality);
    if (order.has_xmp) jpeg = test::with_exif(jpeg, xmp_of(flight, image));
    write_file(order.folder / "photographs" / image.name,
               test::with_exif(jpeg, exif_of(flight, image)));
  });
}

void add_options(CLI::App& app, Order& order) {
  test::FlightSettings& s = order.settings;
  app.add_option("FOLDER", order.folder, "Folder of the output")->required();
  app.add_option("--images", s.images, "Number of photographs")->check(CLI::Range(1, 99999));
  app.add_option("--size", order.size, "Size of the photographs W,H, px")
      ->delimiter(',')
      ->expected(2)
      ->check(CLI::Range(16, 10000));
  app.add_option("--radial", s.radial, "Radial distortion of the lens")
      ->check(CLI::Range(-0.1, 0.2));
  app.add_option("--gps-noise", s.gps_noise, "Deviation of GPS coordinates, m");
  app.add_option("--wrong-gps", s.wrong_gps, "Fraction of the positions that are wrong by 50 m");
  app.add_option("--drift", s.drift, "Rise of GPS heights during the flight, m");
  app.add_option("--seed", s.seed, "Seed of hills, poses, noise and errors");
  app.add_flag("--made-features", order.has_features,
               "A database with made features and pairs instead of photographs");
  app.add_flag("--xmp", order.has_xmp, "Relative altitude and angles of a drone in XMP");
}

}  // namespace
}  // namespace bifocal::bench

int main(int argc, char** argv) {
  bifocal::bench::Order order;
  CLI::App app("Writes a synthetic flight over hills.", "made_flight");
  try {
    bifocal::bench::add_options(app, order);
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  try {
    bifocal::bench::make(order);
  } catch (const std::exception& e) {
    fmt::print(stderr, "made_flight: {}\n", e.what());
    return 3;
  }
  return 0;
}
