// SPDX-License-Identifier: BSD-3-Clause
// A synthetic flight of a drone over hills with GPS positions and control points. The world is
// east, north, up in m around kFlightOrigin.
#pragma once

#include <bifocal/camera.hpp>
#include <bifocal/colmap/database.hpp>
#include <bifocal/geodesy.hpp>
#include <bifocal/geometry.hpp>
#include <bifocal/mapping.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace bifocal::test {

inline constexpr GeoPoint kFlightOrigin{47.05, 8.62, 450};

struct FlightSettings {
  int images = 200;  // about twice as many in a strip as there are strips
  int width = 1600, height = 1200;
  double radial = 0;            // coefficient of SIMPLE_RADIAL
  double above = 100;           // m over the mean ground
  double gps_noise = 2;         // m, of every coordinate
  double wrong_gps = 0.05;      // fraction of the positions that are wrong by 50 m horizontally
  double drift = 0;             // m that GPS heights gain during the flight
  double control_noise = 0.02;  // m, of every coordinate of the stated control points
  double mark_noise = 0.5;      // px
  std::uint32_t seed = 1;
};

// Smooth hills with a relief of about 40 m.
struct Hills {
  struct Wave {
    double east = 0, north = 0, phase = 0, amplitude = 0;  // rad per m, rad, m
  };
  std::array<Wave, 4> waves = {};

  [[nodiscard]] double height(double east, double north) const;
  // Returns the point of the surface on the ray from c along d, which looks down. The height of
  // the point is about `start`.
  [[nodiscard]] Vec3 hit(const Vec3& c, const Vec3& d, double start = 0) const;
};

struct FlightImage {
  std::string name;
  Pose cam_from_world;
  Vec3 gps;            // with noise and errors
  double heading = 0;  // of the image's upper border, rad clockwise from north
};

struct FlightMark {
  std::size_t image = 0;
  Vec2 px;
};

struct FlightTarget {
  std::string name;
  Vec3 position, stated;  // true; with the noise of a survey, for control points only
  bool is_check = false;
  std::vector<FlightMark> marks;
};

struct Flight {
  Hills hills;
  colmap::ModelCamera camera;  // SIMPLE_RADIAL
  std::vector<FlightImage> images;
  std::vector<FlightTarget> targets;  // three control points, then ten check points
};

// Nadir photographs in parallel strips of alternating direction with an overlap of 80 % along and
// 70 % across, tilted by 2 degrees (standard deviation).
[[nodiscard]] Flight flight(const FlightSettings& settings);

// Returns the px where an image sees a point; NaN outside of the image.
[[nodiscard]] Vec2 seen_at(const Flight& flight, std::size_t image, const Vec3& point);

// Points on the hills with features and verified pairs, without rendering.
struct FlightMatches {
  double noise = 0.4;           // px, of every coordinate of a feature
  double wrong_matches = 0.05;  // fraction of the inliers of a pair
  double focal_factor = 1;      // given focal length relative to the true one
  std::uint32_t seed = 1;
};
[[nodiscard]] ViewGraph view_graph(const Flight& flight, const FlightMatches& settings = {});
// The true cameras, poses and points of three and more images, with the features of view_graph().
[[nodiscard]] colmap::Model true_model(const Flight& flight, const FlightMatches& settings = {});

// The targets as OpenDroneMap's gcp_list.txt in longitude, latitude and altitude.
[[nodiscard]] std::string control_list(const Flight& flight);

}  // namespace bifocal::test
