// SPDX-License-Identifier: BSD-3-Clause
// A work file that was damaged or changed is refused with its table and row, and no database
// is written.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bifocal/collect.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/rectify.hpp>

#include "collection/collect/feature_store.hpp"
#include "io/expect.hpp"
#include "raw_sqlite.hpp"
#include "support/data.hpp"
#include "support/texture.hpp"

namespace bifocal::test {
namespace {

constexpr int kWidth = 320, kHeight = 240, kViews = 3;

class ChangedWork : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder / "in");
    std::filesystem::create_directory(folder / "npz");
    const ImageU8 plane = texture(kWidth, kHeight, 5);
    for (int i = 0; i < kViews; ++i) {
      const double a = 0.03 * i;
      const ImageU8 view =
          warp(plane, {1 - a, a, 5.0 * i, -a, 1, 3.0 * i, 1e-4 * i, 5e-5 * i, 1}, kWidth, kHeight);
      const std::string name = std::to_string(i) + ".png";
      write_png(folder / ("in/" + name), view);
      const Features found = detect_sift(view, {.max_features = 100});
      NpyArray points{{found.size(), 2}, std::vector<float>()};
      for (const Keypoint& k : found.keypoints)
        std::get<std::vector<float>>(points.values)
            .insert(std::get<std::vector<float>>(points.values).end(), {k.x, k.y});
      const NpyArray values{{found.size(), kDescriptorBytes},
                            std::vector<float>(found.descriptors.begin(), found.descriptors.end())};
      write_npz(folder / ("npz/" + name + ".npz"),
                std::vector<NamedArray>{{"keypoints", points}, {"descriptors", values}});
    }
  }
  // Returns the work file of a run that stopped at the start of this stage.
  std::string stopped_at(const std::string& stage, CollectOptions options) {
    clear();
    options.progress = [&](const CollectProgress& p) {
      if (p.stage == stage) throw Error(ErrorCode::input, "stopped");
    };
    expect_error([&] { run(options); }, "stopped");
    EXPECT_FALSE(std::filesystem::exists(folder / "out.db.part-wal"));
    const std::string work = read_file(folder / "out.db.part");
    options.progress = {};
    EXPECT_NO_THROW(run(options));  // an unchanged work file is resumed
    return work;
  }
  void run(const CollectOptions& options) {
    Queue queue;
    const std::vector<std::string> in = {(folder / "in").string()};
    (void)collect(queue, list_photographs(in), folder / "out.db", options);
  }
  void refused(const std::string& work, const CollectOptions& options, const std::string& sql,
               const std::string& why) {
    SCOPED_TRACE(sql);
    clear();
    write_file(folder / "out.db.part", work);
    RawDatabase(folder / "out.db.part").run(sql);
    expect_error([&] { run(options); }, "out.db.part: " + why);
    EXPECT_FALSE(std::filesystem::exists(folder / "out.db"));
    EXPECT_FALSE(std::filesystem::exists(folder / "out.db.new"));
  }
  void clear() const {
    for (const char* name : {"out.db", "out.db-wal", "out.db-shm", "out.db.part", "out.db.part-wal",
                             "out.db.part-shm", "out.db.new"})
      std::filesystem::remove(folder / name);
  }
  TemporaryFolder folder;
};

TEST_F(ChangedWork, IsRefusedInGivenFeatures) {
  CollectOptions options;
  options.given.source = folder / "npz";
  const std::string work = stopped_at("matches", options);
  const auto wrong = [&](const std::string& sql, const std::string& why) {
    refused(work, options, sql, why);
  };
  wrong("UPDATE keypoints SET data = zeroblob(20) WHERE image_id = 2",
        "table keypoints, image_id 2: a blob of 20 bytes, 100 rows of 2 numbers");
  wrong("UPDATE keypoints SET rows = 1000000000 WHERE image_id = 2",
        "table keypoints, image_id 2: a blob of 800 bytes, 1000000000 rows");
  wrong("UPDATE keypoints SET rows = 10000000000", "table keypoints, image_id 1: 10000000000 rows");
  wrong("UPDATE keypoints SET rows = -1 WHERE image_id = 3",
        "table keypoints, image_id 3: -1 rows of a photograph that is done");
  wrong("DELETE FROM keypoints WHERE image_id = 1",
        "table keypoints, image_id 1: -1 rows of a photograph that is done");
  wrong("UPDATE keypoints SET data = CAST(x'0000c07f' || zeroblob(796) AS BLOB) WHERE image_id = 2",
        "table keypoints, image_id 2: keypoint 0 at (nan, -0.5)");
  for (const char* kind : {"-1 floats", "4097 floats", "128 words", "floats", "-1 bytes", "128"})
    wrong(fmt::format("UPDATE bifocal_collect SET value = '{}' WHERE name = 'state descriptors'",
                      kind),
          fmt::format("table bifocal_collect, state descriptors: '{}', must be 0 to 4096", kind));
  wrong("DELETE FROM bifocal_collect WHERE name = 'state descriptors'",
        "table descriptors, image_id 1: -1 of 100 keypoints");
  clear();
  write_file(folder / "out.db.part", work);
  RawDatabase(folder / "out.db.part")
      .run("UPDATE keypoints SET rows = 99, data = zeroblob(792) WHERE image_id = 2");
  expect_error([&] { run(options); },
               "1.png: has 100 features of 128 floats now, had 99 of 128 floats: its features have "
               "changed");
}

