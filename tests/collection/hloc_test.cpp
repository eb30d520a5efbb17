// SPDX-License-Identifier: BSD-3-Clause
// Reads hloc's files, and imports and verifies them in one pass.
#include <bifocal/error.hpp>
#include <bifocal/colmap/hloc.hpp>
#include <bifocal/io.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "hloc_writer.hpp"
#include "io/expect.hpp"
#include "support/data.hpp"
#include "synthetic/two_view_scenes.hpp"

namespace bifocal::test {
namespace {

using colmap::Configuration, colmap::Database, colmap::IndexPair, colmap::VerifyProgress;

TEST(Hloc, ReadsKeypointsOfEveryFloatType) {
  const TemporaryFolder folder;
  // Values of binary16: every exponent, subnormal numbers and 0.
  std::vector<float> numbers = {0, -0.0F, 65504, -2047, 2048, 1023.5F};
  for (int e = -24; e < 16; ++e) numbers.push_back(std::ldexp(1.0F, e));
  for (int e = -14; e < 16; ++e) numbers.push_back(std::ldexp(1 + 1023 / 1024.0F, e));
  const hid_t half = half_type();
  {
    HlocWriter file(folder / "f.h5");
    file.features("db/1.jpg", numbers, half);
    file.features("query/a.jpg", numbers, H5T_IEEE_F32LE);
    file.features("z.jpg", numbers, H5T_IEEE_F64LE);
    file.features("empty.jpg", {}, half);
  }
  H5Tclose(half);
  const hloc::FeatureFile file(folder / "f.h5");
  EXPECT_EQ(file.names(),
            (std::vector<std::string>{"db/1.jpg", "empty.jpg", "query/a.jpg", "z.jpg"}));
  for (const char* name : {"db/1.jpg", "query/a.jpg", "z.jpg"}) {
    const std::vector<Vec2> points = file.keypoints(name);
    ASSERT_EQ(points.size(), numbers.size() / 2);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      ASSERT_EQ(points[i / 2][i % 2], double(numbers[i])) << name << i;
  }
  EXPECT_TRUE(file.keypoints("empty.jpg").empty());
  EXPECT_EQ(file.image_size("z.jpg"), (std::array<std::int64_t, 2>{1280, 960}));
  EXPECT_FALSE(file.contains("db"));
}

TEST(Hloc, ReadsMatchesInEveryOrderAndSpelling) {
  const TemporaryFolder folder;
  {
    HlocWriter file(folder / "m.h5");
    file.matches("db-1.jpg/b.jpg", {2, -1, 0}, H5T_STD_I16LE);
    file.matches("b.jpg_c.jpg", {-1, 70000}, H5T_STD_I32LE);
    file.matches("b.jpg/d.jpg", {-25536}, H5T_STD_I16LE);
    file.matches("c.jpg/d.jpg", {-1, 300}, H5T_STD_I16BE);
    file.matches("c.jpg/e.jpg", {-1, 300}, H5T_STD_I64LE);
  }
  const hloc::MatchFile file(folder / "m.h5");
  const std::vector<IndexPair> forward = {{0, 2}, {2, 0}}, back = {{2, 0}, {0, 2}};
  EXPECT_EQ(*file.matches("db/1.jpg", "b.jpg"), forward);
  EXPECT_EQ(*file.matches("b.jpg", "db/1.jpg"), back);
  EXPECT_EQ(*file.matches("c.jpg", "b.jpg"), (std::vector<IndexPair>{{70000, 1}}));
  for (const char* other : {"d.jpg", "e.jpg"})
    EXPECT_EQ(*file.matches("c.jpg", other), (std::vector<IndexPair>{{1, 300}}));
  EXPECT_FALSE(file.matches("b.jpg", "e.jpg"));
  expect_error([&] { (void)file.matches("b.jpg", "d.jpg"); },
               "b.jpg/d.jpg/matches0: [0] = -25536, must be an index or -1");
}

TEST(Hloc, DamageIsNamed) {
  const TemporaryFolder folder;
  const auto refused = [&](const auto& body, const std::string& part) { expect_error(body, part); };
  refused([&] { hloc::FeatureFile{folder / "none.h5"}; }, "there is no such file");
  write_file(folder / "text.h5", "no HDF5");
  refused([&] { hloc::MatchFile{folder / "text.h5"}; }, "text.h5: is no HDF5 file");
  {
    HlocWriter file(folder / "f.h5");
    const std::vector<float> three = {1, 2, 3};
    file.write("a/keypoints", H5T_NATIVE_FLOAT, H5T_IEEE_F32LE, three.data(), {1, 3});
    file.write("b/keypoints", H5T_NATIVE_FLOAT, H5T_IEEE_F32LE, three.data(), {3});
    file.features("c", {1, 2}, H5T_IEEE_F32LE);
    const std::vector<int> none = {0, 5};
    file.write("d/keypoints", H5T_NATIVE_FLOAT, H5T_IEEE_F32LE, three.data(), {1, 2});
    file.write("d/image_size", H5T_NATIVE_INT, H5T_STD_I64LE, none.data(), {2});
    file.write("a/c/matches0", H5T_NATIVE_FLOAT, H5T_IEEE_F32LE, three.data(), {3});
  }
  const hloc::FeatureFile file(folder / "f.h5");
  refused([&] { (void)file.keypoints("a"); }, "a/keypoints: shape [1, 3], must be [N, 2]");
  refused([&] { (void)file.keypoints("b"); }, "b/keypoints: shape [3, 0]");
  refused([&] { (void)file.keypoints("x"); }, "f.h5: has no x/keypoints");
  refused([&] { (void)file.image_size("a"); }, "has no a/image_size");
  refused([&] { (void)file.image_size("d"); }, "d/image_size: 0 x 5 px, must be 1 to 1048576");
  refused([&] { (void)hloc::MatchFile(folder / "f.h5").matches("a", "c"); },
          "a/c/matches0: is no array of whole numbers");
  {
    HlocWriter both(folder / "g.h5");
    both.features("a/b.jpg", {1, 2}, H5T_IEEE_F32LE);
    both.features("a-b.jpg", {1, 2}, H5T_IEEE_F32LE);
  }
  refused([&] { hloc::FeatureFile{folder / "g.h5"}; }, "have the same name in a file of matches");
  const std::string whole = read_file(folder / "f.h5");
  for (std::size_t size = 1; size < whole.size(); size += 97) {
    write_file(folder / "cut.h5", whole.substr(0, size));
    EXPECT_THROW(
        {
          const hloc::FeatureFile cut(folder / "cut.h5");
          for (const std::string& name : cut.names()) (void)cut.keypoints(name);
        },
        Error);
  }
}

// Images of one camera, with names in folders as in hloc; every third pair shows a scene.
std::string name_of(unsigned i) { return "db/" + std::to_string(i) + ".jpg"; }
void write_files(const TemporaryFolder& folder, unsigned images) {
  std::vector<std::vector<float>> points(images);
  std::vector<std::vector<std::pair<int, int>>> matches;
  std::string pairs;
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < images; ++i) {
    for (unsigned j = i + 1; j < images; ++j) {
      matches.emplace_back();
      for (const PointPair& p :
           synthetic::make_scene({.points = 40, .inliers = (i + j) % 3 ? 0 : 0.9}, random).points) {
        matches.back().emplace_back(points[i].size() / 2, points[j].size() / 2);
        points[i].insert(points[i].end(), {float(p.x1), float(p.y1)});
        points[j].insert(points[j].end(), {float(p.x2), float(p.y2)});
      }
      pairs += name_of(j) + " " + name_of(i) + "\n";
    }
  }
  write_file(folder / "pairs.txt", pairs);
  HlocWriter features(folder / "f.h5"), file(folder / "m.h5");
  for (unsigned i = 0; i < images; ++i) features.features(name_of(i), points[i], H5T_IEEE_F32LE);
  auto pair = matches.begin();
  for (unsigned i = 0; i < images; ++i) {
    for (unsigned j = i + 1; j < images; ++j, ++pair) {
      std::vector<int> row(points[i].size() / 2, -1);
      for (const auto& [a, b] : *pair) row[static_cast<std::size_t>(a)] = b;
      if (i == 0 && j == 1) std::fill(row.begin(), row.end(), -1);  // a pair without a match
      file.matches("db-" + std::to_string(i) + ".jpg/db-" + std::to_string(j) + ".jpg", row,
                   H5T_STD_I16LE);
    }
  }
}

VerifyProgress verify(const TemporaryFolder& folder, const std::string& database,
                      const colmap::VerifyRun& run = {}) {
  Queue queue;
  return hloc::verify(queue, {folder / "f.h5", folder / "m.h5", folder / "pairs.txt"},
                      folder / database, run);
}

TEST(Hloc, FilesAreImportedAndVerifiedInOnePass) {
  const TemporaryFolder folder;
  write_files(folder, 9);
  const VerifyProgress done = verify(folder, "out.db");
  EXPECT_EQ(done.done, 36);
  {
    const Database db(folder / "out.db");
    const auto cameras = db.cameras();
    ASSERT_EQ(cameras.size(), 9U);
    EXPECT_EQ(cameras[0].params, (std::vector<double>{1.2 * 1280, 640, 480, 0}));
    EXPECT_EQ(db.images()[3].name, "db/3.jpg");
    EXPECT_EQ(db.match_rows().size(), 36U);
    EXPECT_TRUE(db.matches(1, 2)->empty());
    EXPECT_FALSE(db.geometry(1, 2));
    const hloc::FeatureFile features(folder / "f.h5");
    const auto points = features.keypoints("db/2.jpg");
    const auto stored = db.keypoints(3);
    ASSERT_EQ(stored.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i)
      EXPECT_NEAR(stored.data[2 * i], points[i][0], 1e-4);
    for (const auto& row : db.geometry_rows())  // image numbers i and j, from 0
      EXPECT_EQ(row.configuration == Configuration::degenerate,
                (row.image1 + row.image2 - 2) % 3 != 0);
  }
  // A second run finds no work; a new verification gives the same rows.
  EXPECT_EQ(verify(folder, "out.db").skipped, 36);
  std::filesystem::copy_file(folder / "out.db", folder / "again.db");
  Queue queue;
  (void)colmap::verify(queue, folder / "again.db", {.overwrite = true});
  const Database once(folder / "out.db"), again(folder / "again.db");
  for (const auto& row : once.geometry_rows()) {
    const auto a = once.geometry(row.image1, row.image2),
               b = again.geometry(row.image1, row.image2);
    EXPECT_EQ(a->inliers, b->inliers);
    EXPECT_EQ(a->F, b->F);
  }
}

TEST(Hloc, TheDatabaseIsTheSameHoweverTheWorkIsSplit) {
  const TemporaryFolder folder;
  write_files(folder, 48);  // 1128 pairs: two pieces
  (void)verify(folder, "whole.db");
  int runs = 0;
  for (std::int64_t left = 1; left > 0; ++runs) {
    ASSERT_LT(runs, 9);
    const VerifyProgress done =
        verify(folder, "cut.db", {.progress = [](const VerifyProgress& p) { return p.done == 0; }});
    left = done.pairs - done.done;
  }
  EXPECT_GE(runs, 2);
  EXPECT_TRUE(read_file(folder / "whole.db") == read_file(folder / "cut.db"));
}

TEST(Hloc, AnExistingDatabaseKeepsItsCameras) {
  const TemporaryFolder folder;
  write_files(folder, 4);
  {
    Database db(folder / "out.db", colmap::Access::create);
    db.write(colmap::Camera{5, 1, 1280, 960, {1000, 1000, 640.5, 480.5}, true});
    for (unsigned i = 0; i < 4; ++i) db.write(colmap::Image{40 - i, name_of(i), 5});
  }
  const VerifyProgress done = verify(folder, "out.db");
  EXPECT_EQ(done.done, 6);
  const Database db(folder / "out.db");
  EXPECT_EQ(db.cameras().size(), 1U);
  EXPECT_EQ(db.geometry(39, 38)->configuration, Configuration::calibrated);  // 1 and 2
}

// A pair with an invalid index is reported and gets no rows; the remaining pairs are verified.
TEST(Hloc, APairWithAnInvalidMatchIsLeftOut) {
  const TemporaryFolder folder;
  write_files(folder, 3);
  const std::int64_t all = verify(folder, "whole.db").done;
  {
    HlocWriter other(folder / "m.h5");
    other.matches("db-0.jpg/db-1.jpg", {5000}, H5T_STD_I16LE);
  }
  ASSERT_EQ(all, 3);
  write_file(folder / "pairs.txt", "db/0.jpg db/1.jpg\n");
  const VerifyProgress done = verify(folder, "out.db");
  EXPECT_EQ(done.left_out, 1);
  ASSERT_EQ(done.odd_rows.size(), 1U);
  EXPECT_NE(done.odd_rows[0].row.find("m.h5: 'db/0.jpg' and 'db/1.jpg'"), std::string::npos);
  EXPECT_NE(done.odd_rows[0].reason.find("match 0 is of keypoints 0 and 5000"), std::string::npos);
  const Database db(folder / "out.db");
  EXPECT_FALSE(db.geometry(1, 2) || db.matches(1, 2));
}

TEST(Hloc, CamerasOfAnotherImageSizeAreReported) {
  const TemporaryFolder folder;
  write_files(folder, 2);
  {
    Database db(folder / "out.db", colmap::Access::create);
    db.write(colmap::Camera{5, 1, 2560, 1920, {1000, 1000, 1280.5, 960.5}, true});
    for (unsigned i = 0; i < 2; ++i) db.write(colmap::Image{i + 1, name_of(i), 5});
  }
  const VerifyProgress done = verify(folder, "out.db");
  EXPECT_EQ(done.done, 1);
  ASSERT_FALSE(done.odd_rows.empty());
  EXPECT_EQ(done.odd_rows[0].row, "table cameras, camera_id 5");
  EXPECT_NE(done.odd_rows[0].reason.find("2560 x 1920 px, but the features of 'db/0.jpg' are of"),
            std::string::npos)
      << done.odd_rows[0].reason;
  EXPECT_EQ(done.odd_rows[0].use, colmap::RowUse::as_it_is);
}

// A database keeps the keypoints of one detector run; matches of another run index other keypoints.
TEST(Hloc, KeypointsOfAnotherRunAreRefused) {
  const TemporaryFolder folder;
  write_files(folder, 2);
  const std::vector<Vec2> points = hloc::FeatureFile(folder / "f.h5").keypoints("db/1.jpg");
  const auto stored = [&](int columns, double shift, bool is_reversed) {
    colmap::Keypoints k{columns, std::vector<float>(points.size() * std::size_t(columns), 1.0F)};
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec2& p = points[is_reversed ? points.size() - 1 - i : i];
      for (std::size_t c = 0; c < 2; ++c)
        k.data[i * std::size_t(columns) + c] = static_cast<float>(p[c] + shift);
    }
    return k;
  };
  const auto make = [&](const colmap::Keypoints& keypoints) {
    std::filesystem::remove(folder / "out.db");
    Database db(folder / "out.db", colmap::Access::create);
    db.write(colmap::Camera{1, 1, 1280, 960, {1000, 1000, 640.5, 480.5}, true});
    for (unsigned i = 0; i < 2; ++i) db.write(colmap::Image{i + 1, name_of(i), 1});
    db.write_keypoints(2, keypoints);
  };
  for (const int columns : {2, 4, 6}) {
    make(stored(columns, 0, false));
    EXPECT_EQ(verify(folder, "out.db").done, 1);
    make(stored(columns, 0.5, false));  // pixel centres at half-integers
    expect_error([&] { (void)verify(folder, "out.db"); }, "has other keypoints of 'db/1.jpg' than");
    make(stored(columns, 0, true));
    expect_error([&] { (void)verify(folder, "out.db"); }, "keypoint 0 is at (");
    EXPECT_TRUE(Database(folder / "out.db").match_rows().empty());
  }
}

