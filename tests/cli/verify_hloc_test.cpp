// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/colmap.hpp>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "cli/process.hpp"
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

}  // namespace
}  // namespace bifocal::test