TEST_F(ChangedWork, IsRefusedInPhotographsAndTheirFeatures) {
  const CollectOptions options{.sift = {.max_features = 100}};
  const std::string work = stopped_at("matches", options);
  const auto wrong = [&](const std::string& sql, const std::string& why) {
    refused(work, options, sql, why);
  };
  wrong("UPDATE descriptors SET data = zeroblob(12700)",
        "table descriptors, image_id 1: a blob of 12700 bytes, 100 rows");
  wrong("UPDATE descriptors SET rows = 99, data = zeroblob(12672) WHERE image_id = 3",
        "table descriptors, image_id 3: 99 of 100 keypoints");
  wrong("UPDATE descriptors SET cols = 64, data = zeroblob(6400) WHERE image_id = 2",
        "table descriptors, image_id 2: 6400 bytes of 100 keypoints");
  wrong("UPDATE keypoints SET cols = 5", "table keypoints, image_id 1: cols = 5, can't be");
  wrong(
      "UPDATE keypoints SET data = CAST(x'0000000000000000' || x'0000807f' || "
      "zeroblob(1588) AS BLOB)",
      "table keypoints, image_id 1: keypoint 0 at (-0.5, -0.5) of scale inf");
  wrong("CREATE TRIGGER t AFTER UPDATE ON images BEGIN DELETE FROM matches; END",
        "t is none of its tables");
  wrong("ALTER TABLE images RENAME TO p; CREATE VIEW images AS SELECT * FROM p",
        "images is none of its tables");
  wrong("UPDATE images SET name = 'x' WHERE image_id = 2",
        "table images, image_id 2: is not 1.png");
  wrong("DELETE FROM images WHERE image_id = 3", "table images, image_id 3: is not 2.png");
  wrong("INSERT INTO images VALUES(9000, 'more.png', 1)", "table images, image_id 9000: is no");
  wrong("DELETE FROM cameras; INSERT INTO cameras VALUES(1, 77, 320, 240, x'', 0)",
        "table cameras");
  wrong("UPDATE bifocal_photographs SET image_id = 9000 WHERE image_id = 2",
        "table bifocal_photographs, image_id 2: 3 in its place");
  wrong("UPDATE bifocal_photographs SET reason = 'why' WHERE image_id = 2",
        "table keypoints, image_id 2: 100 rows of a photograph that is left out");
  wrong("UPDATE bifocal_photographs SET width = 0",
        "table bifocal_photographs, image_id 1: 0 x 240 px");
  wrong("UPDATE bifocal_photographs SET width = 4294967297 WHERE image_id = 2",
        "table bifocal_photographs, image_id 2: 4294967297 x 240 px");
  wrong("UPDATE bifocal_photographs SET focal_length = 0",
        "table bifocal_photographs, image_id 1: a focal length of 0 px");
  wrong("UPDATE bifocal_photographs SET latitude = 91, longitude = 0",
        "table bifocal_photographs, image_id 1: at 91, 0 degrees");
  wrong("UPDATE bifocal_photographs SET changed = zeroblob(9)",
        "table bifocal_photographs, image_id 1, changed: a blob of 9 bytes");
  wrong("UPDATE bifocal_photographs SET bytes = 1 WHERE image_id = 2",
        "unfinished run with other photographs: 1.png has changed since");
}

