// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing of COLMAP's models.
#include <fmt/format.h>
#include <bifocal/camera.hpp>
#include <bifocal/colmap/bundle_adjust.hpp>
#include <bifocal/colmap/model.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "io/expect.hpp"
#include "sample_model.hpp"
#include "support/data.hpp"

namespace bifocal::colmap {

static void PrintTo(ModelFormat format, std::ostream* out) {
  *out << kModelFormatWords[std::size_t(format)];
}

}  // namespace bifocal::colmap

namespace bifocal::test {
namespace {

using colmap::Model, colmap::ModelFormat, colmap::read_model, colmap::write_model;

class ModelFormats : public testing::TestWithParam<ModelFormat> {
 protected:
  const TemporaryFolder folder;
  const std::string ending = GetParam() == ModelFormat::binary ? ".bin" : ".txt";
};
INSTANTIATE_TEST_SUITE_P(Both, ModelFormats,
                         testing::Values(ModelFormat::binary, ModelFormat::text),
                         [](const auto& test) {
                           return std::string(colmap::kModelFormatWords[int(test.param)]);
                         });

TEST_P(ModelFormats, AModelIsReadAsItWasWritten) {
  const Model model = sample_model();
  write_model(folder / "a", model, GetParam());
  EXPECT_EQ(colmap::model_format(folder / "a"), GetParam());
  const Model again = read_model(folder / "a");
  expect_equal(model, again);
  write_model(folder / "b", again, GetParam());
  for (const char* name : {"cameras", "images", "points3D", "rigs", "frames"})
    EXPECT_EQ(read_file(folder / ("a/" + (name + ending))),
              read_file(folder / ("b/" + (name + ending))))
        << name;
}

TEST_P(ModelFormats, AModelWithoutFramesHasThreeFiles) {
  Model model = sample_model();
  model.rigs.clear(), model.frames.clear(), model.has_frames = false;
  write_model(folder.path(), model, GetParam());
  EXPECT_FALSE(std::filesystem::exists(folder / ("rigs" + ending)));
  EXPECT_FALSE(std::filesystem::exists(folder / ("frames" + ending)));
  expect_equal(model, read_model(folder.path()));
}

TEST_P(ModelFormats, AnEmptyModelIsRead) {
  write_model(folder.path(), Model{}, GetParam());
  expect_equal(Model{}, read_model(folder.path()));
}

// Names of all lens models, and numbers of all sizes.
TEST_P(ModelFormats, EveryCameraModelIsKept) {
  Model model;
  for (int number = 0; colmap::parameter_count(number) > 0; ++number) {
    colmap::ModelCamera camera{colmap::Id(number + 1), number, 640, 480, {}};
    for (int i = 0; i < colmap::parameter_count(number); ++i)
      camera.params.push_back(1e-9 / 3 + 1000. / (i + 7) * (i + 1));
    model.cameras.push_back(camera);
  }
  ASSERT_EQ(model.cameras.size(), 18U);
  model.cameras[0].params = {1e300, 0.125, 4e18};
  write_model(folder.path(), model, GetParam());
  expect_equal(model, read_model(folder.path()));
}

TEST_P(ModelFormats, TheModelOfAnEarlierCallIsReplaced) {
  const ModelFormat other =
      GetParam() == ModelFormat::binary ? ModelFormat::text : ModelFormat::binary;
  write_model(folder.path(), sample_model(), other);
  write_file(folder / "project.ini", "mine");
  Model model = sample_model();
  model.rigs.clear(), model.frames.clear(), model.has_frames = false;
  model.points[0].xyz[0] = 17;
  expect_error([&] { write_model(folder.path(), model, GetParam()); },
               "there is a model already (cameras", ErrorCode::usage);
  expect_equal(sample_model(), read_model(folder.path()));
  write_model(folder.path(), model, GetParam(), true);
  expect_equal(model, read_model(folder.path()));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    files += entry.is_regular_file();
  EXPECT_EQ(files, 4U);
}

// Numbers of files begin at a corner of the first pixel, those in memory in its centre.
TEST_P(ModelFormats, PixelsAreShiftedByHalf) {
  Model model = sample_model();
  model.cameras[1].params[2] = 399.5, model.cameras[1].params[3] = 299.75;
  write_model(folder.path(), model, GetParam());
  const std::string images = read_file(folder / ("images" + ending)),
                    cameras = read_file(folder / ("cameras" + ending));
  if (GetParam() == ModelFormat::text) {
    EXPECT_NE(images.find("1 2.25 -1 \n"), std::string::npos) << images;
    EXPECT_NE(cameras.find("OPENCV 800 600 600 601 400 300.25 0.1"), std::string::npos) << cameras;
  } else {
    const double camera[] = {600, 601, 400, 300.25, .1};
    EXPECT_NE(cameras.find({reinterpret_cast<const char*>(camera), sizeof camera}),
              std::string::npos);
    const double x = 1, y = 2.25;
    std::string bytes(reinterpret_cast<const char*>(&x), 8);
    bytes.append(reinterpret_cast<const char*>(&y), 8).append(8, '\xff');
    EXPECT_NE(images.find(bytes), std::string::npos);
  }
}

// cx and cy from the last bits of 0.25 to a million px.
TEST_P(ModelFormats, PrincipalPointsOfAFileKeepTheirBits) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-2, 20);
  Model model;
  std::string text;
  for (colmap::Id id = 1; id <= 1000; ++id) {
    const double cx = std::exp2(exponent(random)),
                 cy = id == 1 ? 0.25 : std::exp2(exponent(random));
    model.cameras.push_back({id, 1, 640, 480, {500, 510, cx - 0.5, cy - 0.5}});
    text += fmt::format("{} PINHOLE 640 480 500 510 {:.17g} {:.17g}\n", id, cx, cy);
  }
  write_model(folder.path(), model, GetParam());
  const Model read = read_model(folder.path());
  expect_equal(model, read);
  write_model(folder / "again", read, GetParam());
  EXPECT_EQ(read_file(folder / ("again/cameras" + ending)),
            read_file(folder / ("cameras" + ending)));
  if (GetParam() == ModelFormat::text) {
    const std::string file = read_file(folder / "cameras.txt");
    EXPECT_TRUE(file.ends_with(text)) << file;
  }
}

