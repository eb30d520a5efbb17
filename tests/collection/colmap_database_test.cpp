// SPDX-License-Identifier: BSD-3-Clause
// Written rows are in the file as COLMAP defines them, and are read back unchanged.
#include <fmt/format.h>
#include <bifocal/camera.hpp>
#include <bifocal/colmap/database.hpp>
#include <bifocal/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "io/expect.hpp"
#include "raw_sqlite.hpp"
#include "support/data.hpp"

namespace bifocal::test {
namespace {

using colmap::Access, colmap::Configuration, colmap::Database, colmap::IndexPair,
    colmap::Transaction, colmap::TwoViewGeometry;

constexpr Mat3 kTurn = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};

// Makes a database with a camera and three images with two keypoints each.
Database small_database(const std::filesystem::path& file) {
  Database db(file, Access::create);
  db.write(colmap::ModelCamera{7, 2, 640, 480, {500, 320, 240, 0.1}, true});
  for (const colmap::Id id : {1U, 2U, 3U}) {
    db.write(colmap::Image{id, "folder/" + std::to_string(id) + ".jpg", 7});
    db.write_keypoints(id, {2, {10, 20, 30.25F, 40}});
  }
  return db;
}

TwoViewGeometry geometry() {
  TwoViewGeometry g{Configuration::calibrated, {{0, 1}, {1, 0}}, {}, {}, {}, {}};
  g.F = Mat3{1, 2, 3, 4, 5, 6, 7, 8, 10};
  g.E = Mat3{0, 1, 2, 3, 4, 5, 6, 7, 8};
  g.H = Mat3{1.1, 0.1, 5, -0.2, 0.9, 7, 1e-4, 2e-4, 1};
  g.cam2_from_cam1 = Pose{kTurn, {0.6, 0, 0.8}};
  return g;
}

double bilinear(const Mat3& F, double x1, double y1, double x2, double y2) {
  return x2 * (F[0] * x1 + F[1] * y1 + F[2]) + y2 * (F[3] * x1 + F[4] * y1 + F[5]) +
         (F[6] * x1 + F[7] * y1 + F[8]);
}

void expect_near(const Mat3& a, const Mat3& b) {
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(a[i], b[i], 1e-12 * (1 + std::abs(b[i]))) << i;
}

TEST(ColmapDatabase, CamerasAndImagesComeBack) {
  const TemporaryFolder folder;
  Database db = small_database(folder / "a.db");
  EXPECT_EQ(db.write(colmap::ModelCamera{0, 1, 100, 90, {80, 81, 50, 45}, false}), 8U);
  EXPECT_EQ(db.write(colmap::Image{0, "z", 8}), 4U);
  const auto cameras = Database(folder / "a.db").cameras();
  ASSERT_EQ(cameras.size(), 2U);
  EXPECT_EQ(cameras[0].id, 7U);
  EXPECT_EQ(cameras[0].model, colmap::model_number("SIMPLE_RADIAL"));
  EXPECT_EQ(cameras[0].width, 640);
  EXPECT_EQ(cameras[0].params, (std::vector<double>{500, 320, 240, 0.1}));
  EXPECT_TRUE(cameras[0].has_prior_focal_length);
  EXPECT_FALSE(cameras[1].has_prior_focal_length);
  const auto images = db.images();
  ASSERT_EQ(images.size(), 4U);
  EXPECT_EQ(images[1].name, "folder/2.jpg");
  EXPECT_EQ(images[3].camera_id, 8U);
}

TEST(ColmapDatabase, PixelsOfTheFileAreHalfAPixelLarger) {
  const TemporaryFolder folder;
  Database db = small_database(folder / "a.db");
  db.write_keypoints(2, {4, {0, 0, 2, 1.5F, 3, 4, 5, -1}});
  RawDatabase raw(folder / "a.db");
  EXPECT_EQ(raw.numbers<float>("SELECT data FROM keypoints WHERE image_id = 2"),
            (std::vector<float>{0.5F, 0.5F, 2, 1.5F, 3.5F, 4.5F, 5, -1}));
  EXPECT_EQ(raw.bytes("SELECT rows || ' ' || cols FROM keypoints WHERE image_id = 2"), "2 4");
  EXPECT_EQ(raw.numbers<double>("SELECT params FROM cameras WHERE camera_id = 7"),
            (std::vector<double>{500, 320.5, 240.5, 0.1}));
  EXPECT_EQ(db.keypoints(2).data, (std::vector<float>{0, 0, 2, 1.5F, 3, 4, 5, -1}));
  EXPECT_EQ(db.keypoints(2).columns, 4);
  EXPECT_EQ(db.keypoint_count(2), 2);
  EXPECT_EQ(db.keypoints(99).size(), 0U);
  EXPECT_EQ(db.keypoint_count(99), -1);
}

// Also of the model that LensCamera lacks; a panorama has no principal point.
TEST(ColmapDatabase, PrincipalPointsOfEveryModelAreShifted) {
  const TemporaryFolder folder;
  Database db(folder / "a.db", Access::create);
  RawDatabase raw(folder / "a.db");
  std::size_t shifted = 0;
  for (int model = 0; colmap::parameter_count(model) > 0; ++model) {
    std::vector<double> params;
    for (int i = 0; i < colmap::parameter_count(model); ++i) params.push_back(100 + i);
    const colmap::Id id = db.write(colmap::ModelCamera{0, model, 640, 480, params, true});
    EXPECT_EQ(db.cameras().back().params, params);
    const std::vector<double> file =
        raw.numbers<double>(fmt::format("SELECT params FROM cameras WHERE camera_id = {}", id));
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < file.size(); ++i)
      if (file[i] != params[i]) {
        EXPECT_EQ(file[i], params[i] + 0.5);
        places.push_back(i);
      }
    const std::string_view name = colmap::model_name(model);
    if (name == "EQUIRECTANGULAR") {
      EXPECT_TRUE(places.empty());
      continue;
    }
    const std::size_t focal = name == "RAD_TAN_THIN_PRISM_FISHEYE"
                                  ? 2
                                  : static_cast<std::size_t>(LensCamera::focal_lengths(name));
    EXPECT_EQ(places, (std::vector{focal, focal + 1})) << name;
    ++shifted;
  }
  EXPECT_EQ(shifted, 17U);
}

