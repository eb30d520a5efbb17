// SPDX-License-Identifier: BSD-3-Clause
// A work file that was damaged or changed is refused with table and row, and no database is made.
#include <gtest/gtest.h>

#include <bifocal/collect.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/npz.hpp>
#include <bifocal/rectify.hpp>

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
  // The work file of a run that stopped at the start of this stage.
  std::string stopped_at(const std::string& stage, CollectOptions options) {
    clear();
    options.progress = [&](const CollectProgress& p) {
      if (p.stage == stage) throw Error(ErrorCode::input, "stopped");
    };
    expect_error([&] { run(options); }, "stopped");
    EXPECT_FALSE(std::filesystem::exists(folder / "out.db.part-wal"));
    const std::string work = read_file(folder / "out.db.part");
    options.progress = {};
    EXPECT_NO_THROW(run(options));  // as it is it can be gone on with
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

// Heavier than what it says: these wrote past a buffer of the size that `keypoints` has.
TEST_F(ChangedWork, GivenFeatures) {
  CollectOptions options;
  options.given.source = folder / "npz";
  const std::string work = stopped_at("matches", options);
  const auto wrong = [&](const std::string& sql, const std::string& why) {
    refused(work, options, sql, why);
  };
  wrong("UPDATE features SET descriptors = zeroblob(40 * length(descriptors)) WHERE number = 1",
        "table photographs, number 1: 100 features, but table features has 2000, 2048000 and 0 "
        "bytes");
  wrong("UPDATE features SET descriptors = zeroblob(512) WHERE number = 2",
        "table photographs, number 2: 100 features");
  wrong("UPDATE features SET keypoints = zeroblob(20)",
        "table photographs, number 0: 100 features");
  wrong("UPDATE features SET shapes = zeroblob(7)", "table photographs, number 0: 100 features");
  wrong("UPDATE photographs SET features = 1000000000 WHERE number = 1",
        "table photographs, number 1: 1000000000 features");
  wrong("UPDATE photographs SET features = -1", "table photographs, number 0: -1 features");
  wrong("DELETE FROM features WHERE number = 0", "table photographs, number 0: 100 features");
  wrong(
      "UPDATE features SET keypoints = CAST(x'0000c07f' || zeroblob(1996) AS BLOB) "
      "WHERE number = 1",
      "table features, number 1: keypoint 0 at (nan, 0)");
  wrong("UPDATE settings SET value = x'0000000100000000' WHERE name = 'descriptors given'",
        "table settings, descriptors given: must be 1 to 4096 numbers");
  wrong("UPDATE settings SET value = x'8000000002000000' WHERE name = 'descriptors given'",
        "table settings, descriptors given: must be 1 to 4096 numbers");
  wrong("UPDATE settings SET value = x'8000000001000000' WHERE name = 'descriptors given'",
        "table photographs, number 0: 100 features");  // bytes, not floats
  wrong("DELETE FROM settings WHERE name = 'descriptors given'",
        "table photographs, number 0: 100 features");
}

TEST_F(ChangedWork, PhotographsAndTheirFeatures) {
  const CollectOptions options{.sift = {.max_features = 100}};
  const std::string work = stopped_at("matches", options);
  const auto wrong = [&](const std::string& sql, const std::string& why) {
    refused(work, options, sql, why);
  };
  wrong("UPDATE features SET descriptors = zeroblob(12700)",
        "table photographs, number 0: 100 features");
  wrong("UPDATE features SET keypoints = x'', descriptors = x'' WHERE number = 2",
        "table photographs, number 2: 100 features, but table features has 0, 0 and 0 bytes");
  wrong("UPDATE features SET shapes = CAST(x'0000807f' || zeroblob(1196) AS BLOB)",
        "table features, number 0: a shape is not finite");
  wrong("CREATE TRIGGER t AFTER UPDATE ON photographs BEGIN DELETE FROM pairs; END",
        "t is none of its tables");
  wrong("ALTER TABLE photographs RENAME TO p; CREATE VIEW photographs AS SELECT * FROM p",
        "photographs is none of its tables");
  wrong("UPDATE photographs SET state = 3 WHERE number = 1",
        "table photographs, number 1: state 3");
  wrong("UPDATE photographs SET state = 0 WHERE number = 1",
        "table photographs, number 1: 100 features");
  wrong("UPDATE photographs SET number = 9000 WHERE number = 2",
        "table photographs, number 2: number 9000 in its place");
  wrong("UPDATE photographs SET width = 0", "table photographs, number 0: 0 x 240 px");
  wrong("UPDATE photographs SET width = 4294967297 WHERE number = 1",
        "table photographs, number 1: 4294967297 x 240 px");
  wrong("UPDATE photographs SET numbers = zeroblob(23)",
        "table photographs, number 0, numbers: a blob of 23 bytes");
  wrong("UPDATE photographs SET numbers = zeroblob(24)",
        "table photographs, number 0: a focal length of 0 px");
}

TEST_F(ChangedWork, PairsAndTheirMatches) {
  const CollectOptions options{.sift = {.max_features = 100}};
  const std::string work = stopped_at("database", options);
  const auto wrong = [&](const std::string& sql, const std::string& why) {
    refused(work, options, sql, why);
  };
  wrong("UPDATE pairs SET matches = x'ffffffff00000000' WHERE id = 1",
        "table pairs, photographs 0 and 1, matches: a match of features 4294967295 and 0");
  wrong("UPDATE pairs SET inliers = x'0000000064000000' WHERE id = 2",
        "table pairs, photographs 0 and 2, inliers: a match of features 0 and 100");
  wrong("UPDATE pairs SET matches = zeroblob(12)",
        "table pairs, photographs 0 and 1, matches: a blob of 12 bytes");
  wrong("UPDATE pairs SET id = 9000 WHERE id = 1",
        "table pairs, id 9000: is no pair of photographs");
  wrong("UPDATE pairs SET id = 4294967297 WHERE id = 1",
        "table pairs, id 4294967297: is no pair of photographs");
  wrong("UPDATE pairs SET id = -1 WHERE id = 1", "table pairs, id -1: is no pair of photographs");
  wrong("UPDATE pairs SET configuration = 10",
        "table pairs, photographs 0 and 1: configuration 10");
  wrong("UPDATE pairs SET H = zeroblob(71)",
        "table pairs, photographs 0 and 1, H: a blob of 71 bytes");
  wrong("UPDATE pairs SET F = CAST(zeroblob(70) || x'f07f' AS BLOB)",
        "table pairs, photographs 0 and 1: its geometry is not finite");
  wrong("UPDATE pairs SET pose = zeroblob(72)",
        "table pairs, photographs 0 and 1, pose: a blob of 72 bytes");
  wrong("UPDATE settings SET value = CAST(value || x'00' AS BLOB) WHERE name = 'pairs chosen'",
        "table settings, pairs chosen: a blob of 25 bytes");
  wrong("UPDATE settings SET value = x'0000000028230000' WHERE name = 'pairs chosen'",
        "table settings, pairs chosen: [0] = (0, 9000)");
  wrong("UPDATE settings SET value = x'0100000000000000' WHERE name = 'pairs chosen'",
        "table settings, pairs chosen: [0] = (1, 0)");
  wrong("UPDATE settings SET value = x'01000000' WHERE name = 'pairs chosen'",
        "table settings, pairs chosen: 1 numbers");
}

TEST_F(ChangedWork, ListsOfRetrieval) {
  CollectOptions options;
  options.sift.max_features = 100;
  options.pairs = PairChoice::retrieval;
  options.partners = 2;
  const std::string work = stopped_at("matches", options);
  refused(work, options, "UPDATE settings SET value = x'' WHERE name = 'most alike'",
          "table settings, most alike: 0 numbers, must be 2 of each of 3 photographs");
  refused(work, options,
          "UPDATE settings SET value = CAST(substr(value, 1, 20) || x'03000000' AS BLOB) "
          "WHERE name = 'most alike'",
          "table settings, most alike: 6 numbers");
}

}  // namespace
}  // namespace bifocal::test