// A file as COLMAP writes it, whose camera looks along the axis at the middle of its 100 x 80 px.
TEST(Model, CamerasAndObservationsHaveOneOrigin) {
  const TemporaryFolder folder;
  write_file(folder / "cameras.txt",
             "1 OPENCV_FISHEYE 100 80 60 60 50 40 0.1 0 0 0\n2 SIMPLE_PINHOLE 100 80 60 50 40\n");
  write_file(folder / "images.txt",
             "1 1 0 0 0 0 0 0 1 a\n50 40 1 53 44 2\n2 1 0 0 0 0 0 0 2 b\n50 40 1 56 48 2\n");
  write_file(folder / "points3D.txt", "1 0 0 3 0 0 0 0 1 0 2 0\n2 0 0 4 0 0 0 7.5 1 1 2 1\n");
  Model model = read_model(folder.path());
  for (std::size_t i = 0; i < 2; ++i) {
    const colmap::ModelCamera& k = model.cameras[i];
    const LensCamera lens(colmap::model_name(k.model), k.params, k.width, k.height);
    const Vec2 px = lens.distort({lens.pinhole().cx, lens.pinhole().cy});  // of both points
    for (std::size_t p = 0; p < 2; ++p) {
      const colmap::ModelObservation& o = model.images[i].observations[p];
      EXPECT_NEAR(std::hypot(o.x - px[0], o.y - px[1]), p == 0 ? 0 : i == 0 ? 5 : 10, 1e-12);
    }
    EXPECT_EQ(px, (Vec2{49.5, 39.5}));
  }
  for (colmap::ModelPoint& point : model.points) point.error = -1;
  colmap::set_point_errors(model);
  EXPECT_NEAR(model.points[0].error, 0, 1e-12);
  EXPECT_NEAR(model.points[1].error, 7.5, 1e-12);
}

