// SPDX-License-Identifier: BSD-3-Clause
// One odd row never stops the verification of a database: its own pairs get a defined result, and
// all remaining pairs are verified.
#include <bifocal/colmap/verify.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "io/expect.hpp"
#include "raw_sqlite.hpp"
#include "support/data.hpp"
#include "synthetic/two_view_scenes.hpp"

namespace bifocal::test {
namespace {

using colmap::Configuration, colmap::Database, colmap::Id, colmap::IndexPair, colmap::OddRow,
    colmap::RowUse, colmap::VerifyProgress, colmap::VerifyRun;

constexpr Id kImages = 4;

// Makes four images with separate cameras; all pairs show a scene.
void make(const std::filesystem::path& file) {
  Database db(file, colmap::Access::create);
  colmap::Transaction all(db);
  std::vector<colmap::Keypoints> points(kImages + 1);
  std::mt19937_64 random(3);
  for (Id i = 1; i <= kImages; ++i) {
    db.write(colmap::ModelCamera{i, 1, 1280, 960, {1000, 1000, 640, 480}, true});
    db.write(colmap::Image{i, fmt::format("i{}", i), i});
  }
  for (Id i = 1; i <= kImages; ++i) {
    for (Id j = i + 1; j <= kImages; ++j) {
      std::vector<IndexPair> pair;
      for (const PointPair& p :
           synthetic::make_scene({.points = 60, .inliers = 0.9, .noise = 0.5}, random).points) {
        pair.push_back({std::uint32_t(points[i].size()), std::uint32_t(points[j].size())});
        points[i].data.insert(points[i].data.end(), {float(p.x1), float(p.y1)});
        points[j].data.insert(points[j].data.end(), {float(p.x2), float(p.y2)});
      }
      db.write_matches(i, j, pair);
    }
  }
  for (Id i = 1; i <= kImages; ++i) db.write_keypoints(i, points[i]);
  all.commit();
}

class OddRows : public testing::Test {
 protected:
  void SetUp() override { make(folder / "whole.db"); }
  // Verifies the database after these SQL statements.
  VerifyProgress verified(const std::string& sql) const {
    std::filesystem::copy_file(folder / "whole.db", folder / "a.db",
                               std::filesystem::copy_options::overwrite_existing);
    RawDatabase(folder / "a.db").run("PRAGMA foreign_keys = OFF; " + sql);
    Queue queue;
    return colmap::verify(queue, folder / "a.db", {});
  }
  // Verifies the database with this model and these parameters for camera 2.
  VerifyProgress with_camera(const std::string& model, const std::vector<double>& params,
                             bool prior) const {
    std::filesystem::copy_file(folder / "whole.db", folder / "a.db",
                               std::filesystem::copy_options::overwrite_existing);
    RawDatabase(folder / "a.db")
        .write<double>(fmt::format("UPDATE cameras SET model = {}, prior_focal_length = {}, params "
                                   "= ? WHERE camera_id = 2",
                                   colmap::model_number(model), int(prior)),
                       params);
    Queue queue;
    return colmap::verify(queue, folder / "a.db", {});
  }
  [[nodiscard]] std::optional<Configuration> configuration(Id a, Id b) const {
    const auto g = Database(folder / "a.db").geometry(a, b);
    return g ? std::optional(g->configuration) : std::nullopt;
  }
  // Checks the configuration of all pairs with image 2, and that all remaining pairs
  // are calibrated.
  void expect_of_image_2(std::optional<Configuration> expected) const {
    for (Id i = 1; i <= kImages; ++i)
      for (Id j = i + 1; j <= kImages; ++j)
        EXPECT_EQ(configuration(i, j),
                  i == 2 || j == 2 ? expected : std::optional(Configuration::calibrated))
            << i << ' ' << j;
  }
  TemporaryFolder folder;
};

TEST_F(OddRows, cameras_with_invalid_numbers_are_ignored) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               inf = std::numeric_limits<double>::infinity();
  const std::pair<const char*, std::vector<double>> kCameras[] = {
      {"PINHOLE", {0, 0, 640.5, 480.5}},
      {"PINHOLE", {nan, nan, 640.5, 480.5}},
      {"PINHOLE", {1000, -1000, 640.5, 480.5}},
      {"PINHOLE", {inf, 1000, 640.5, 480.5}},
      {"PINHOLE", {1000, 1000, nan, 480.5}},
      {"PINHOLE", {1000, 1000, 640.5, -inf}},
      {"PINHOLE", {1e-300, 1e-300, 640.5, 480.5}},
      {"PINHOLE", {1e300, 1e300, 640.5, 480.5}},
      {"PINHOLE", {1000, 1000, 1e300, 480.5}},
      {"PINHOLE", {1000, 1000}},
      {"SIMPLE_PINHOLE", {0, 640.5, 480.5}},
      {"SIMPLE_RADIAL", {1000, 640.5, 480.5, nan}},
      {"OPENCV", {1000, 1000, 640.5, 480.5, 0, 0, inf, 0}}};
  for (const auto& [model, params] : kCameras) {
    for (const bool prior : {true, false}) {
      SCOPED_TRACE(fmt::format("{} {} {}", model, fmt::join(params, " "), prior));
      const VerifyProgress done = with_camera(model, params, prior);
      EXPECT_EQ(done.done, 6);
      EXPECT_EQ(done.left_out, 0);
      ASSERT_EQ(done.odd_rows.size(), 1U);
      const OddRow& odd = done.odd_rows[0];
      EXPECT_EQ(odd.row, "table cameras, camera_id 2");
      EXPECT_EQ(odd.use, RowUse::uncalibrated);
      EXPECT_EQ(odd.pairs, 3);
      EXPECT_FALSE(odd.reason.empty());
      EXPECT_EQ(odd.reason.find("camera 2"), std::string::npos) << odd.reason;
      expect_of_image_2(Configuration::uncalibrated);
    }
  }
}

// A lens with finite but absurd parameters moves the points anywhere; its pairs have no E.
TEST_F(OddRows, absurd_lenses_leave_F) {
  const VerifyProgress done = with_camera("SIMPLE_RADIAL", {1000, 640.5, 480.5, 1e12}, true);
  EXPECT_EQ(done.done, 6);
  expect_of_image_2(Configuration::uncalibrated);
}

TEST_F(OddRows, an_invalid_fisheye_has_only_degenerate_pairs) {
  const VerifyProgress done = with_camera("FISHEYE", {0, 0, 640.5, 480.5}, true);
  EXPECT_EQ(done.done, 6);
  expect_of_image_2(Configuration::degenerate);
}

TEST_F(OddRows, a_camera_without_an_image_size_is_valid) {
  const VerifyProgress done = verified("UPDATE cameras SET width = 0, height = -5");
  EXPECT_EQ(done.done, 6);
  EXPECT_TRUE(done.odd_rows.empty());
  expect_of_image_2(Configuration::calibrated);
}

// The principal point belongs to an image of twice the size.
TEST_F(OddRows, principal_points_at_the_border_are_reported) {
  const VerifyProgress done =
      verified("UPDATE cameras SET width = 640, height = 480 WHERE camera_id = 2");
  EXPECT_EQ(done.done, 6);
  ASSERT_EQ(done.odd_rows.size(), 1U);
  EXPECT_EQ(done.odd_rows[0].use, RowUse::as_it_is);
  EXPECT_EQ(done.odd_rows[0].pairs, 3);
  EXPECT_EQ(done.odd_rows[0].reason,
            "the principal point (640, 480) is far from the centre of 640 x 480 px: are these the "
            "intrinsics of another image size?");
}

TEST_F(OddRows, unusable_rows_are_left_out) {
  struct Case {
    const char *sql, *row, *reason;
  };
  const Case kCases[] = {
      {"DELETE FROM keypoints WHERE image_id = 2", "table keypoints, image_id 2",
       "has no keypoints"},
      {"UPDATE keypoints SET rows = 0, data = zeroblob(0) WHERE image_id = 2",
       "table keypoints, image_id 2", "has no keypoints"},
      {"UPDATE keypoints SET data = NULL WHERE image_id = 2", "table keypoints, image_id 2",
       "a blob of 0 bytes"},
      {"UPDATE keypoints SET data = zeroblob(31) WHERE image_id = 2", "table keypoints, image_id 2",
       "a blob of 31 bytes"},
      {"UPDATE keypoints SET cols = 3 WHERE image_id = 2", "table keypoints, image_id 2",
       "cols = 3"},
      {"UPDATE keypoints SET rows = 4611686018427387904 WHERE image_id = 2",
       "table keypoints, image_id 2", "a blob of"},
      {"DELETE FROM images WHERE image_id = 2", "table images, image_id 2",
       "there is no such image"},
      {"UPDATE images SET camera_id = 9 WHERE image_id = 2", "table images, image_id 2",
       "camera_id 9, there is no such camera"},
      {"UPDATE images SET camera_id = -3 WHERE image_id = 2", "table images, image_id 2",
       "camera_id is no number of a camera"},
      {"DELETE FROM cameras WHERE camera_id = 2", "table images, image_id 2",
       "camera_id 2, there is no such camera"},
      {"UPDATE cameras SET model = 17, params = zeroblob(16) WHERE camera_id = 2",
       "table cameras, camera_id 2", "model EQUIRECTANGULAR, which is not supported"},
      {"UPDATE cameras SET model = 99 WHERE camera_id = 2", "table cameras, camera_id 2",
       "model number 99"},
      {"UPDATE cameras SET model = 4294967297 WHERE camera_id = 2", "table cameras, camera_id 2",
       "model number -1"}};
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.sql);
    const VerifyProgress done = verified(c.sql);
    EXPECT_EQ(done.pairs, 6);
    EXPECT_EQ(done.done, 3);
    EXPECT_EQ(done.left_out, 3);
    ASSERT_EQ(done.odd_rows.size(), 1U);
    EXPECT_EQ(done.odd_rows[0].row, c.row);
    EXPECT_NE(done.odd_rows[0].reason.find(c.reason), std::string::npos) << done.odd_rows[0].reason;
    EXPECT_EQ(done.odd_rows[0].use, RowUse::left_out);
    EXPECT_EQ(done.odd_rows[0].pairs, 3);
    expect_of_image_2(std::nullopt);
  }
}

