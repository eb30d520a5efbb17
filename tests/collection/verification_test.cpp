// SPDX-License-Identifier: BSD-3-Clause
// Verification of a database's pairs: the written rows, the skipped pairs, and equal files however
// the work was split.
#include <bifocal/error.hpp>
#include <bifocal/colmap/verify.hpp>
#include <bifocal/io.hpp>
#include <bifocal/device.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "io/expect.hpp"
#include "raw_sqlite.hpp"
#include "support/data.hpp"
#include "synthetic/two_view_scenes.hpp"

namespace bifocal::test {
namespace {

using colmap::Access, colmap::Configuration, colmap::Database, colmap::Id, colmap::IndexPair,
    colmap::VerifyProgress, colmap::VerifyRun;

// Makes images of one camera in which every pair has its own points: pair (i, j) has matches of a
// scene (every fifth pair) or wrong matches.
void make(const std::filesystem::path& file, Id images, int matches = 24) {
  Database db(file, Access::create);
  colmap::Transaction all(db);
  db.write(colmap::ModelCamera{1, 1, 1280, 960, {1000, 1000, 640, 480}, true});
  std::vector<colmap::Keypoints> points(images + 1);
  std::mt19937_64 random(1);
  for (Id i = 1; i <= images; ++i) db.write(colmap::Image{i, "i" + std::to_string(i), 1});
  for (Id i = 1; i <= images; ++i) {
    for (Id j = i + 1; j <= images; ++j) {
      const bool is_scene = (i + j) % 5 == 0;
      const auto scene = synthetic::make_scene(
          {.points = matches, .inliers = is_scene ? 0.9 : 0, .noise = 0.5}, random);
      std::vector<IndexPair> pair;
      for (const PointPair& p : scene.points) {
        pair.push_back({static_cast<std::uint32_t>(points[i].size()),
                        static_cast<std::uint32_t>(points[j].size())});
        points[i].data.insert(points[i].data.end(), {float(p.x1), float(p.y1)});
        points[j].data.insert(points[j].data.end(), {float(p.x2), float(p.y2)});
      }
      db.write_matches(i, j, pair);
    }
  }
  for (Id i = 1; i <= images; ++i) db.write_keypoints(i, points[i]);
  all.commit();
}

VerifyProgress verify(const std::filesystem::path& file, const VerifyRun& run = {}) {
  Queue queue;
  return colmap::verify(queue, file, run);
}

std::int64_t total(const VerifyProgress& p) {
  return std::accumulate(p.configurations.begin(), p.configurations.end(), std::int64_t{0});
}

TEST(Verification, WritesARowForEveryPairWithMatches) {
  const TemporaryFolder folder;
  make(folder / "a.db", 8);
  {
    Database db(folder / "a.db", Access::write);
    db.write_matches(1, 2, {});
    db.write_matches(1, 3, std::vector<IndexPair>{{0, 0}, {1, 1}});
  }
  const VerifyProgress done = verify(folder / "a.db");
  EXPECT_EQ(done.pairs, 27);
  EXPECT_EQ(done.done, 27);
  EXPECT_EQ(done.unmatched, 1);
  EXPECT_EQ(total(done), 27);
  const Database db(folder / "a.db");
  EXPECT_EQ(db.geometry_rows().size(), 27U);
  EXPECT_FALSE(db.geometry(1, 2));
  int believed = 0;
  for (const auto& row : db.geometry_rows()) {
    const auto g = db.geometry(row.image1, row.image2);
    const bool is_scene = (row.image1 + row.image2) % 5 == 0;
    EXPECT_EQ(g->configuration == Configuration::degenerate, g->inliers.empty());
    EXPECT_FALSE(!is_scene && !g->inliers.empty());
    believed += g->configuration == Configuration::calibrated && g->E && g->cam2_from_cam1;
    // Inliers are a subsequence of the matches.
    const auto matches = *db.matches(row.image1, row.image2);
    auto at = matches.begin();
    for (const IndexPair& m : g->inliers) {
      at = std::find(at, matches.end(), m);
      ASSERT_NE(at, matches.end());
    }
  }
  EXPECT_GE(believed, 4);
  EXPECT_EQ(db.geometry(1, 3)->configuration, Configuration::degenerate);
}

TEST(Verification, SkipsVerifiedPairsUnlessOverwriting) {
  const TemporaryFolder folder;
  make(folder / "a.db", 6);
  (void)verify(folder / "a.db");
  const std::string first = read_file(folder / "a.db");
  const VerifyProgress again = verify(folder / "a.db");
  EXPECT_EQ(again.pairs, 0);
  EXPECT_EQ(again.verified_before, 15);
  EXPECT_TRUE(read_file(folder / "a.db") == first);
  {
    Database db(folder / "a.db", Access::write);
    db.write_geometry(1, 2, {Configuration::undefined, {{0, 0}}, {}, {}, {}, {}});
    db.write_geometry(1, 3, {Configuration::multiple, {{0, 0}}, {}, {}, {}, {}});
  }
  // A pair that another program decided stays as it is; undecided pairs are verified.
  EXPECT_EQ(verify(folder / "a.db").done, 1);
  EXPECT_EQ(Database(folder / "a.db").geometry(1, 3)->configuration, Configuration::multiple);
  const VerifyProgress over = verify(folder / "a.db", {.overwrite = true});
  EXPECT_EQ(over.done, 15);
  EXPECT_NE(Database(folder / "a.db").geometry(1, 3)->configuration, Configuration::multiple);
}

TEST(Verification, CoversOnlyListedPairs) {
  const TemporaryFolder folder;
  make(folder / "a.db", 6);
  write_file(folder / "pairs.txt", "i3 i1\n\n# a comment\ni2 i5\ni1 i3\n");
  const VerifyProgress done = verify(folder / "a.db", {.pairs = folder / "pairs.txt"});
  EXPECT_EQ(done.done, 2);
  const Database db(folder / "a.db");
  EXPECT_TRUE(db.geometry(1, 3) && db.geometry(2, 5));
  EXPECT_EQ(db.geometry_rows().size(), 2U);
  write_file(folder / "pairs.txt", "i3 nobody\n");
  expect_error([&] { (void)verify(folder / "a.db", {.pairs = folder / "pairs.txt"}); },
               "pairs.txt, line 1: no image 'nobody'");
}

// The work of more than one piece (1024 pairs) is stopped after each piece, done with 1 and 3
// threads, and done with memory for the keypoints of only two images.
TEST(Verification, GivesTheSameFileHoweverTheWorkIsSplit) {
  const TemporaryFolder folder;
  make(folder / "whole.db", 66, 20);
  for (const char* copy : {"one.db", "three.db", "cut.db"})
    std::filesystem::copy_file(folder / "whole.db", folder / copy);
  const VerifyProgress whole = verify(folder / "whole.db");
  EXPECT_EQ(whole.done, 66 * 65 / 2);
  const std::string expected = read_file(folder / "whole.db");
  {
    const ThreadLimit limit(1);
    (void)verify(folder / "one.db", {.max_memory = 1});
  }
  {
    const ThreadLimit limit(3);
    (void)verify(folder / "three.db");
  }
  EXPECT_TRUE(read_file(folder / "one.db") == expected);
  EXPECT_TRUE(read_file(folder / "three.db") == expected);
  int runs = 0;
  for (std::int64_t left = 1; left > 0; ++runs) {
    ASSERT_LT(runs, 10);
    const VerifyProgress done = verify(
        folder / "cut.db", {.progress = [](const VerifyProgress& p) { return p.done == 0; }});
    left = done.pairs - done.done;
  }
  EXPECT_GE(runs, 2);
  EXPECT_TRUE(read_file(folder / "cut.db") == expected);
}

// Three pieces on three devices, which are copies of one device here. The written rows and the
// reported damage do not depend on which device gets which piece.
TEST(Verification, GivesTheSameFileForAnyNumberOfDevices) {
  const TemporaryFolder folder;
  make(folder / "one.db", 66, 20);
  std::filesystem::copy_file(folder / "one.db", folder / "three.db");
  std::filesystem::copy_file(folder / "one.db", folder / "damaged.db");
  EXPECT_EQ(verify(folder / "one.db").by_device, (std::vector<std::int64_t>{66 * 65 / 2}));
  const DeviceSet three("cpu,cpu,cpu");
  const VerifyProgress done = colmap::verify(three, folder / "three.db", {});
  EXPECT_TRUE(read_file(folder / "three.db") == read_file(folder / "one.db"));
  ASSERT_EQ(done.by_device.size(), 3U);
  EXPECT_EQ(std::accumulate(done.by_device.begin(), done.by_device.end(), std::int64_t{0}),
            done.done);
  EXPECT_GE(std::count_if(done.by_device.begin(), done.by_device.end(),
                          [](std::int64_t pairs) { return pairs > 0; }),
            2);
  // These pairs of the second and third piece are left out, in the same order.
  RawDatabase(folder / "damaged.db")
      .run(
          "UPDATE matches SET data = x'a086010000000000', rows = 1 "
          "WHERE pair_id IN (2147483647 * 24 + 30, 2147483647 * 64 + 65)");
  for (const char* list : {"cpu", "cpu,cpu,cpu"}) {
    std::filesystem::copy_file(folder / "damaged.db", folder / "b.db",
                               std::filesystem::copy_options::overwrite_existing);
    const VerifyProgress odd = colmap::verify(DeviceSet(list), folder / "b.db", {});
    EXPECT_EQ(odd.done, 66 * 65 / 2 - 2);
    EXPECT_EQ(odd.left_out, 2);
    ASSERT_EQ(odd.odd_rows.size(), 2U);
    EXPECT_EQ(odd.odd_rows[0].row, "table matches, images 24 and 30");
    EXPECT_EQ(odd.odd_rows[0].reason,
              "match 0 is of keypoints 100000 and 0, but the images have 1300 and 1300");
    EXPECT_EQ(odd.odd_rows[1].row, "table matches, images 64 and 65");
  }
}

// The caller stops in the middle of a piece, which is then not written.
TEST(Verification, EndsOnRequestOfTheCaller) {
  const TemporaryFolder folder;
  make(folder / "a.db", 46, 100);
  int asked = 0;
  bool is_reading = false;
  VerifyRun run{.progress = [&](const VerifyProgress&) { return is_reading = true; }};
  {
    const CancelScope scope([&] { return is_reading && ++asked == 3; });
    EXPECT_THROW((void)verify(folder / "a.db", run), Cancelled);
  }
  EXPECT_EQ(asked, 3);
  EXPECT_TRUE(Database(folder / "a.db").geometry_rows().empty());
}

// Makes images with EXIF focal lengths that are wrong: all scenes are uncalibrated pairs.
void make_with_wrong_focal_lengths(const std::filesystem::path& file, Id images, double fx = 520,
                                   double fy = 520) {
  make(file, images, 120);
  RawDatabase(file).write<double>("UPDATE cameras SET params = ?", {fx, fy, 640.5, 480.5});
}

std::string rows_of(const std::filesystem::path& file) {
  const Database db(file);
  std::string text;
  for (const auto& row : db.geometry_rows()) {
    const auto g = db.geometry(row.image1, row.image2);
    text += fmt::format("{} {} {} {}:", row.image1, row.image2, int(g->configuration),
                        g->inliers.size());
    if (g->F)
      for (const double v : *g->F) text += fmt::format(" {}", v);
    text += '\n';
  }
  return text;
}

TEST(Verification, GivesUncalibratedPairsWithKnownFocalLengthsARotation) {
  const TemporaryFolder folder;
  make_with_wrong_focal_lengths(folder / "a.db", 6);
  (void)verify(folder / "a.db");
  const std::string before = rows_of(folder / "a.db");
  const VerifyProgress done =
      verify(folder / "a.db", {.options = {.relative_pose = true}, .overwrite = true});
  EXPECT_EQ(done.done, 15);
  EXPECT_GE(done.configurations[int(Configuration::uncalibrated)], 2);
  EXPECT_TRUE(done.odd_rows.empty());
  EXPECT_EQ(rows_of(folder / "a.db"), before);
  const Database db(folder / "a.db");
  for (const auto& row : db.geometry_rows()) {
    const auto g = db.geometry(row.image1, row.image2);
    if (g->configuration != Configuration::uncalibrated) continue;
    // Independent: E = K' F K, and the rotations of its singular vectors.
    ASSERT_TRUE(g->cam2_from_cam1);
    const Mat3 K = Intrinsics{520, 520, 640, 480}.matrix();
    const Eigen::Matrix3d E = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(
        bifocal::times(transposed(K), bifocal::times(*g->F, K)).data());
    const Eigen::JacobiSVD<Eigen::Matrix3d> svd(E, Eigen::ComputeFullU | Eigen::ComputeFullV);
    EXPECT_LT(svd.singularValues()[1], 0.999 * svd.singularValues()[0]);
    Eigen::Matrix3d W;
    W << 0, -1, 0, 1, 0, 0, 0, 0, 1;
    const Eigen::Matrix3d U = svd.matrixU(), V = svd.matrixV();
    const double sign = (U * V).determinant();
    const Eigen::Matrix3d R =
        Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(g->cam2_from_cam1->R.data());
    EXPECT_LT(std::min((R - sign * U * W * V.transpose()).norm(),
                       (R - sign * U * W.transpose() * V.transpose()).norm()),
              1e-9);
  }
}

// With focal lengths of 10^9 and 1 px K' F K has rank 1 in double precision.
TEST(Verification, WritesAPairWithoutAPoseByName) {
  const TemporaryFolder folder;
  make_with_wrong_focal_lengths(folder / "a.db", 6, 1e9, 1);
  const VerifyProgress done = verify(folder / "a.db", {.options = {.relative_pose = true}});
  EXPECT_EQ(done.done, 15);
  const auto uncalibrated = done.configurations[int(Configuration::uncalibrated)];
  EXPECT_GE(uncalibrated, 2);
  const Database db(folder / "a.db");
  EXPECT_EQ(db.geometry_rows().size(), 15U);
  std::int64_t reported = 0;
  for (const auto& odd : done.odd_rows) {
    if (odd.use != colmap::RowUse::without_pose) continue;
    ++reported;
    EXPECT_EQ(odd.row.find("images i"), 0U) << odd.row;
    EXPECT_NE(odd.reason.find("E has rank 1"), std::string::npos) << odd.reason;
  }
  EXPECT_EQ(reported, uncalibrated);
  for (const auto& row : db.geometry_rows())
    if (row.configuration == Configuration::uncalibrated) {
      const auto g = db.geometry(row.image1, row.image2);
      EXPECT_FALSE(g->cam2_from_cam1);
      EXPECT_TRUE(g->F);
      EXPECT_GE(g->inliers.size(), 50U);
    }
}

// An overwriting run of two pieces that ends after the first, or in an error, leaves every pair the
// old row or the new one.
TEST(Verification, KeepsTheRowsOfAnInterruptedOverwriting) {
  const TemporaryFolder folder;
  constexpr Id kImages = 47;
  constexpr std::size_t kPairs = kImages * (kImages - 1) / 2, kPiece = 1024;
  make(folder / "a.db", kImages, 8);
  {
    Database db(folder / "a.db", Access::write);
    colmap::Transaction all(db);
    for (Id i = 1; i <= kImages; ++i)
      for (Id j = i + 1; j <= kImages; ++j)
        db.write_geometry(i, j, {Configuration::multiple, {{0, 0}}, {}, {}, {}, {}});
    all.commit();
  }
  const auto old_rows = [&] {
    const Database db(folder / "a.db");
    const auto rows = db.geometry_rows();
    EXPECT_EQ(rows.size(), kPairs);
    return std::size_t(
        std::ranges::count(rows, Configuration::multiple, &colmap::PairRows::configuration));
  };
  (void)verify(folder / "a.db",
               {.overwrite = true, .progress = [](const VerifyProgress&) { return false; }});
  EXPECT_EQ(old_rows(), kPairs);
  const auto fail_later = [](const VerifyProgress& p) {
    if (p.done > 0) throw std::runtime_error("stopped");
    return true;
  };
  EXPECT_THROW((void)verify(folder / "a.db", {.overwrite = true, .progress = fail_later}),
               std::runtime_error);
  EXPECT_EQ(old_rows(), kPairs - kPiece);
  EXPECT_EQ(verify(folder / "a.db", {.overwrite = true}).done, std::int64_t(kPairs));
  EXPECT_EQ(old_rows(), 0U);
}

// Rows of pairs without matches have no successor.
TEST(Verification, OverwritingKeepsTheRowsOfPairsWithoutMatches) {
  const TemporaryFolder folder;
  make(folder / "a.db", 5);
  (void)verify(folder / "a.db");
  RawDatabase(folder / "a.db").run("DELETE FROM matches");
  const std::string before = rows_of(folder / "a.db");
  EXPECT_EQ(verify(folder / "a.db", {.overwrite = true}).done, 0);
  EXPECT_EQ(rows_of(folder / "a.db"), before);
}

TEST(Verification, RemovesLensDistortion) {
  const TemporaryFolder folder;
  make(folder / "a.db", 6, 200);
  // Distorts the keypoints by a lens.
  {
    Database db(folder / "a.db", Access::write);
    const double k = -0.35;
    for (Id i = 1; i <= 6; ++i) {
      colmap::Keypoints points = db.keypoints(i);
      for (std::size_t p = 0; p < points.data.size(); p += 2) {
        const double x = (double(points.data[p]) - 640) / 1000,
                     y = (double(points.data[p + 1]) - 480) / 1000, s = 1 + k * (x * x + y * y);
        points.data[p] = float(1000 * s * x + 640);
        points.data[p + 1] = float(1000 * s * y + 480);
      }
      db.write_keypoints(i, points);
    }
  }
  const auto inliers_with = [&](double k) {
    RawDatabase(folder / "a.db")
        .write<double>("UPDATE cameras SET model = 2, params = ?", {1000, 640.5, 480.5, k});
    return verify(folder / "a.db", {.overwrite = true}).inliers;
  };
  const std::int64_t pinhole = inliers_with(0), lens = inliers_with(-0.35);
  EXPECT_GT(lens, 3 * 170);  // three pairs of 200 with 90 %
  EXPECT_GT(lens, pinhole + 20);
}

}  // namespace
}  // namespace bifocal::test
