// SPDX-License-Identifier: BSD-3-Clause
// collect() writes positions, heights and gravity of photographs as priors, selects pairs by
// positions that make a map, and leaves out orthomosaics.
#include <bifocal/collect.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/rectify.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "collection/collect/work_database.hpp"
#include "collection/colmap/flight_records.hpp"
#include "io/exif_block.hpp"
#include "raw_sqlite.hpp"
#include "support/data.hpp"
#include "support/texture.hpp"

namespace bifocal::test {
namespace {

namespace fs = std::filesystem;

class Positions : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directory(folder / "in"); }
  // The appended name makes all files different.
  void add(const std::string& name, const std::string& file) const {
    write_file(folder / ("in/" + name), file + name);
  }
  // A photograph `east` and `north` metres from 48.5 N, 7.75 E. view: warps the plane of the seed.
  void add_at(int number, double east, double north, unsigned seed = 1, int view = -1) const {
    ExifTags tags = {.focal_on_film_mm = 24, .make = "Maker", .model = "Drone"};
    tags.latitude = {48, 30, 10 + north / 30.887};
    tags.longitude = {7, 45, 10 + east / (30.887 * std::cos(48.5 * 3.14159265 / 180))};
    tags.altitude = 300;
    ImageU8 image = texture(160, 120, seed);
    const double a = 0.01 * view;
    if (view >= 0)
      image = warp(image, {1 - a, a, 1.0 * view, -a, 1, 0.5 * view, 0, 0, 1}, 160, 120);
    add(fmt::format("{:03}.jpg", number), with_exif(encode_jpeg(image, 92), exif_block(tags)));
  }
  // Photographs on a grid with rows of 8.
  void add_grid(int count, double spacing_m) const {
    for (int i = 0; i < count; ++i) add_at(i, i % 8 * spacing_m, i / 8 * spacing_m);
  }
  CollectResult run(CollectOptions options = {}) const {
    options.sift.max_features = 100;
    Queue queue;
    return collect(queue, list_photographs(std::vector{(folder / "in").string()}),
                   folder / "out.db", options);
  }
  std::string setting(const std::string& wanted) const {
    for (const auto& [name, value] : read_collect_summary(folder / "out.db").settings)
      if (name == wanted) return value;
    return {};
  }
  TemporaryFolder folder;
};

TEST_F(Positions, BecomePriors) {
  ExifTags tags = {.latitude = {48, 30, 36}, .longitude = {7, 45, 0}, .north = 'S', .east = 'W'};
  const std::string jpeg = encode_jpeg(texture(120, 100, 1), 90);
  add("0.jpg", with_exif(jpeg, exif_block(tags)));  // without altitude: as in COLMAP, no prior
  tags.altitude = 350.5;
  tags.horizontal_error = 3;
  add("1.jpg", with_exif(jpeg, exif_block(tags)));
  EXPECT_EQ(run().images, 2);
  EXPECT_TRUE(flight_records(colmap::Database(folder / "out.db")).empty());
  const std::string drone = xmp_block(
      "drone-dji:RelativeAltitude='+40.1' drone-dji:GimbalYawDegree='10' "
      "drone-dji:GimbalPitchDegree='-90' drone-dji:GimbalRollDegree='0'");
  tags.horizontal_error = 0;
  add("2.jpg", with_exif(with_exif(jpeg, exif_block(tags)), drone));  // added to the database
  EXPECT_EQ(run().images, 3);
  const colmap::Database db(folder / "out.db");
  const auto priors = db.pose_priors();
  ASSERT_EQ(priors.size(), 2U);
  EXPECT_EQ(priors[0].image, 2U);
  EXPECT_EQ(priors[0].coordinates, colmap::PriorCoordinates::wgs84);
  EXPECT_NEAR((*priors[0].position)[0], -48.51, 1e-9);
  EXPECT_NEAR((*priors[0].position)[1], -7.75, 1e-9);
  EXPECT_EQ((*priors[0].position)[2], 350.5);
  EXPECT_EQ(priors[0].covariance, (Mat3{9, 0, 0, 0, 9, 0, 0, 0, 36}));
  EXPECT_FALSE(priors[0].gravity);
  EXPECT_FALSE(priors[1].covariance);
  ASSERT_TRUE(priors[1].gravity);
  EXPECT_NEAR((*priors[1].gravity)[2], 1, 1e-15);
  const auto records = flight_records(db);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].image, 3U);
  EXPECT_EQ(records[0].relative_altitude_m, 40.1);
  EXPECT_EQ(records[0].gimbal->yaw_deg, 10);
}

// Without positions the tables are those of all versions of COLMAP.
TEST_F(Positions, ThatAreUnknownMakeNoTable) {
  add("0.jpg", encode_jpeg(texture(120, 100, 1), 90));
  run();
  RawDatabase raw(folder / "out.db");
  EXPECT_EQ(raw.bytes("SELECT count(*) FROM sqlite_master WHERE name LIKE '%pose_priors'"), "0");
}

// COLMAP finds a prior by image and camera.
TEST_F(Positions, FollowTheCameraOfTheirImage) {
  collection::WorkDatabase::create(folder / "work.db", {});
  collection::WorkDatabase work(folder / "work.db", colmap::Access::write);
  for (const colmap::Id id : {1U, 2U})
    work.add(colmap::ModelCamera{id, 1, 120, 100, {90, 90, 59.5, 49.5}, true});
  collection::PhotographRow row;
  row.name = "a.jpg";
  row.info = {.width = 120, .height = 100};
  row.info.position = GeoPosition{48.5, 7.75};
  row.info.altitude_m = 300;
  work.add(row, {1, "a.jpg", 1}, {{4, {}}, colmap::Descriptors{}, {}});
  work.set_camera(0, 2);
  RawDatabase raw(folder / "work.db");
  EXPECT_EQ(raw.bytes("SELECT corr_sensor_id FROM pose_priors"), "2");
  EXPECT_EQ(raw.bytes("SELECT camera_id FROM images"), "2");
}

