// SPDX-License-Identifier: BSD-3-Clause
// Damaged databases and impossible arguments give errors that name the place.
#include <bifocal/colmap/database.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "io/expect.hpp"
#include "raw_sqlite.hpp"
#include "support/data.hpp"

namespace bifocal::test {
namespace {

using colmap::Access, colmap::Database;

void make(const std::filesystem::path& file) {
  Database db(file, Access::create);
  db.write(colmap::ModelCamera{1, 1, 640, 480, {500, 500, 320, 240}, true});
  for (const colmap::Id id : {1U, 2U}) {
    db.write(colmap::Image{id, std::to_string(id), 1});
    db.write_keypoints(id, {4, {10, 20, 1, 0, 30, 40, 1, 0}});
    db.write_descriptors(id, {0, 128, std::vector<std::uint8_t>(256, 7)});
  }
  const std::vector<colmap::IndexPair> matches = {{0, 1}, {1, 0}};
  db.write_matches(1, 2, matches);
  colmap::TwoViewGeometry g{colmap::Configuration::calibrated, matches, {}, {}, {}, {}};
  g.E = Mat3{1, 2, 3, 4, 5, 6, 7, 8, 9};
  g.cam2_from_cam1 = Pose{{1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 0, 0}};
  db.write_geometry(1, 2, g);
}

void read_all(const std::filesystem::path& file) {
  const Database db(file);
  (void)db.cameras();
  for (const auto& image : db.images()) {
    (void)db.keypoints(image.id);
    (void)db.descriptors(image.id);
  }
  for (const auto& pair : db.match_rows()) (void)db.matches(pair.image1, pair.image2);
  for (const auto& pair : db.geometry_rows()) (void)db.geometry(pair.image2, pair.image1);
}

struct Damage {
  const char *sql, *message;

  friend void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.message; }
};
class DamagedDatabase : public testing::TestWithParam<Damage> {};

TEST_P(DamagedDatabase, IsReportedWithTableAndRow) {
  const TemporaryFolder folder;
  make(folder / "a.db");
  ASSERT_NO_THROW(read_all(folder / "a.db"));
  RawDatabase(folder / "a.db").run(GetParam().sql);
  expect_error([&] { read_all(folder / "a.db"); }, GetParam().message);
  expect_error([&] { read_all(folder / "a.db"); }, (folder / "a.db").string());
}

INSTANTIATE_TEST_SUITE_P(
    All, DamagedDatabase,
    testing::Values(
        Damage{"UPDATE keypoints SET data = zeroblob(31) WHERE image_id = 2",
               "table keypoints, image_id 2: a blob of 31 bytes, 2 rows of 4 numbers of 4 bytes"},
        Damage{"UPDATE keypoints SET data = NULL", "table keypoints, image_id 1: a blob of 0"},
        Damage{"UPDATE keypoints SET cols = 3", "table keypoints, image_id 1: cols = 3"},
        Damage{"UPDATE keypoints SET cols = 0", "table keypoints, image_id 1: cols = 0"},
        Damage{"UPDATE keypoints SET rows = -1", "table keypoints, image_id 1: rows = -1"},
        Damage{"UPDATE keypoints SET rows = 4611686018427387904, cols = 4",
               "table keypoints, image_id 1: a blob of 32 bytes, 4611686018427387904 rows"},
        Damage{"UPDATE keypoints SET rows = 0",
               "table keypoints, image_id 1: a blob of 32 bytes, 0 rows"},
        Damage{"UPDATE descriptors SET cols = 100", "table descriptors, image_id 1: a blob of 256"},
        Damage{"UPDATE matches SET rows = 3",
               "table matches, pair_id 2147483649 (images 1 and 2): a blob of 16 bytes"},
        Damage{"UPDATE matches SET rows = -1", "table matches, pair_id 2147483649: rows = -1"},
        Damage{"UPDATE two_view_geometries SET rows = 4611686018427387904",
               "table two_view_geometries, pair_id 2147483649: rows = 4611686018427387904"},
        Damage{"UPDATE matches SET cols = 3", "(images 1 and 2): cols = 3"},
        Damage{"UPDATE matches SET pair_id = 2147483647",
               "table matches, pair_id 2147483647: is no number of"},
        Damage{"UPDATE matches SET pair_id = -1", "table matches, pair_id -1"},
        Damage{"UPDATE two_view_geometries SET E = zeroblob(8)", "(images 1 and 2), E: 1 numbers"},
        Damage{"UPDATE two_view_geometries SET qvec = zeroblob(33)", ", qvec: a blob of 33 bytes"},
        Damage{"UPDATE two_view_geometries SET data = zeroblob(4)",
               "table two_view_geometries, pair_id 2147483649"},
        Damage{"UPDATE cameras SET params = zeroblob(24)",
               "table cameras, camera_id 1: 3 params, PINHOLE has 4"},
        Damage{"UPDATE cameras SET width = 0", "table cameras, camera_id 1: 0 x 480 px"},
        Damage{"DROP TABLE matches", "has no table matches"},
        Damage{"ALTER TABLE matches RENAME TO m; CREATE VIEW matches AS WITH RECURSIVE "
               "r(n) AS (SELECT 2147483649 UNION ALL SELECT n + 1 FROM r) "
               "SELECT n AS pair_id, 0 AS rows, 2 AS cols, x'' AS data FROM r",
               "table matches: is a view"},
        Damage{"DROP TABLE matches; CREATE VIRTUAL TABLE matches USING fts4(pair_id, rows, cols, "
               "data)",
               "table matches: is a view or a virtual table"},
        Damage{"ALTER TABLE matches RENAME COLUMN cols TO columns", "table matches: has no column"},
        Damage{"PRAGMA foreign_keys = OFF; UPDATE images SET camera_id = -3",
               "table images, image_id 1, camera_id: -3"}));

TEST(ColmapDamage, FilesThatAreNoDatabaseAreRefused) {
  const TemporaryFolder folder;
  expect_error([&] { Database(folder / "none.db"); }, "there is no such file");
  expect_error([&] { Database{folder.path()}; }, "is a folder");
  write_file(folder / "text.db", std::string(5000, 'x'));
  expect_error([&] { Database(folder / "text.db"); }, "is no SQLite database");
  write_file(folder / "empty.db", "");
  expect_error([&] { Database(folder / "empty.db"); }, "has no table cameras");
  expect_error([&] { Database(folder / "text.db", Access::create); }, "exists already");
  expect_error([&] { Database(folder / "no/folder.db", Access::create); }, "can't be opened");
}

// Random bytes are changed: the result is an error or a value, in bounded time and memory.
TEST(ColmapDamage, RandomBytesGiveAnErrorOrAResult) {
  const TemporaryFolder folder;
  make(folder / "a.db");
  const std::string whole = read_file(folder / "a.db");
  std::mt19937 random(1);
  int refused = 0, read = 0;
  for (int i = 0; i < 600; ++i) {
    std::string bytes = whole;
    for (unsigned k = 1 + random() % 8; k > 0; --k)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    if (random() % 8 == 0) bytes.resize(random() % bytes.size());
    write_file(folder / "b.db", bytes);
    try {
      read_all(folder / "b.db");
      ++read;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::input);
      EXPECT_NE(std::string(error.what()).find("b.db"), std::string::npos) << error.what();
      ++refused;
    }
    for (const char* left : {"b.db-wal", "b.db-shm"}) std::filesystem::remove(folder / left);
  }
  EXPECT_GT(refused, 50);
  EXPECT_GT(read, 50);
}