TEST(ColmapDatabase, FeaturesBecomeKeypoints) {
  const Keypoint feature{3, 4, 2.5F, 90, 0.1F};
  const colmap::Keypoints k = colmap::keypoints_of({&feature, 1});
  ASSERT_EQ(k.columns, 4);
  EXPECT_EQ(k.data[2], 2.5F);
  EXPECT_FLOAT_EQ(k.data[3], std::numbers::pi_v<float> / 2);
}

// The shape is sigma A R by rows, with R the rotation by the angle; a circle has only its scale
// and orientation.
TEST(ColmapDatabase, ShapesBecomeSixColumns) {
  Features f;
  f.keypoints = {{3, 4, 2, 90, 0.1F}, {5, 6, 3, 30, 0.1F}};
  f.shapes = {{2, 0, 0.5F}, {}};
  const colmap::Keypoints k = colmap::keypoints_of(f);
  ASSERT_EQ(k.columns, 6);
  ASSERT_EQ(k.size(), 2U);
  const float half = 1.5F, most = 1.5F * std::numbers::sqrt3_v<float>;
  const float want[] = {3, 4, 0, -4, 1, 0, 5, 6, most, -half, half, most};
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(k.data[i], want[i], 1e-6) << i;
  f.shapes.pop_back();
  EXPECT_THROW((void)colmap::keypoints_of(f), Error);
  f.shapes.clear();
  EXPECT_EQ(colmap::keypoints_of(f).columns, 4);
}

// COLMAP orders the gradient directions 0, 45, ..., 315 degrees of a descriptor cell in the
// opposite sense; bench/peers/python/mapping.py compares with descriptors that COLMAP computed.
TEST(ColmapDatabase, DescriptorDirectionsAreReversed) {
  std::vector<std::uint8_t> sift(2 * kDescriptorBytes);
  for (std::size_t i = 0; i < sift.size(); ++i) sift[i] = static_cast<std::uint8_t>(i);
  const colmap::Descriptors d = colmap::descriptors_of(sift);
  EXPECT_EQ(d.type, 0);
  ASSERT_EQ(d.size(), 2U);
  for (std::size_t cell = 0; cell < sift.size(); cell += 8) {
    const std::size_t order[] = {0, 7, 6, 5, 4, 3, 2, 1};
    for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(d.data[cell + k], sift[cell + order[k]]);
  }
  EXPECT_EQ(colmap::descriptors_of(d.data).data, sift);
}