TEST_P(ModelFormats, PosesOfFramesCountMoreThanThoseOfImages) {
  Model model = sample_model();
  model.images[1].cam_from_world.translation[2] += 1;
  write_model(folder.path(), model, GetParam());
  const Model again = read_model(folder.path());
  EXPECT_EQ(again.images[0].cam_from_world, model.images[0].cam_from_world);
  EXPECT_NEAR(again.images[1].cam_from_world.translation[2], 5, 1e-12);
}

TEST_P(ModelFormats, ASensorWithoutAPoseLeavesThatOfItsImages) {
  Model model = sample_model();
  model.rigs[0].sensors[1].sensor_from_rig.reset();
  model.images[1].cam_from_world.translation[2] += 1;
  write_model(folder.path(), model, GetParam());
  expect_equal(model, read_model(folder.path()));
}

TEST(Model, BinaryFilesArePreferred) {
  const TemporaryFolder folder;
  Model model = sample_model();
  write_model(folder / "a", model, ModelFormat::binary);
  model.points[0].error = 3;
  write_model(folder / "b", model, ModelFormat::text);
  for (const auto& entry : std::filesystem::directory_iterator(folder / "a"))
    std::filesystem::copy(entry, folder / "b");
  expect_equal(sample_model(), read_model(folder / "b"));
}

TEST(Model, TextOfOtherProgramsIsRead) {
  const TemporaryFolder folder;
  const std::string bom = "\xef\xbb\xbf";
  write_file(folder / "cameras.txt",
             bom + "# Number of cameras: 3\r\n\r\n  3 PINHOLE 640 480 500 +500 320 240  \r\n");
  write_file(folder / "images.txt", "5 1 0 0 0 1e0 2 3 3 a\tb c.jpg\n\n8 2 0 0 0 1 2 3 3 d.jpg");
  write_file(folder / "points3D.txt", "# nothing");
  const Model model = read_model(folder.path());
  ASSERT_EQ(model.images.size(), 2U);
  EXPECT_EQ(model.images[0].name, "a\tb c.jpg");
  EXPECT_EQ(model.images[1].id, 8U);
  EXPECT_EQ(model.images[1].cam_from_world.rotation[0], 2);
  EXPECT_EQ(colmap::pose_of(model.images[1].cam_from_world).R, Pose{}.R);
  EXPECT_EQ(model.cameras[0].params, (std::vector<double>{500, 500, 319.5, 239.5}));
  std::filesystem::resize_file(folder / "points3D.txt", 0);
  EXPECT_TRUE(read_model(folder.path()).points.empty());
}

TEST(Model, AFailedCallLeavesTheOldModel) {
  const TemporaryFolder folder;
  write_model(folder.path(), sample_model(), ModelFormat::binary);
  Model model = sample_model();
  model.images[0].name = "two\nlines";
  expect_error([&] { write_model(folder.path(), model, ModelFormat::text, true); },
               "model: image 10: the name 'two?lines' can't be written as text", ErrorCode::usage);
  model.images[0].camera_id = 99;
  expect_error([&] { write_model(folder.path(), model, ModelFormat::binary, true); },
               "model: images: image 10: camera 99 is not in the model", ErrorCode::usage);
  expect_equal(sample_model(), read_model(folder.path()));
  write_file(folder / "file", "x");
  expect_error([&] { write_model(folder / "file", sample_model(), ModelFormat::text); },
               "file: is a file, not a folder");
}

}  // namespace
}  // namespace bifocal::test