TEST_F(ChangedWork, IsRefusedInPairsAndTheirMatches) {
  const CollectOptions options{.sift = {.max_features = 100}};
  const std::string work = stopped_at("database", options);
  const auto wrong = [&](const std::string& sql, const std::string& why) {
    refused(work, options, sql, why);
  };
  const std::string one = "WHERE pair_id = 2147483649";  // images 1 and 2
  wrong("UPDATE matches SET rows = 1, data = x'ffffffff00000000' " + one,
        "table matches, pair_id 2147483649 (images 1 and 2): a match of features 4294967295 and 0");
  wrong("UPDATE two_view_geometries SET rows = 1, data = x'0000000064000000' " + one,
        "table two_view_geometries, pair_id 2147483649 (images 1 and 2): a match of features 0 and "
        "100");
  wrong("UPDATE matches SET data = zeroblob(12)", "table matches, pair_id 2147483649");
  wrong("UPDATE matches SET pair_id = 9000 " + one, "table matches, pair_id 9000: is no pair");
  wrong("UPDATE matches SET pair_id = 1 " + one, "table matches, pair_id 1: is no pair");
  wrong("UPDATE matches SET pair_id = 4294967299 + 2147483647 " + one, "table matches, pair_id");
  wrong("UPDATE matches SET pair_id = -1 " + one, "table matches, pair_id -1: is no number");
  wrong("UPDATE two_view_geometries SET config = 10 " + one,
        "table two_view_geometries, pair_id 2147483649 (images 1 and 2): configuration 10");
  wrong("UPDATE two_view_geometries SET H = zeroblob(71) " + one,
        "table two_view_geometries, pair_id 2147483649 (images 1 and 2), H: a blob of 71 bytes");
  wrong(
      "UPDATE two_view_geometries SET F = CAST(zeroblob(70) || x'f07f' AS BLOB) " + one,
      "table two_view_geometries, pair_id 2147483649 (images 1 and 2): its geometry is not finite");
  wrong("DELETE FROM matches " + one, "table two_view_geometries, pair_id 2147483649: is no pair");
  wrong("INSERT INTO bifocal_screened VALUES(7, 1)",
        "table bifocal_screened, pair_id 7: is no pair");
  wrong("INSERT INTO bifocal_screened VALUES(4294967297, -1)", "table bifocal_screened, pair_id");
  wrong("UPDATE bifocal_collect SET value = 'all' WHERE name = 'state screened photographs'",
        "table bifocal_collect, state screened photographs: 'all', must be a number");
}

// Features that stay in memory equal the features read back from the database bit by bit, so a
// resumed run computes with the same numbers.
TEST(FeatureStore, equals_the_database) {
  const TemporaryFolder folder;
  const ImageU8 image = texture(kWidth, kHeight, 7);
  for (const bool affine : {false, true}) {
    SCOPED_TRACE(affine);
    const std::filesystem::path file = folder / fmt::format("{}.db", affine);
    collection::WorkDatabase::create(file, {});
    collection::WorkDatabase work(file, colmap::Access::write);
    const Features found = detect_sift(image, {.max_features = 200, .affine_shape = affine});
    const collection::ImageFeatures rows{
        colmap::keypoints_of(found), colmap::descriptors_of(found.descriptors), {}};
    collection::PhotographRow row;
    row.name = "a.png", row.state = collection::PhotographState::done, row.features = found.size();
    work.add(colmap::ModelCamera{1, 1, kWidth, kHeight, {1, 1, 1, 1}, false});
    work.add(row, {collection::image_id(0), row.name, 1}, rows);
    const Features stored = work.features(0);
    collection::FeatureStore roomy(1 << 20), full(1);
    roomy.add(0, rows), full.add(0, rows);
    int moved = 0;
    for (const collection::FeatureStore* store : {&roomy, &full}) {
      const std::shared_ptr<const Features> kept = store->get(0, work);
      ASSERT_EQ(kept->size(), stored.size());
      EXPECT_EQ(kept->descriptors, stored.descriptors);
      for (std::size_t i = 0; i < stored.keypoints.size(); ++i) {
        const Keypoint &a = kept->keypoints[i], &b = stored.keypoints[i];
        EXPECT_TRUE(a.x == b.x && a.y == b.y && a.sigma == b.sigma) << i;
        moved += a.x != found.keypoints[i].x;
      }
    }
    EXPECT_GT(moved, 0);  // some are rounded by the file
    EXPECT_EQ(roomy.get(0, work), roomy.get(0, work));
    EXPECT_NE(full.get(0, work), full.get(0, work));
  }
}

}  // namespace
}  // namespace bifocal::test
