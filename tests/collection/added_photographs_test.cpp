// SPDX-License-Identifier: BSD-3-Clause
// Photographs that are added to a finished database or to an interrupted run cost only their own
// pairs; changed and missing photographs are reported.
#include <bifocal/collect.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/rectify.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "collection/raw_sqlite.hpp"
#include "io/expect.hpp"
#include "support/data.hpp"
#include "support/devices.hpp"
#include "support/texture.hpp"

namespace bifocal::test {
namespace {

namespace fs = std::filesystem;

// A growing collection: named views of one plane.
class AddedPhotographs : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directory(folder / "in"); }
  void add(const std::string& name, int view) const {
    const double a = 0.03 * view;
    write_png(folder / ("in/" + name),
              warp(plane, {1 - a, a, 6.0 * view, -a, 1, 3.0 * view, 1e-4 * view, 5e-5 * view, 1},
                   400, 300));
  }
  CollectResult run(const CollectOptions& options = {}) const {
    Queue queue;
    const std::vector<std::string> in = {(folder / "in").string()};
    return collect(queue, list_photographs(in), folder / "out.db", options);
  }
  // Returns the number of inliers of each verified pair, by the names of its photographs.
  std::map<std::string, std::int64_t> inliers() const {
    const colmap::Database database(folder / "out.db");
    std::map<colmap::Id, std::string> names;
    for (const colmap::Image& image : database.images()) names[image.id] = image.name;
    std::map<std::string, std::int64_t> all;
    for (const colmap::PairRows& row : database.geometry_rows())
      all[std::min(names[row.image1], names[row.image2]) + " " +
          std::max(names[row.image1], names[row.image2])] = row.rows;
    return all;
  }
  TemporaryFolder folder;
  const ImageU8 plane = texture(400, 300, 5);
};

TEST_F(AddedPhotographs, cost_only_their_own_pairs_in_a_finished_database) {
  for (const PairChoice choice : {PairChoice::all, PairChoice::exhaustive}) {
    for (const auto& f : fs::directory_iterator(folder / "in")) fs::remove(f.path());
    CollectOptions options{.pairs = choice, .overwrite = true};
    add("b.png", 0), add("d.png", 1), add("f.png", 2);
    EXPECT_EQ(run(options).pairs, 3);
    const auto before = inliers();
    add("a.png", 3), add("e.png", 4);
    options.overwrite = false;
    std::int64_t matched = 0, detected = 0;
    options.progress = [&](const CollectProgress& p) {
      if (p.stage == "features") detected = p.done - p.before;
      if (p.stage == "matches") matched = p.done - p.before;
    };
    const CollectResult result = run(options);
    EXPECT_FALSE(result.was_complete);
    EXPECT_EQ(result.images, 5);
    EXPECT_EQ(result.pairs, 10);
    EXPECT_EQ(result.verified, 10);
    EXPECT_EQ(detected, 2);
    EXPECT_EQ(matched, 7);
    ASSERT_EQ(result.notes.size(), 1U);
    EXPECT_NE(result.notes[0].find("2 photographs are new"), std::string::npos);
    const auto after = inliers();
    for (const auto& [pair, count] : before) EXPECT_EQ(after.at(pair), count) << pair;
    EXPECT_TRUE(run(options).was_complete);
    EXPECT_FALSE(fs::exists(folder / "out.db.part"));
    // Image numbers follow the order of addition; the features are the same.
    options.overwrite = true;
    (void)run(options);
    EXPECT_EQ(inliers().size(), after.size());
    for (const auto& [pair, count] : inliers())
      EXPECT_NEAR(double(count), double(after.at(pair)), 0.1 * double(count)) << pair;
  }
}

// Names are sorted over all photographs, not in the order of addition.
TEST_F(AddedPhotographs, are_neighbours_of_adjacent_names) {
  const CollectOptions options{
      .pairs = PairChoice::sequential, .sequential = {1, false}, .loop_period = 0};
  add("1.png", 0), add("3.png", 1), add("5.png", 2);
  EXPECT_EQ(run(options).pairs, 2);
  add("2.png", 3);
  EXPECT_EQ(run(options).pairs, 4);
  const auto pairs = inliers();
  for (const char* pair : {"1.png 2.png", "2.png 3.png", "1.png 3.png", "3.png 5.png"})
    EXPECT_TRUE(pairs.contains(pair)) << pair;
}

TEST_F(AddedPhotographs, have_the_same_bytes_after_interruptions) {
  for (int i = 0; i < 4; ++i) add(fmt::format("{}.png", 2 * i), i);
  (void)run();
  const std::string first = read_file(folder / "out.db");
  for (int i = 0; i < 3; ++i) add(fmt::format("{}.png", 2 * i + 1), 4 + i);
  int told = 0;
  CollectOptions counted;
  counted.progress = [&](const CollectProgress&) { ++told; };
  (void)run(counted);
  const std::string expected = read_file(folder / "out.db");
  EXPECT_GT(told, 6);
  for (int stop = 0; stop < told; ++stop) {
    // Restores the database from before photographs were added.
    write_file(folder / "out.db", first);
    fs::last_write_time(folder / "out.db", fs::last_write_time(folder / "in/6.png"));
    CollectOptions stopped;
    int calls = 0;
    stopped.progress = [&](const CollectProgress&) {
      if (calls++ == stop) throw Error(ErrorCode::input, "stopped");
    };
    try {
      (void)run(stopped);
    } catch (const Error& e) {
      EXPECT_STREQ(e.what(), "stopped");
    }
    (void)run();
    EXPECT_TRUE(read_file(folder / "out.db") == expected) << stop;
  }
}