TEST(Hloc, MatchesOfAnotherRunAreRefused) {
  const TemporaryFolder folder;
  write_files(folder, 3);
  (void)verify(folder, "out.db");
  EXPECT_EQ(verify(folder, "out.db").skipped, 3);
  std::filesystem::remove(folder / "m.h5");
  {
    HlocWriter other(folder / "m.h5");
    for (const char* pair : {"0.jpg/db-1.jpg", "0.jpg/db-2.jpg", "1.jpg/db-2.jpg"})
      other.matches(std::string("db-") + pair, {-1, 3, 2, 1}, H5T_STD_I16LE);
  }
  expect_error([&] { (void)verify(folder, "out.db"); }, "has other matches than");
  EXPECT_EQ(verify(folder, "out.db", {.overwrite = true}).done, 3);
  EXPECT_EQ(verify(folder, "out.db").skipped, 3);
}

TEST(Hloc, MismatchedInputIsNamed) {
  const TemporaryFolder folder;
  write_files(folder, 3);
  const auto fails = [&](const std::string& pairs, const char* part) {
    write_file(folder / "pairs.txt", pairs);
    std::filesystem::remove(folder / "out.db");
    expect_error([&] { (void)verify(folder, "out.db"); }, part);
  };
  fails("db/0.jpg other.jpg\n", "pairs.txt, line 1: no image 'other.jpg'");
  {
    HlocWriter more(folder / "m.h5");
    more.matches("db-0.jpg/db-1.jpg", {5000}, H5T_STD_I16LE);
  }
  fails("db/0.jpg db/2.jpg\n", "m.h5: has no matches of 'db/0.jpg' and 'db/2.jpg'");
  {
    Database db(folder / "other.db", colmap::Access::create);
    db.write(colmap::Camera{1, 1, 1280, 960, {1000, 1000, 640.5, 480.5}, true});
    db.write(colmap::Image{1, "db/0.jpg", 1});
    db.write(colmap::Image{2, "else.jpg", 1});
    db.write(colmap::Image{3, "db/1.jpg", 1});
  }
  write_file(folder / "pairs.txt", "db/0.jpg else.jpg\n");
  expect_error([&] { (void)verify(folder, "other.db"); }, "f.h5: has no image 'else.jpg'");
  Database(folder / "other.db", colmap::Access::write).write_keypoints(1, {2, {1, 2}});
  write_file(folder / "pairs.txt", "db/0.jpg db/1.jpg");
  expect_error([&] { (void)verify(folder, "other.db"); }, "has 1 keypoints of 'db/0.jpg'");
}

}  // namespace
}  // namespace bifocal::test
