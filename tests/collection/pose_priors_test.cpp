// SPDX-License-Identifier: BSD-3-Clause
// Priors of poses are stored as COLMAP stores them, in every layout of its table, and damaged rows
// are named.
#include <bifocal/colmap/database.hpp>
#include <bifocal/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "collection/colmap/flight_records.hpp"
#include "io/expect.hpp"
#include "raw_sqlite.hpp"
#include "support/data.hpp"

namespace bifocal::test {
namespace {

using colmap::Access, colmap::Database, colmap::PosePrior, colmap::PriorCoordinates;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Mat3 kCovariance = {4, 0.5, 0, 0.5, 9, 0.25, 0, 0.25, 16};

// Statements that pycolmap 4.2.1 and 3.13.0 run; columns_of_3_10 is the table of 3.10.
constexpr const char* kTableOf4 =
    "CREATE TABLE pose_priors (pose_prior_id INTEGER PRIMARY KEY NOT NULL, corr_data_id INTEGER "
    "NOT NULL, corr_sensor_id INTEGER NOT NULL, corr_sensor_type INTEGER NOT NULL, position BLOB, "
    "position_covariance BLOB, gravity BLOB, coordinate_system INTEGER NOT NULL);"
    "CREATE UNIQUE INDEX pose_prior_data_assignment ON pose_priors(corr_data_id, corr_sensor_id, "
    "corr_sensor_type)";
constexpr const char* kTableOf313 =
    "CREATE TABLE pose_priors (image_id INTEGER PRIMARY KEY NOT NULL, position BLOB, "
    "coordinate_system INTEGER NOT NULL, position_covariance BLOB, FOREIGN KEY(image_id) "
    "REFERENCES images(image_id) ON DELETE CASCADE)";
constexpr const char* kTableOf310 =
    "CREATE TABLE pose_priors (image_id INTEGER PRIMARY KEY NOT NULL, position BLOB, "
    "coordinate_system INTEGER NOT NULL, FOREIGN KEY(image_id) REFERENCES images(image_id) ON "
    "DELETE CASCADE)";

class PosePriors : public ::testing::Test {
 protected:
  void SetUp() override {
    Database db(file, Access::create);
    db.write(colmap::ModelCamera{7, 1, 640, 480, {500, 500, 320, 240}, true});
    for (const colmap::Id id : {1U, 2U, 3U})
      db.write(colmap::Image{id, std::to_string(id) + ".jpg", 7});
  }
  TemporaryFolder folder;
  const std::filesystem::path file = folder / "a.db";
  const PosePrior full{2, PriorCoordinates::wgs84, Vec3{47.5, 8.25, 400.5}, kCovariance,
                       Vec3{0, 0.6, 0.8}};
};

TEST_F(PosePriors, ComeBack) {
  Database db(file, Access::write);
  EXPECT_TRUE(db.pose_priors().empty());
  db.write(full);
  db.write(PosePrior{1, PriorCoordinates::cartesian, Vec3{1, 2, 3}, {}, {}});
  db.write(PosePrior{3, PriorCoordinates::undefined, {}, {}, Vec3{0, 1, 0}});
  db.write(PosePrior{1, PriorCoordinates::cartesian, Vec3{4, 5, 6}, {}, {}});  // replaced
  const auto priors = Database(file).pose_priors();
  ASSERT_EQ(priors.size(), 3U);
  EXPECT_EQ(priors[0].image, 1U);
  EXPECT_EQ(priors[0].position, (Vec3{4, 5, 6}));
  EXPECT_EQ(priors[0].coordinates, PriorCoordinates::cartesian);
  EXPECT_FALSE(priors[0].covariance || priors[0].gravity);
  EXPECT_EQ(priors[1].position, full.position);
  EXPECT_EQ(priors[1].covariance, full.covariance);
  EXPECT_EQ(priors[1].coordinates, PriorCoordinates::wgs84);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR((*priors[1].gravity)[i], (*full.gravity)[i], 1e-15);
  EXPECT_FALSE(priors[2].position);
  EXPECT_EQ(priors[2].gravity, (Vec3{0, 1, 0}));
}

// The blobs are those that pycolmap 4.2.1 writes: doubles, NaN for unknown numbers.
TEST_F(PosePriors, AreStoredAsColmapStoresThem) {
  Database db(file, Access::write);
  db.write(full);
  db.write(PosePrior{3, PriorCoordinates::undefined, {}, {}, {}});
  RawDatabase raw(file);
  EXPECT_EQ(raw.bytes("SELECT pose_prior_id || ' ' || corr_data_id || ' ' || corr_sensor_id || ' ' "
                      "|| corr_sensor_type || ' ' || coordinate_system FROM pose_priors"),
            "1 2 7 0 0");
  EXPECT_EQ(raw.numbers<double>("SELECT position FROM pose_priors"),
            (std::vector<double>{47.5, 8.25, 400.5}));
  EXPECT_EQ(raw.numbers<double>("SELECT position_covariance FROM pose_priors"),
            std::vector<double>(kCovariance.begin(), kCovariance.end()));
  EXPECT_EQ(raw.numbers<double>("SELECT gravity FROM pose_priors"),
            (std::vector<double>{0, 0.6, 0.8}));
  const auto unknown =
      raw.numbers<double>("SELECT position_covariance FROM pose_priors WHERE corr_data_id = 3");
  ASSERT_EQ(unknown.size(), 9U);
  for (const double v : unknown) EXPECT_TRUE(std::isnan(v));
  EXPECT_EQ(raw.bytes("SELECT coordinate_system FROM pose_priors WHERE corr_data_id = 3"), "-1");
}

TEST_F(PosePriors, OfOtherSensorsAreSkipped) {
  RawDatabase raw(file);
  raw.run(kTableOf4);
  raw.run("INSERT INTO pose_priors VALUES (5, 1, 7, 1, NULL, NULL, NULL, 1)");  // of an IMU
  raw.run("INSERT INTO pose_priors VALUES (9, 2, 7, 0, NULL, NULL, NULL, 1)");
  raw.write("UPDATE pose_priors SET position = ?", std::vector<double>{1, 2, 3});
  Database db(file, Access::write);
  ASSERT_EQ(db.pose_priors().size(), 1U);
  EXPECT_EQ(db.pose_priors()[0].image, 2U);
  db.write(PosePrior{1, PriorCoordinates::cartesian, Vec3{4, 5, 6}, {}, {}});
  EXPECT_EQ(raw.bytes("SELECT count(*) FROM pose_priors"), "3");
  EXPECT_EQ(db.pose_priors().size(), 2U);
}

TEST_F(PosePriors, OfOldVersionsAreReadAndReplaced) {
  for (const char* table : {kTableOf313, kTableOf310}) {
    const bool has_covariance = table == kTableOf313;
    RawDatabase raw(file);
    raw.run("DROP TABLE IF EXISTS pose_priors");
    raw.run(table);
    raw.run("INSERT INTO pose_priors (image_id, coordinate_system) VALUES (2, 0)");
    raw.write("UPDATE pose_priors SET position = ?", std::vector<double>{47.5, 8.25, 400.5});
    if (has_covariance)
      raw.write("UPDATE pose_priors SET position_covariance = ?", std::vector<double>(9, kNan));
    Database db(file, Access::write);
    const auto priors = db.pose_priors();
    ASSERT_EQ(priors.size(), 1U);
    EXPECT_EQ(priors[0].image, 2U);
    EXPECT_EQ(priors[0].coordinates, PriorCoordinates::wgs84);
    EXPECT_EQ(priors[0].position, full.position);
    EXPECT_FALSE(priors[0].covariance || priors[0].gravity);
    PosePrior other = full;
    other.position = Vec3{-1, -2, -3};
    db.write(other);
    ASSERT_EQ(db.pose_priors().size(), 1U);
    EXPECT_EQ(db.pose_priors()[0].position, (Vec3{-1, -2, -3}));
    EXPECT_EQ(db.pose_priors()[0].covariance.has_value(), has_covariance);
    EXPECT_FALSE(db.pose_priors()[0].gravity);
  }
}

TEST_F(PosePriors, ThatAreDamagedAreNamed) {
  struct OfColumn {
    const char* column;
    std::vector<double> numbers;
    const char* reason;
  };
  const std::vector<OfColumn> all = {
      {"position", {1, kNan, 3}, "not all numbers are finite"},
      {"position", {1, 2, std::numeric_limits<double>::infinity()}, "not all numbers are finite"},
      {"position", {1, 2}, "2 numbers, must be 3"},
      {"position_covariance", {1, 2, 3}, "3 numbers, must be 9"},
      {"position_covariance", {1, 0, 0, 1, 1, 0, 0, 0, 1}, "is not symmetric"},
      {"position_covariance", {1, 2, 0, 2, 1, 0, 0, 0, 1}, "is not positive definite"},
      {"position_covariance", {0, 0, 0, 0, 0, 0, 0, 0, 0}, "is not positive definite"},
      {"gravity", {0, 0, 2}, "has length 2, must be 1"},
      {"gravity", {0, 0, 0}, "has length 0, must be 1"}};
  for (const OfColumn& damage : all) {
    Database db(file, Access::write);
    db.write(full);
    RawDatabase raw(file);
    raw.write(std::string("UPDATE pose_priors SET ") + damage.column + " = ?", damage.numbers);
    expect_error([&] { (void)db.pose_priors(); }, damage.reason);
    std::vector<colmap::RowFault> faults;
    const auto priors = db.pose_priors(&faults);
    ASSERT_EQ(faults.size(), 1U) << damage.reason;
    EXPECT_EQ(faults[0].row, std::string("table pose_priors, image 2, ") + damage.column);
    EXPECT_EQ(faults[0].reason, damage.reason);
    ASSERT_EQ(priors.size(), 1U);
    const std::string column = damage.column;
    EXPECT_EQ(priors[0].position.has_value(), column != "position");
    EXPECT_EQ(priors[0].covariance.has_value(), column != "position_covariance");
    EXPECT_EQ(priors[0].gravity.has_value(), column != "gravity");
  }
}

TEST_F(PosePriors, OfMissingImagesAreLeftOutAndNamed) {
  const auto faults_after = [&](const char* sql, std::size_t left) {
    {
      Database db(file, Access::write);
      db.write(full);
    }
    RawDatabase(file).run(sql);
    std::vector<colmap::RowFault> faults;
    EXPECT_EQ(Database(file).pose_priors(&faults).size(), left) << sql;
    EXPECT_EQ(faults.size(), 1U) << sql;
    RawDatabase(file).run("DROP TABLE pose_priors");
    return faults.empty() ? std::string() : faults[0].row + ": " + faults[0].reason;
  };
  EXPECT_EQ(faults_after("UPDATE pose_priors SET corr_data_id = 77", 0),
            "table pose_priors, image 77: there is no such image");
  EXPECT_EQ(faults_after("UPDATE pose_priors SET corr_data_id = -5", 0),
            "table pose_priors, image -5: there is no such image");
  EXPECT_EQ(faults_after("UPDATE pose_priors SET coordinate_system = 9", 1),
            "table pose_priors, image 2: coordinate_system 9, must be -1 to 1");
  EXPECT_EQ(faults_after("INSERT INTO pose_priors VALUES (5, 2, 8, 0, NULL, NULL, NULL, 1)", 1),
            "table pose_priors, image 2: it has several priors, the first is used");
  EXPECT_EQ(faults_after("ALTER TABLE pose_priors DROP COLUMN gravity", 0),
            "table pose_priors: has no column gravity, but coordinate_system corr_data_id "
            "corr_sensor_id corr_sensor_type pose_prior_id position position_covariance");
}

TEST_F(PosePriors, OfAViewAreNotRead) {
  RawDatabase(file).run("CREATE VIEW pose_priors AS SELECT 1 AS image_id");
  std::vector<colmap::RowFault> faults;
  EXPECT_EQ(Database(file).images().size(), 3U);
  EXPECT_TRUE(Database(file).pose_priors(&faults).empty());
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].reason, "is a view or a virtual table");
  Database db(file, Access::write);
  expect_error([&] { db.write(full); }, "is a view or a virtual table");
}

