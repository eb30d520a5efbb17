// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing of COLMAP's models.
#include <bifocal/colmap/model.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <gtest/gtest.h>

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
    colmap::Camera camera{colmap::Id(number + 1), number, 640, 480, {}};
    for (int i = 0; i < colmap::parameter_count(number); ++i)
      camera.params.push_back(1e-9 / 3 + 1000. / (i + 7) * (i + 1));
    model.cameras.push_back(camera);
  }
  ASSERT_EQ(model.cameras.size(), 18U);
  model.cameras[0].params = {1e300, -1e-300, 4e18};
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
  const Model model = sample_model();
  write_model(folder.path(), model, GetParam());
  std::string images = read_file(folder / ("images" + ending));
  if (GetParam() == ModelFormat::text) {
    EXPECT_NE(images.find("1 2.25 -1 \n"), std::string::npos) << images;
  } else {
    const double x = 1, y = 2.25;
    std::string bytes(reinterpret_cast<const char*>(&x), 8);
    bytes.append(reinterpret_cast<const char*>(&y), 8).append(8, '\xff');
    EXPECT_NE(images.find(bytes), std::string::npos);
  }
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
  EXPECT_EQ(model.cameras[0].params, (std::vector<double>{500, 500, 320, 240}));
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