// Invalid matches in the first pair, in the last pair, and in a row without a pair.
TEST_F(OddRows, impossible_matches_are_left_out) {
  const auto expect_without = [&](const std::string& sql, Id a, Id b, const std::string& reason) {
    SCOPED_TRACE(sql);
    const VerifyProgress done = verified(sql);
    EXPECT_EQ(done.done, 5);
    EXPECT_EQ(done.left_out, 1);
    ASSERT_EQ(done.odd_rows.size(), 1U);
    EXPECT_NE(done.odd_rows[0].reason.find(reason), std::string::npos) << done.odd_rows[0].reason;
    EXPECT_FALSE(configuration(a, b));
    EXPECT_EQ(Database(folder / "a.db").geometry_rows().size(), 5U);
  };
  const std::string first = " WHERE pair_id = 2147483647 + 2",
                    last = " WHERE pair_id = 2147483647 * 3 + 4";
  expect_without("UPDATE matches SET rows = 1, data = x'e803000000000000'" + first, 1, 2,
                 "match 0 is of keypoints 1000 and 0, but the images have 180 and 180");
  expect_without("UPDATE matches SET rows = 2, data = x'0000000000000000000000000000ffff'" + last,
                 3, 4, "match 1 is of keypoints 0 and 4294901760");
  expect_without("UPDATE matches SET data = NULL" + first, 1, 2, "a blob of 0 bytes");
  expect_without("UPDATE matches SET data = zeroblob(7)" + last, 3, 4, "a blob of 7 bytes");
  expect_without("UPDATE matches SET cols = 4" + first, 1, 2, "cols = 4");
  expect_without("UPDATE matches SET rows = -1" + last, 3, 4, "rows = -1");
  const VerifyProgress none = verified(
      "INSERT INTO matches VALUES (5, 1, 2, zeroblob(8)); "
      "INSERT INTO matches VALUES (2147483647 * 2 + 2, 1, 2, zeroblob(8))");
  EXPECT_EQ(none.done, 6);
  EXPECT_EQ(none.left_out, 2);
  ASSERT_EQ(none.odd_rows.size(), 3U);
  EXPECT_EQ(none.odd_rows[0].row, "table matches, pair_id 4294967296");
  EXPECT_EQ(none.odd_rows[0].reason, "is no number of a pair");
  EXPECT_EQ(none.odd_rows[1].row,
            "table images, image_id 0");  // its pair is with image 5, which is missing as well
}