TEST(ColmapDatabase, GeometryComesBackInEitherOrder) {
  const TemporaryFolder folder;
  Database db = small_database(folder / "a.db");
  const TwoViewGeometry g = geometry();
  db.write_geometry(3, 1, g);
  const auto back = db.geometry(3, 1), other = db.geometry(1, 3);
  ASSERT_TRUE(back && other);
  EXPECT_EQ(back->configuration, g.configuration);
  EXPECT_EQ(back->inliers, g.inliers);
  expect_near(*back->F, *g.F);
  expect_near(*back->E, *g.E);
  expect_near(back->cam2_from_cam1->R, kTurn);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(back->cam2_from_cam1->t[i], g.cam2_from_cam1->t[i], 1e-12);
  EXPECT_EQ(other->inliers, (std::vector<IndexPair>{{1, 0}, {0, 1}}));
  EXPECT_EQ((*other->E)[1], (*g.E)[3]);
  // A homography's scale is free.
  double scale = (*back->H)[8] / (*g.H)[8];
  Mat3 scaled = *g.H;
  for (double& v : scaled) v *= scale;
  expect_near(*back->H, scaled);
  EXPECT_FALSE(db.geometry(1, 2));
}

// Checks the definitions of F, H and the pose with the raw numbers of the file.
TEST(ColmapDatabase, FileStoresPairsBySmallerNumberInColmapsPixels) {
  const TemporaryFolder folder;
  Database db = small_database(folder / "a.db");
  const TwoViewGeometry g = geometry();
  db.write_geometry(3, 1, g);  // image 1 of the file is the second one of g
  RawDatabase raw(folder / "a.db");
  const std::string row = " FROM two_view_geometries WHERE pair_id = 2147483650";
  EXPECT_EQ(raw.numbers<std::uint32_t>("SELECT data" + row),
            (std::vector<std::uint32_t>{1, 0, 0, 1}));
  EXPECT_EQ(raw.bytes("SELECT rows || ' ' || cols || ' ' || config" + row), "2 2 2");
  const auto F = raw.numbers<double>("SELECT F" + row), H = raw.numbers<double>("SELECT H" + row),
             q = raw.numbers<double>("SELECT qvec" + row),
             t = raw.numbers<double>("SELECT tvec" + row);
  Mat3 of_file;
  std::copy(F.begin(), F.end(), of_file.begin());
  std::mt19937 random(1);
  std::uniform_real_distribution<double> px(0, 1000);
  for (int i = 0; i < 20; ++i) {
    const double x1 = px(random), y1 = px(random), x2 = px(random), y2 = px(random);
    const double ours = bilinear(*g.F, x1, y1, x2, y2);
    EXPECT_NEAR(bilinear(of_file, x2 + 0.5, y2 + 0.5, x1 + 0.5, y1 + 0.5), ours,
                1e-9 * (1 + std::abs(ours)));
    const Mat3& M = *g.H;
    const double w = M[6] * x1 + M[7] * y1 + M[8], u = (M[0] * x1 + M[1] * y1 + M[2]) / w,
                 v = (M[3] * x1 + M[4] * y1 + M[5]) / w, a = u + 0.5, b = v + 0.5,
                 z = H[6] * a + H[7] * b + H[8];
    EXPECT_NEAR((H[0] * a + H[1] * b + H[2]) / z, x1 + 0.5, 1e-7);
    EXPECT_NEAR((H[3] * a + H[4] * b + H[5]) / z, y1 + 0.5, 1e-7);
  }
  // The inverse pose has the quaternion of R', w first, and t = -R' t.
  EXPECT_NEAR(4 * q[0] * q[0], 1 + kTurn[0] + kTurn[4] + kTurn[8], 1e-12);
  EXPECT_NEAR(4 * q[0] * q[3], kTurn[1] - kTurn[3], 1e-12);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(t[i], -(kTurn[i] * 0.6 + kTurn[6 + i] * 0.8), 1e-12);
}