// Photographs are also added to an interrupted run.
TEST_F(AddedPhotographs, join_an_interrupted_run) {
  for (int i = 0; i < 4; ++i) add(fmt::format("{}.png", i), i);
  CollectOptions stopped;
  stopped.progress = [](const CollectProgress& p) {
    if (p.stage == "database") throw Error(ErrorCode::input, "stopped");
  };
  expect_error([&] { (void)run(stopped); }, "stopped");
  add("0.5.png", 4);
  const CollectResult result = run();
  EXPECT_TRUE(result.resumed);
  EXPECT_EQ(result.images, 5);
  EXPECT_EQ(result.verified, 10);
}

TEST_F(AddedPhotographs, are_refused_if_existing_photographs_changed) {
  add("a.png", 0), add("b.png", 1);
  (void)run();
  const std::string bytes = read_file(folder / "out.db");
  const auto made = fs::last_write_time(folder / "out.db");
  add("c.png", 2);
  const std::string a = read_file(folder / "in/a.png");
  fs::remove(folder / "in/a.png");
  expect_error([&] { (void)run(); }, "a.png was among its photographs");
  write_file(folder / "in/a.png", a + "x");
  fs::last_write_time(folder / "in/a.png", made - std::chrono::hours(1));
  expect_error([&] { (void)run(); }, "a.png has changed since");
  std::string other = a;
  other[other.size() / 2] ^= 1;
  write_file(folder / "in/a.png", other);
  fs::last_write_time(folder / "in/a.png", made - std::chrono::hours(1));
  expect_error([&] { (void)run(); }, "a.png has changed since");
  EXPECT_TRUE(read_file(folder / "out.db") == bytes);
  EXPECT_FALSE(fs::exists(folder / "out.db.part"));
  // Equal bytes with another date are the same photograph.
  write_file(folder / "in/a.png", a);
  EXPECT_EQ(run().images, 3);
}

TEST_F(AddedPhotographs, with_equal_bytes_and_other_dates_are_unchanged) {
  add("a.png", 0), add("b.png", 1);
  (void)run();
  const std::string bytes = read_file(folder / "out.db");
  for (const char* name : {"a.png", "b.png"}) {
    const std::string own = read_file(folder / "in" / name);
    fs::remove(folder / "in" / name);
    write_file(folder / "in" / name, own);
  }
  EXPECT_TRUE(run().was_complete);
  EXPECT_TRUE(read_file(folder / "out.db") == bytes);
  // An interrupted run behaves likewise.
  fs::remove(folder / "out.db");
  CollectOptions stopped;
  stopped.progress = [](const CollectProgress& p) {
    if (p.stage == "matches") throw Error(ErrorCode::input, "stopped");
  };
  expect_error([&] { (void)run(stopped); }, "stopped");
  write_file(folder / "in/b.png", read_file(folder / "in/b.png"));
  EXPECT_TRUE(run().resumed);
  EXPECT_TRUE(read_file(folder / "out.db") == bytes);
}

// Cameras of images in the database, in order.
std::vector<colmap::Id> cameras_of(const fs::path& file) {
  std::vector<colmap::Id> cameras;
  for (const colmap::Image& image : colmap::Database(file).images())
    cameras.push_back(image.camera_id);
  return cameras;
}

TEST_F(AddedPhotographs, share_unknown_cameras_as_the_database_does) {
  for (const bool is_old : {false, true}) {
    for (const auto& f : fs::directory_iterator(folder / "in")) fs::remove(f.path());
    add("b.png", 0), add("d.png", 1);
    (void)run({.overwrite = true});
    EXPECT_EQ(cameras_of(folder / "out.db"), (std::vector<colmap::Id>{1, 1}));
    if (is_old) {  // as made by a version that gave each photograph a camera
      RawDatabase raw(folder / "out.db");
      raw.run("DELETE FROM bifocal_collect WHERE name = 'state unknown cameras'");
      raw.run("UPDATE bifocal_photographs SET camera = ''");
      raw.run(
          "INSERT INTO cameras SELECT 2, model, width, height, params, prior_focal_length "
          "FROM cameras");
      raw.run("UPDATE images SET camera_id = image_id");
    }
    add("f.png", 2);
    (void)run();
    EXPECT_EQ(cameras_of(folder / "out.db"),
              is_old ? (std::vector<colmap::Id>{1, 2, 3}) : (std::vector<colmap::Id>{1, 1, 1}));
  }
}

TEST_F(AddedPhotographs, keep_a_camera_each) {
  const CollectOptions options{.cameras = {.sharing = CameraSharing::each}};
  add("b.png", 0), add("d.png", 1);
  (void)run(options);
  add("f.png", 2);
  (void)run(options);
  EXPECT_EQ(cameras_of(folder / "out.db"), (std::vector<colmap::Id>{1, 2, 3}));
}

// A division of a finished database is taken back before photographs are added.
TEST_F(AddedPhotographs, follow_a_division_of_unknown_cameras) {
  add("b.png", 0), add("d.png", 1), add("f.png", 2);
  (void)run({.overwrite = true});
  {
    RawDatabase raw(folder / "out.db");
    raw.run(
        "INSERT INTO cameras SELECT 2, model, width, height, params, prior_focal_length "
        "FROM cameras");
    raw.run("UPDATE images SET camera_id = 2 WHERE image_id > 1");
  }
  add("h.png", 3);
  (void)run();
  EXPECT_EQ(cameras_of(folder / "out.db"), (std::vector<colmap::Id>{1, 1, 1, 1}));
  EXPECT_EQ(colmap::Database(folder / "out.db").cameras().size(), 1U);
}

}  // namespace
}  // namespace bifocal::test