// The bytes and the messages are the same if the work is split into calls.
TEST_F(OddRows, are_reported_by_every_call_without_changes) {
  const VerifyProgress first = verified("DELETE FROM keypoints WHERE image_id = 3");
  const std::string bytes = read_file(folder / "a.db");
  Queue queue;
  const VerifyProgress again = colmap::verify(queue, folder / "a.db", {});
  EXPECT_EQ(again.verified_before, 3);
  EXPECT_EQ(again.done, 0);
  EXPECT_EQ(again.left_out, 3);
  ASSERT_EQ(again.odd_rows.size(), 1U);
  EXPECT_EQ(again.odd_rows[0].row, first.odd_rows.at(0).row);
  EXPECT_TRUE(read_file(folder / "a.db") == bytes);
  const VerifyProgress over = colmap::verify(queue, folder / "a.db", {.overwrite = true});
  EXPECT_EQ(over.done, 3);
  EXPECT_EQ(over.left_out, 3);
}

TEST_F(OddRows, in_all_pairs_give_no_geometry) {
  const VerifyProgress done = verified("DELETE FROM keypoints");
  EXPECT_EQ(done.done, 0);
  EXPECT_EQ(done.left_out, 6);
  EXPECT_EQ(Database(folder / "a.db").geometry_rows().size(), 0U);
  Queue queue;
  expect_error([&] { (void)colmap::verify(queue, folder / "none.db", {}); },
               "there is no such file");
}

// The camera with f = 0 from the field cases.
TEST(OddRowsOfTheField, contain_a_camera_without_a_focal_length) {
  BIFOCAL_NEEDS_DATA("field_cases");
  const TemporaryFolder folder;
  std::filesystem::copy_file(data("field_cases/focal_zero.db"), folder / "a.db");
  std::filesystem::permissions(folder / "a.db", std::filesystem::perms::owner_all);
  Queue queue;
  const VerifyProgress done = colmap::verify(queue, folder / "a.db", {});
  EXPECT_EQ(done.done, 2);
  EXPECT_EQ(done.left_out, 0);
  const Database db(folder / "a.db");
  EXPECT_EQ(db.geometry(1, 2)->configuration, Configuration::calibrated);
  EXPECT_EQ(db.geometry(1, 3)->configuration, Configuration::uncalibrated);
  EXPECT_TRUE(db.geometry(1, 3)->F);
}

}  // namespace
}  // namespace bifocal::test