TEST(ColmapDamage, ImpossibleArgumentsAreRefused) {
  const TemporaryFolder folder;
  make(folder / "a.db");
  Database db(folder / "a.db", Access::write);
  const auto usage = [&](const auto& body, const char* part) {
    expect_error(body, part, ErrorCode::usage);
  };
  usage([&] { db.write(colmap::ModelCamera{2, 99, 1, 1, {}, false}); }, "camera 2: model 99");
  usage(
      [&] {
        db.write(colmap::ModelCamera{2, 1, 1, 1, {1, 1, 1}, false});
      },
      "camera 2: 3 params, PINHOLE has 4");
  usage([&] { db.write(colmap::ModelCamera{2, 1, 0, 1, {1, 1, 1, 1}, false}); }, "0 x 1 px");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  usage(
      [&] {
        db.write(colmap::ModelCamera{2, 1, 1, 1, {1, nan, 1, 1}, false});
      },
      "params[1] = nan");
  usage([&] { db.write(colmap::Image{3, "", 1}); }, "image 3: '' is no name");
  usage([&] { db.write(colmap::Image{2147483647, "x", 1}); }, "image 2147483647");
  usage([&] { db.write_keypoints(1, {3, {1, 2, 3}}); }, "3 columns");
  usage([&] { db.write_keypoints(1, {2, {1, 2, 3}}); }, "3 numbers in rows of 2");
  usage([&] { db.write_descriptors(1, {0, 128, {1, 2, 3}}); }, "3 bytes in rows of 128");
  usage([&] { db.write_matches(1, 1, {}); }, "image 1 with itself");
  expect_error([&] { db.write(colmap::Image{3, "1", 1}); }, "table images, image_id 3 '1'");
  expect_error([&] { db.write(colmap::Image{1, "new", 1}); }, "table images, image_id 1");
  expect_error([&] { db.write(colmap::Image{3, "new", 5}); }, "of camera 5");
  expect_error([&] { db.write_keypoints(9, {2, {1, 2}}); }, "table keypoints, image_id 9");
  Database reader(folder / "a.db");
  expect_error([&] { reader.write_matches(1, 2, {}); }, "readonly");
}

TEST(ColmapDamage, ImagesAreNotAddedToRigs) {
  const TemporaryFolder folder;
  make(folder / "a.db");
  RawDatabase(folder / "a.db")
      .run(
          "CREATE TABLE frames (frame_id INTEGER PRIMARY KEY, rig_id INTEGER);"
          "INSERT INTO frames VALUES (1, 1)");
  Database db(folder / "a.db", Access::write);
  expect_error([&] { db.write(colmap::Image{3, "3", 1}); }, "has frames of rigs");
}

}  // namespace
}  // namespace bifocal::test