TEST_F(Positions, OfAMapSelectThePairs) {
  add_grid(61, 20);
  const CollectResult result = run();
  EXPECT_EQ(setting("pairs"), "auto");
  EXPECT_LT(result.pairs, 61 * 60 / 2 / 2);
  EXPECT_GE(result.pairs, 61 * 15 / 2);
  ASSERT_FALSE(result.notes.empty());
  const std::string note = fmt::format(
      "61 photographs have positions (EXIF's GPS), so each is paired with the 15 nearest: {} of "
      "1830 pairs; --pairs all tries all",
      result.pairs);
  EXPECT_EQ(std::ranges::count(result.notes, note), 1);
  EXPECT_TRUE(run().was_complete);
  // Begun work keeps its choice, although the new photograph has no position.
  add("new.jpg", encode_jpeg(texture(160, 120, 1), 92));
  EXPECT_EQ(run().images, 62);
  EXPECT_EQ(setting("pairs"), "auto");
}

TEST_F(Positions, OfFewPhotographsOrWithOneMissingSelectAll) {
  add_grid(60, 20);
  run();
  EXPECT_EQ(setting("pairs"), "all");
  add_at(60, 0, 160);
  EXPECT_EQ(run().images, 61);
  EXPECT_EQ(setting("pairs"), "all");  // begun work keeps its choice
  add("without.jpg", encode_jpeg(texture(160, 120, 1), 92));
  EXPECT_EQ(run({.overwrite = true}).images, 62);
  EXPECT_EQ(setting("pairs"), "all");
  fs::remove(folder / "in/without.jpg");
  EXPECT_EQ(run({.overwrite = true}).images, 61);
  EXPECT_EQ(setting("pairs"), "auto");
}

// Photographs of one object from a few metres, a stray position, two strips, and two areas.
TEST_F(Positions, OfNoMapSelectAll) {
  const auto choice = [&] {
    run({.overwrite = true});
    return setting("pairs");
  };
  add_grid(61, 2);
  EXPECT_EQ(choice(), "all");
  add_grid(61, 20);
  EXPECT_EQ(choice(), "auto");
  add_at(60, 3000, 0);
  EXPECT_EQ(choice(), "all");
  for (int i = 0; i < 61; ++i) add_at(i, i % 31 * 3, i / 31 * 60);  // two dense strips
  EXPECT_EQ(choice(), "all");
  for (int i = 0; i < 61; ++i) add_at(i, i % 8 * 20 + (i < 31 ? 0 : 900), i / 8 * 20);
  EXPECT_EQ(choice(), "all");
}

// Photograph 5 shows the first area and claims to lie in the second one.
TEST_F(Positions, ThatAreWrongLoseNoPhotograph) {
  for (int i = 0; i < 64; ++i) {
    const bool is_first = i < 32;
    const double north = i == 5 ? 140 : i / 8 * 20;
    add_at(i, i % 8 * 20, north, is_first ? 1 : 2, i % 8);
  }
  CollectOptions options;
  options.screen.min_matches = 6;
  const CollectResult result = run(options);
  EXPECT_EQ(setting("pairs"), "auto");
  const colmap::Database db(folder / "out.db");
  int of_fifth = 0;
  for (const colmap::PairRows& row : db.geometry_rows())
    if (row.rows > 0 && (row.image1 == 6 || row.image2 == 6)) ++of_fifth;
  EXPECT_GT(of_fifth, 0);
}

class Mosaics : public Positions {};

TEST_F(Mosaics, AreLeftOutAmongPhotographsOfADrone) {
  add_grid(10, 20);
  add("map.png", encode_png(texture(400, 180, 3)));
  const CollectResult result = run();
  EXPECT_EQ(result.images, 10);
  ASSERT_EQ(result.left_out.size(), 1U);
  EXPECT_EQ(result.left_out[0].name, "map.png");
  EXPECT_TRUE(result.left_out[0].reason.starts_with("looks like an orthomosaic"));
  EXPECT_TRUE(run().was_complete);
  add_at(10, 0, 60);
  EXPECT_EQ(run().images, 11);
}

TEST_F(Mosaics, AreNotPhotographsWithLostExif) {
  add_grid(20, 20);
  add("smaller.png", encode_png(texture(80, 60, 3)));    // the same proportions
  add("upright.png", encode_png(texture(120, 160, 4)));  // likewise
  ExifTags tags = {.make = "Maker", .model = "Phone"};
  add("indoors.jpg", with_exif(encode_jpeg(texture(200, 90, 5), 90), exif_block(tags)));
  EXPECT_TRUE(run().left_out.empty());
}

TEST_F(Mosaics, AreNotSearchedAmongPhonesAndFewFiles) {
  add_grid(9, 20);
  add("wide.png", encode_png(texture(400, 180, 3)));
  EXPECT_TRUE(run().left_out.empty());
  for (int i = 0; i < 3; ++i)
    add(fmt::format("phone{}.jpg", i), encode_jpeg(texture(200, 90, 7), 90));
  EXPECT_TRUE(run({.overwrite = true}).left_out.empty());
}

}  // namespace
}  // namespace bifocal::test