TEST(ColmapDatabase, MatchesComeBackInEitherOrder) {
  const TemporaryFolder folder;
  Database db = small_database(folder / "a.db");
  const std::vector<IndexPair> matches = {{0, 1}, {1, 1}};
  db.write_matches(2, 1, matches);
  db.write_matches(2, 3, {});
  EXPECT_EQ(*db.matches(2, 1), matches);
  EXPECT_EQ(*db.matches(1, 2), (std::vector<IndexPair>{{1, 0}, {1, 1}}));
  EXPECT_TRUE(db.matches(3, 2)->empty());
  EXPECT_FALSE(db.matches(1, 3));
  const auto rows = db.match_rows();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].image1, 1U);
  EXPECT_EQ(rows[0].image2, 2U);
  EXPECT_EQ(rows[0].rows, 2);
  RawDatabase raw(folder / "a.db");
  // No matches are an empty blob, not NULL, as in COLMAP.
  EXPECT_EQ(raw.bytes("SELECT typeof(data) || rows || cols FROM matches WHERE rows = 0"), "blob02");
}

TEST(ColmapDatabase, DegeneratePairIsAnEmptyRow) {
  const TemporaryFolder folder;
  Database db = small_database(folder / "a.db");
  db.write_geometry(1, 2, {Configuration::degenerate, {}, {}, {}, {}, {}});
  RawDatabase raw(folder / "a.db");
  EXPECT_EQ(raw.bytes("SELECT config || rows || typeof(F) || typeof(qvec) || typeof(data) FROM "
                      "two_view_geometries"),
            "10nullnullblob");
  EXPECT_FALSE(db.geometry(1, 2)->F);
  EXPECT_EQ(db.geometry_rows().front().configuration, Configuration::degenerate);
  db.clear_geometries();
  EXPECT_TRUE(db.geometry_rows().empty());
}

TEST(ColmapDatabase, DescriptorsComeBack) {
  const TemporaryFolder folder;
  Database db = small_database(folder / "a.db");
  std::vector<std::uint8_t> bytes(2 * 128);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
  db.write_descriptors(1, {0, 128, bytes});
  db.write_descriptors(2, {2, 64, bytes});
  EXPECT_EQ(db.descriptors(1).data, bytes);
  EXPECT_EQ(db.descriptors(2).columns, 64);
  EXPECT_EQ(db.descriptors(2).type, 2);
  EXPECT_EQ(db.descriptors(3).size(), 0U);
}

TEST(ColmapDatabase, ReadersSeeWholeTransactions) {
  const TemporaryFolder folder;
  Database db = small_database(folder / "a.db");
  const Database other(folder / "a.db");
  {
    Transaction lost(db);
    db.write_matches(1, 2, {});
    EXPECT_TRUE(other.match_rows().empty());
  }
  EXPECT_TRUE(db.match_rows().empty());
  Transaction kept(db);
  db.write_matches(1, 2, {});
  db.write_matches(1, 3, {});
  EXPECT_TRUE(other.match_rows().empty());
  kept.commit();
  EXPECT_EQ(other.match_rows().size(), 2U);
}

// Files of COLMAP 3.8 have no column for the type of descriptors, and zeros and the identity for
// unknown values.
TEST(ColmapDatabase, OldFilesAreReadAndStayAsTheyAre) {
  const TemporaryFolder folder;
  (void)small_database(folder / "a.db");
  {
    RawDatabase raw(folder / "a.db");
    raw.run("ALTER TABLE descriptors DROP COLUMN type");
    raw.run("ALTER TABLE images ADD COLUMN prior_qw REAL");
    raw.run("PRAGMA user_version = 3800");
    raw.run(
        "INSERT INTO two_view_geometries VALUES (2147483649, 0, 0, NULL, 2, zeroblob(72), "
        "zeroblob(72), zeroblob(72), NULL, zeroblob(24))");
    raw.write<double>("UPDATE two_view_geometries SET qvec = ?", {1, 0, 0, 0});
  }
  Database db(folder / "a.db", Access::write);
  const auto g = db.geometry(1, 2);
  ASSERT_TRUE(g);
  EXPECT_FALSE(g->F || g->E || g->H || g->cam2_from_cam1);
  db.write_descriptors(1, {0, 128, std::vector<std::uint8_t>(128, 3)});
  EXPECT_EQ(db.descriptors(1).data.size(), 128U);
  expect_error(
      [&] {
        db.write_descriptors(1, {2, 128, {}});
      },
      "knows SIFT alone", ErrorCode::usage);
  RawDatabase raw(folder / "a.db");
  EXPECT_EQ(raw.bytes("PRAGMA user_version"), "3800");
}

