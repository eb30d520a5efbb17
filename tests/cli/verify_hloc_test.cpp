// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/colmap/database.hpp>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "cli/process.hpp"
#include "cli/small_disk.hpp"
#include "collection/hloc_writer.hpp"
#include "synthetic/two_view_scenes.hpp"

namespace bifocal::test {
namespace {

TEST(Cli, verify_takes_files_of_hloc) {
  const TemporaryFolder folder;
  std::mt19937_64 random(1);
  std::vector<float> xy[2];
  std::vector<int> matches0;
  for (const PointPair& p : synthetic::make_scene({.points = 80, .inliers = 0.8}, random).points) {
    matches0.push_back(static_cast<int>(matches0.size()));
    xy[0].insert(xy[0].end(), {float(p.x1), float(p.y1)});
    xy[1].insert(xy[1].end(), {float(p.x2), float(p.y2)});
  }
  {
    HlocWriter features(folder / "f.h5"), matches(folder / "m.h5");
    features.features("a/1.jpg", xy[0], H5T_IEEE_F32LE);
    features.features("a/2.jpg", xy[1], H5T_IEEE_F32LE);
    matches.matches("a-1.jpg/a-2.jpg", matches0, H5T_STD_I16LE);
  }
  write_file(folder / "p.txt", "a/2.jpg a/1.jpg\n");
  const std::string given = "verify --features f.h5 --matches m.h5 ";
  const Ran r = run(folder, given + "--pairs p.txt --database o.db --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const auto j = nlohmann::json::parse(r.out);
  EXPECT_EQ(j["configurations"]["uncalibrated"], 1);
  EXPECT_EQ(j["database"], "o.db");
  const colmap::Database db(folder / "o.db");
  EXPECT_EQ(db.matches(1, 2)->size(), 80U);
  EXPECT_GE(db.geometry(1, 2)->inliers.size(), 60U);
  EXPECT_EQ(listing(folder.path()),
            (std::vector<std::string>{"f.h5", "m.h5", "o.db", "o.db-shm", "o.db-wal", "p.txt"}));

  for (const char* wrong : {"--pairs p.txt", "--database o.db", "o.db --pairs p.txt"})
    EXPECT_EQ(run(folder, given + wrong).code, 2) << wrong;
  EXPECT_EQ(run(folder, "verify --matches m.h5 --database o.db").code, 2);
  EXPECT_EQ(run(folder, "verify o.db --database o.db").code, 2);
}

// The disk may be full at any moment of the import or after it; a later run has enough space.
TEST(Cli, verify_of_hloc_resumes_after_a_full_disk) {
  SmallDisk disk;
  if (!disk.refused().empty()) GTEST_SKIP() << "no small disk can be mounted: " << disk.refused();
  const TemporaryFolder& folder = disk.folder();
  constexpr int kImages = 12, kMatches = 30;
  std::mt19937_64 random(1);
  std::vector<std::vector<float>> xy(kImages);
  std::string pairs;
  {
    HlocWriter matches(folder / "m.h5");
    for (int a = 0; a < kImages; ++a) {
      for (int b = a + 1; b < kImages; ++b) {
        std::vector<int> matches0(kImages * kMatches, -1);
        for (const PointPair& p :
             synthetic::make_scene({.points = kMatches, .inliers = 0.9}, random).points) {
          matches0[xy[a].size() / 2] = static_cast<int>(xy[b].size() / 2);
          xy[a].insert(xy[a].end(), {float(p.x1), float(p.y1)});
          xy[b].insert(xy[b].end(), {float(p.x2), float(p.y2)});
        }
        matches0.resize((kImages - 1) * kMatches);
        matches.matches(fmt::format("{}.jpg/{}.jpg", a, b), matches0, H5T_STD_I16LE);
        pairs += fmt::format("{}.jpg {}.jpg\n", a, b);
      }
    }
    HlocWriter features(folder / "f.h5");
    for (int a = 0; a < kImages; ++a)
      features.features(fmt::format("{}.jpg", a), xy[a], H5T_IEEE_F32LE);
  }
  write_file(folder / "p.txt", pairs);
  const std::string given = "verify --features f.h5 --matches m.h5 --pairs p.txt --database ";
  ASSERT_EQ(run(folder, given + "whole.db").code, 0);
  int told = 0;
  for (const std::int64_t room : {4, 40, 80, 120, 160, 200, 240}) {
    disk.clear(room);
    const Ran r = run(folder, given + "disk/a.db");
    if (r.code != 0) {
      ++told;
      EXPECT_EQ(r.code, 3) << r.err;
      EXPECT_NE(r.err.find("disk/a.db"), std::string::npos) << r.err;
      EXPECT_NE(r.err.find("no space left on its disk"), std::string::npos) << r.err;
    }
    disk.grow(64 << 10);
    const Ran again = run(folder, given + "disk/a.db");
    EXPECT_EQ(again.code, 0) << room << ": " << again.err;
    const auto rows = colmap::Database(folder / "disk/a.db").geometry_rows();
    const auto expected = colmap::Database(folder / "whole.db").geometry_rows();
    ASSERT_EQ(rows.size(), expected.size()) << room;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      EXPECT_EQ(rows[k].rows, expected[k].rows);
      EXPECT_EQ(rows[k].configuration, expected[k].configuration);
    }
  }
  EXPECT_GE(told, 3);
}

}  // namespace
}  // namespace bifocal::test
