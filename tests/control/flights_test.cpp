// SPDX-License-Identifier: BSD-3-Clause
// The synthetic flight: its truth is consistent, and its files are the same in every run.
#include "mapping/flights.hpp"

#include <bifocal/colmap/bundle_adjust.hpp>
#include <bifocal/io.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "cli/process.hpp"
#include "io/exif.hpp"
#include "mapping/algebra.hpp"
#include "support/data.hpp"

namespace bifocal::test {
namespace {

TEST(Flight, HasTheStatedReliefAndOverlap) {
  const Flight made = flight({});
  ASSERT_EQ(made.images.size(), 200u);
  double low = 1e9, high = -1e9;
  for (int east = -200; east <= 200; east += 5)
    for (int north = -150; north <= 150; north += 5) {
      low = std::min(low, made.hills.height(east, north));
      high = std::max(high, made.hills.height(east, north));
    }
  EXPECT_GT(high - low, 35);
  EXPECT_LT(high - low, 45);
  for (const FlightTarget& target : made.targets) EXPECT_GE(target.marks.size(), 6u) << target.name;
}

TEST(Flight, RaysThroughMarksMeetTheHillsAtTheTargets) {
  FlightSettings settings{.images = 200, .radial = -0.05, .mark_noise = 0};
  const Flight made = flight(settings);
  const LensCamera lens = colmap::lens_camera_of(made.camera);
  const Intrinsics& K = lens.pinhole();
  int marks = 0;
  for (const FlightTarget& target : made.targets)
    for (const FlightMark& mark : target.marks) {
      const Pose& pose = made.images[mark.image].cam_from_world;
      const Vec2 px = lens.undistort(mark.px);
      const Vec3 ray{(px[0] - K.cx) / K.fx, (px[1] - K.cy) / K.fy, 1};
      const Vec3 X =
          made.hills.hit(mapping::centre_of(pose), mapping::transposed_times(pose.R, ray));
      EXPECT_LT(norm(mapping::difference(X, target.position)), 1e-3) << target.name;
      EXPECT_LT(norm(mapping::difference(X, mapping::centre_of(pose))), 160) << target.name;
      ++marks;
    }
  EXPECT_GT(marks, 100);
}

TEST(Flight, TheTrueModelHasTheNoiseOfItsFeatures) {
  const Flight made = flight({.images = 40, .radial = 0.03});
  const colmap::Model model = true_model(made, {.noise = 0.5});
  const std::vector<double> errors = colmap::reprojection_errors(colmap::adjust_problem(model, {}));
  double sum = 0;
  for (const double e : errors) sum += e * e;
  EXPECT_GT(errors.size(), 10000u);
  EXPECT_NEAR(std::sqrt(sum / static_cast<double>(errors.size())), 0.5 * std::sqrt(2), 0.01);
}

#ifdef BIFOCAL_HAS_MADE_FLIGHT
TEST(MadeFlight, WritesTheSameFilesInEveryRun) {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b"})
    ASSERT_EQ(run(folder, std::string(name) + " --images 3 --size 200,150 --xmp").code, 0);
  for (const char* file : {"gcp_list.txt", "truth.txt", "control.txt", "positions.txt",
                           "photographs/00000.jpg", "photographs/00002.jpg", "model/images.bin"})
    EXPECT_EQ(text_of(folder / "a" / file), text_of(folder / "b" / file)) << file;
}

TEST(MadeFlight, PhotographsHaveTheirPositionAndTheTargetsWhereTheListSays) {
  const TemporaryFolder folder;
  ASSERT_EQ(run(folder, "out --images 6 --size 1000,750").code, 0);
  const Flight made = flight({.images = 6, .width = 1000, .height = 750});
  int targets = 0;
  for (std::size_t i = 0; i < made.images.size(); ++i) {
    const std::filesystem::path file = folder / "out/photographs" / made.images[i].name;
    const Photograph photograph = read_photograph(file);
    const std::string bytes = read_file(file);
    const auto start = bytes.find(io::kExifStart);
    ASSERT_NE(start, std::string::npos);
    const io::Exif exif = io::parse_exif(std::string_view(bytes).substr(start));
    ASSERT_TRUE(exif.position);
    const GeoPoint at = TangentPlane(kFlightOrigin).geo(made.images[i].gps);
    EXPECT_NEAR(exif.position->latitude_deg, at.latitude_deg, 5e-7);
    EXPECT_NEAR(exif.position->longitude_deg, at.longitude_deg, 5e-7);
    EXPECT_NEAR(io::focal_length(exif, 1000, 750).px, 800, 10);
    for (const FlightTarget& target : made.targets) {
      const Vec2 px = seen_at(made, i, target.position);
      if (!(px[0] > 8 && px[1] > 8 && px[0] < 990 && px[1] < 740)) continue;
      // North-east of the target is white, south-east black.
      const auto grey = [&](double east, double north) {
        const Vec2 xy = seen_at(
            made, i, {target.position[0] + east, target.position[1] + north, target.position[2]});
        return photograph.grey.at(static_cast<int>(std::lround(xy[0])),
                                  static_cast<int>(std::lround(xy[1])), 0);
      };
      for (const double side : {-0.25, 0.25}) {
        EXPECT_GT(grey(side, side), 190) << target.name;
        EXPECT_LT(grey(side, -side), 70) << target.name;
      }
      ++targets;
    }
  }
  EXPECT_GT(targets, 10);
}
#endif

}  // namespace
}  // namespace bifocal::test