TEST(ColmapDatabase, PosesOfNewFilesMayBeTheIdentity) {
  const TemporaryFolder folder;
  Database db = small_database(folder / "a.db");
  TwoViewGeometry g = geometry();
  g.cam2_from_cam1 = Pose{};
  db.write_geometry(1, 2, g);
  EXPECT_TRUE(db.geometry(1, 2)->cam2_from_cam1);
}

TEST(ColmapDatabase, PairNumbersAreColmaps) {
  EXPECT_EQ(colmap::pair_id(3, 1), 2147483650U);  // pycolmap.image_pair_to_pair_id(3, 1)
  EXPECT_EQ(colmap::images_of(2147483650U), (std::pair<colmap::Id, colmap::Id>{1, 3}));
  expect_error([] { (void)colmap::pair_id(3, 3); }, "image 3 with itself", ErrorCode::usage);
  expect_error([] { (void)colmap::pair_id(2147483647, 3); }, "must be below", ErrorCode::usage);
}

// Every rotation survives its quaternion, including rotations with a small w.
TEST(ColmapDatabase, RotationsSurviveTheirQuaternions) {
  const TemporaryFolder folder;
  Database db = small_database(folder / "a.db");
  for (const Mat3& R : {Mat3{1, 0, 0, 0, -1, 0, 0, 0, -1}, Mat3{-1, 0, 0, 0, 1, 0, 0, 0, -1},
                        Mat3{-1, 0, 0, 0, -1, 0, 0, 0, 1}, Mat3{0, 0, 1, 1, 0, 0, 0, 1, 0}}) {
    TwoViewGeometry g = geometry();
    g.cam2_from_cam1->R = R;
    db.write_geometry(1, 2, g);
    expect_near(db.geometry(1, 2)->cam2_from_cam1->R, R);
  }
}

TEST(ColmapDatabase, MatricesThatAreNoRotationAreRefused) {
  const TemporaryFolder folder;
  Database db = small_database(folder / "a.db");
  for (const Mat3& R : {Mat3{1, 0, 0, 0, 1, 0, 0, 0, -1}, Mat3{}, Mat3{2, 0, 0, 0, 2, 0, 0, 0, 2},
                        Mat3{1, 0, 0, 0, 1, 0, 0, 0, std::nan("")}}) {
    TwoViewGeometry g = geometry();
    g.cam2_from_cam1->R = R;
    expect_error([&] { db.write_geometry(1, 2, g); }, "images 1 and 2: R is no rotation",
                 ErrorCode::usage);
  }
  EXPECT_TRUE(db.geometry_rows().empty());
}

TEST(ColmapDatabase, ErasedKeypointsRemoveRowsThatReferToThem) {
  const TemporaryFolder folder;
  Database db = small_database(folder / "a.db");
  const std::vector<IndexPair> matches = {{0, 1}};
  for (const auto& [a, b] : {std::pair{1U, 2U}, std::pair{1U, 3U}, std::pair{2U, 3U}}) {
    db.write_matches(a, b, matches);
    db.write_geometry(a, b, geometry());
  }
  for (const colmap::Id id : {1U, 2U, 3U})
    db.write_descriptors(id, {0, 128, std::vector<std::uint8_t>(256)});
  db.erase_keypoints(2);
  EXPECT_EQ(db.keypoint_count(2), -1);
  EXPECT_EQ(db.descriptors(2).size(), 0U);
  EXPECT_EQ(db.keypoints(1).size(), 2U);
  EXPECT_EQ(db.descriptors(3).size(), 2U);
  for (const auto& rows : {db.match_rows(), db.geometry_rows()}) {
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].image1, 1U);
    EXPECT_EQ(rows[0].image2, 3U);
  }
}

}  // namespace
}  // namespace bifocal::test