TEST_F(PosePriors, ThatAreImpossibleAreRefused) {
  Database db(file, Access::write);
  const auto refused = [&](const auto& change, const char* reason) {
    PosePrior prior = full;
    change(prior);
    expect_error([&] { db.write(prior); }, reason, ErrorCode::usage);
  };
  refused([](PosePrior& p) { p.image = 9; }, "has no such image");
  refused([](PosePrior& p) { (*p.position)[1] = kNan; }, "the position is not finite");
  refused([](PosePrior& p) { (*p.covariance)[0] = -1; }, "is not positive definite");
  refused([](PosePrior& p) { (*p.covariance)[8] = kNan; }, "is not finite");
  refused([](PosePrior& p) { p.gravity = Vec3{0, 0, kNan}; }, "must be 1");
  refused([](PosePrior& p) { p.coordinates = static_cast<PriorCoordinates>(4); }, "must be -1");
  EXPECT_TRUE(db.pose_priors().empty());
}

TEST_F(PosePriors, HaveFlightRecords) {
  Database db(file, Access::write);
  EXPECT_TRUE(flight_records(db).empty());
  write(db, colmap::FlightRecord{3, 39.8, Attitude{44.2, -89.9, 0}});
  write(db, colmap::FlightRecord{1, {}, Attitude{1, 2, 3}});
  write(db, colmap::FlightRecord{2, -4.5, {}});
  auto records = flight_records(Database(file));
  ASSERT_EQ(records.size(), 3U);
  EXPECT_FALSE(records[0].relative_altitude_m);
  EXPECT_EQ(records[0].gimbal->roll_deg, 3);
  EXPECT_EQ(records[1].relative_altitude_m, -4.5);
  EXPECT_FALSE(records[1].gimbal);
  EXPECT_EQ(records[2].gimbal->pitch_deg, -89.9);
  RawDatabase raw(file);
  raw.run("UPDATE bifocal_pose_priors SET relative_altitude = 1e99 WHERE image_id = 2");
  raw.run("UPDATE bifocal_pose_priors SET image_id = 88 WHERE image_id = 3");
  raw.run("UPDATE bifocal_pose_priors SET gimbal_yaw = 9e9 WHERE image_id = 1");
  EXPECT_THROW((void)flight_records(db), Error);
  std::vector<colmap::RowFault> faults;
  records = flight_records(db, &faults);
  EXPECT_EQ(faults.size(), 3U);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_FALSE(records[0].gimbal || records[1].relative_altitude_m);
}

}  // namespace
}  // namespace bifocal::test
