// SPDX-License-Identifier: BSD-3-Clause
// Damaged models: errors that name file and item.
#include <bifocal/colmap/model.hpp>
#include <bifocal/device.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "io/expect.hpp"
#include "sample_model.hpp"
#include "support/data.hpp"

namespace bifocal::test {
namespace {

using namespace colmap;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const char* const kNames[] = {"cameras", "images", "points3D", "rigs", "frames"};

// In place: files of COLMAP are written in this way.
void overwrite(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

// Reads it or refuses it with the folder's name.
bool is_read(const std::filesystem::path& folder) {
  try {
    (void)read_model(folder);
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input) << error.what();
    EXPECT_NE(std::string(error.what()).find(folder.string()), std::string::npos) << error.what();
    return false;
  }
}

TEST(ModelDamage, BinaryFilesCutAtEveryByteAreRefused) {
  const TemporaryFolder folder;
  write_model(folder.path(), sample_model(), ModelFormat::binary);
  for (const std::string name : kNames) {
    const auto file = folder / (name + ".bin");
    const std::string whole = read_file(file);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      overwrite(file, whole.substr(0, size));
      EXPECT_FALSE(is_read(folder.path())) << name << ' ' << size;
    }
    overwrite(file, whole + '\0');
    expect_error([&] { (void)read_model(folder.path()); }, name + ".bin: has 1 bytes after");
    overwrite(file, whole);
  }
  EXPECT_TRUE(is_read(folder.path()));
}

// The last line needs its end: a number without it may be cut.
TEST(ModelDamage, TextFilesCutAtEveryByteAreRefused) {
  const TemporaryFolder folder;
  write_model(folder.path(), sample_model(), ModelFormat::text);
  for (const std::string name : kNames) {
    const auto file = folder / (name + ".txt");
    const std::string whole = read_file(file);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      overwrite(file, whole.substr(0, size));
      EXPECT_FALSE(is_read(folder.path())) << name << ' ' << size;
    }
    overwrite(file, whole);
  }
  EXPECT_TRUE(is_read(folder.path()));
}

TEST(ModelDamage, AnyBytesAreReadOrRefused) {
  const TemporaryFolder folder;
  std::mt19937 random(1);
  int read = 0, refused = 0;
  for (const ModelFormat format : {ModelFormat::binary, ModelFormat::text}) {
    write_model(folder.path(), sample_model(), format, true);
    const std::string ending = format == ModelFormat::binary ? ".bin" : ".txt";
    for (int i = 0; i < 300; ++i) {
      const auto file = folder / (kNames[random() % 5] + ending);
      const std::string whole = read_file(file);
      std::string bytes = whole;
      for (unsigned k = 1 + random() % 4; k > 0; --k)
        bytes[random() % bytes.size()] = static_cast<char>(random());
      overwrite(file, bytes);
      ++(is_read(folder.path()) ? read : refused);
      overwrite(file, whole);
    }
  }
  EXPECT_GT(read, 20);
  EXPECT_GT(refused, 100);
}

// Counts in front of each list that no file holds.
TEST(ModelDamage, CountsBeyondTheFileAreRefused) {
  const TemporaryFolder folder;
  const auto damaged = [&](const char* name, std::size_t at, std::size_t size, const char* part) {
    write_model(folder.path(), sample_model(), ModelFormat::binary, true);
    std::string bytes = read_file(folder / name);
    bytes.replace(at, size, std::string(size, '\x7f'));
    write_file(folder / name, bytes);
    expect_error([&] { (void)read_model(folder.path()); }, part);
  };
  damaged("cameras.bin", 0, 8, "cameras.bin: says 9187201950435737471 cameras");
  damaged("images.bin", 0, 8, "images.bin: says 9187201950435737471 images");
  damaged("images.bin", 8 + 4 + 56 + 4 + 13, 8, "image 10: says 9187201950435737471 observations");
  damaged("points3D.bin", 0, 8, "points3D.bin: says 9187201950435737471 points");
  damaged("points3D.bin", 8 + 8 + 24 + 3 + 8, 8,
          "point 100: says 9187201950435737471 observations");
  damaged("rigs.bin", 12, 4, "rig 7: says 2139062143 sensors");
  damaged("frames.bin", 8 + 8 + 56, 4, "frame 1: says 2139062143 data ids");
}

struct Damage {
  const char* name;  // of the test
  std::function<void(Model&)> change;
  const char* message;
};
void PrintTo(const Damage& damage, std::ostream* to) { *to << damage.name; }

class DamagedModel : public testing::TestWithParam<Damage> {};

// Writers refuse the same models as readers.
TEST_P(DamagedModel, IsRefusedWithItsItem) {
  Model model = sample_model();
  EXPECT_NO_THROW(check_model(model));
  GetParam().change(model);
  expect_error([&] { check_model(model); }, GetParam().message, ErrorCode::usage);
}

INSTANTIATE_TEST_SUITE_P(
    All, DamagedModel,
    testing::Values(
        Damage{"CameraTwice", [](Model& m) { m.cameras[1].id = 1; },
               "cameras: camera 1 is there twice"},
        Damage{"CameraModel", [](Model& m) { m.cameras[0].model = 99; },
               "camera 1: number 99 is no"},
        Damage{"CameraParams", [](Model& m) { m.cameras[0].params.pop_back(); },
               "camera 1: 3 parameters, SIMPLE_RADIAL has 4"},
        Damage{"CameraNaN", [](Model& m) { m.cameras[0].params[3] = kNaN; },
               "camera 1: a parameter is not finite"},
        Damage{"CameraFocal", [](Model& m) { m.cameras[1].params[1] = -600; },
               "camera 4: focal length -600 px, must be above 0"},
        Damage{"CameraSize", [](Model& m) { m.cameras[1].width = -1; }, "camera 4: -1 x 600 px"},
        Damage{"CameraWithoutWidth", [](Model& m) { m.cameras[1].width = 0; },
               "camera 4: 0 x 600 px, must be 1 to"},
        Damage{"CameraWithoutHeight", [](Model& m) { m.cameras[0].height = 0; },
               "camera 1: 640 x 0 px, must be 1 to"},
        Damage{"ImageTwice", [](Model& m) { m.images[1].id = 10; }, "image 10 is there twice"},
        Damage{"ImageCamera", [](Model& m) { m.images[1].camera_id = 3; },
               "image 11: camera 3 is not in the model"},
        Damage{"ImageName", [](Model& m) { m.images[1].name.clear(); }, "image 11: has no name"},
        Damage{"ImagePose", [](Model& m) { m.images[1].cam_from_world.translation[1] = kNaN; },
               "image 11: the pose has a number that is not finite"},
        Damage{"ImageQuaternion", [](Model& m) { m.images[1].cam_from_world.rotation = {}; },
               "image 11: the quaternion's length is 0"},
        Damage{"ObservationNaN", [](Model& m) { m.images[1].observations[0].x = kNaN; },
               "image 11: observation 0 is at nan"},
        Damage{"ObservationPoint", [](Model& m) { m.images[1].observations[1].point_id = 55; },
               "image 11: observation 1 is of point 55, which is not in the model"},
        Damage{"ObservationInNoTrack", [](Model& m) { m.images[1].observations[2].point_id = 102; },
               "point 102: its track lacks observation 2 of image 11"},
        Damage{"PointTwice", [](Model& m) { m.points[1].id = 100; }, "point 100 is there twice"},
        Damage{"PointNaN", [](Model& m) { m.points[1].xyz[2] = kNaN; },
               "point 101: a coordinate is not finite"},
        Damage{"TrackImage", [](Model& m) { m.points[1].track[0].image_id = 5; },
               "point 101: image 5 of its track is not in the model"},
        Damage{"TrackObservation", [](Model& m) { m.points[1].track[0].observation = 3; },
               "point 101: observation 3 of image 11 in its track, the image has 3"},
        Damage{"TrackOfNoPoint", [](Model& m) { m.points[1].track[0].observation = 2; },
               "point 101: observation 2 of image 11 in its track is of no point"},
        Damage{"TrackOfAnotherPoint", [](Model& m) { m.points[1].track[0].observation = 0; },
               "observation 0 of image 11 in its track is of point 100"},
        Damage{"TrackTwice", [](Model& m) { m.points[1].track[1] = m.points[1].track[0]; },
               "point 101: its track has an observation twice"},
        Damage{"RigTwice", [](Model& m) { m.rigs.push_back(m.rigs[0]); }, "rig 7 is there twice"},
        Damage{"RigCamera", [](Model& m) { m.rigs[0].sensors[1].sensor.id = 6; },
               "rig 7: camera 6 is not in the model"},
        Damage{"RigSensorTwice", [](Model& m) { m.rigs[0].sensors[1].sensor.id = 1; },
               "rig 7: sensor 1 is there twice"},
        Damage{"RigPose",
               [](Model& m) { m.rigs[0].sensors[1].sensor_from_rig->rotation[0] = kNaN; },
               "rig 7: sensor 4: the pose has a number"},
        Damage{"FrameTwice", [](Model& m) { m.frames[1].id = 1; }, "frame 1 is there twice"},
        Damage{"FrameRig", [](Model& m) { m.frames[1].rig_id = 1; },
               "frame 2: rig 1 is not in the model"},
        Damage{"FramePose", [](Model& m) { m.frames[1].rig_from_world.rotation = {}; },
               "frame 2: the quaternion's length is 0"},
        Damage{"FrameSensor", [](Model& m) { m.frames[1].data[2].sensor.id = 8; },
               "frame 2: sensor 8 is not in rig 7"},
        Damage{"FrameImage", [](Model& m) { m.frames[1].data[0].id = 10; },
               "image 10 is in two frames"},
        Damage{"FrameCamera", [](Model& m) { m.frames[1].data[0].id = 13; },
               "frame 2: image 13 is of camera 4, not of 1"},
        Damage{"FrameLacksImage",
               [](Model& m) { m.frames[1].data.pop_back(), m.frames[1].data.pop_back(); },
               "frames: image 13 is in no frame"},
        Damage{"NoFrames", [](Model& m) { m.has_frames = false; }, "has rigs or frames"}),
    [](const auto& test) { return std::string(test.param.name); });

// A model without frames of one image, whose observation i is of the point with the id ids[i].
Model model_of_points(const std::vector<PointId>& ids) {
  Model m = sample_model();
  m.has_frames = false;
  m.rigs.clear(), m.frames.clear(), m.points.clear();
  m.images.resize(1);
  m.images[0].observations.clear();
  for (const PointId id : ids) {
    ModelPoint& point = m.points.emplace_back();
    point.id = id;
    point.track = {{m.images[0].id, static_cast<std::uint32_t>(m.points.size() - 1)}};
    m.images[0].observations.push_back({1, 2, id});
  }
  return m;
}

TEST(ModelDamage, PointsOfAnyIdsAreFound) {
  std::mt19937_64 random(1);
  for (int bits = 8; bits <= 64; ++bits) {
    std::set<PointId> known;
    while (known.size() < 50) known.insert((random() >> (64 - bits)) / 2);
    for (PointId id = 1; id < 50; ++id) known.insert(id);  // far from even
    std::vector<PointId> ids(known.begin(), known.end());
    EXPECT_NO_THROW(check_model(model_of_points(ids)));
    std::ranges::shuffle(ids, random);
    Model model = model_of_points(ids);
    EXPECT_NO_THROW(check_model(model));
    for (const PointId id : {PointId{0}, ids[0] - 1, ids[0] + 1, kNoPoint - 1}) {
      if (known.contains(id) || id == kNoPoint) continue;
      model.images[0].observations[7].point_id = id;
      expect_error([&] { check_model(model); },
                   "image 10: observation 7 is of point " + std::to_string(id) + ", which is not",
                   ErrorCode::usage);
    }
  }
}

TEST(ModelDamage, TheFirstFaultIsNamed) {
  std::vector<PointId> ids(20000);
  std::iota(ids.begin(), ids.end(), PointId{1});
  Model model = model_of_points(ids);
  for (const std::size_t i : {3000U, 9000U, 9001U, 19000U}) model.points[i].xyz[0] = kNaN;
  for (const int threads : {1, 2, 5}) {
    const ThreadLimit limit(threads);
    expect_error([&] { check_model(model); }, "point 3001: a coordinate", ErrorCode::usage);
  }
}

struct BadText {
  const char *file, *text, *message;

  friend void PrintTo(const BadText& bad, std::ostream* out) {
    *out << bad.file << " " << bad.message;
  }
};
class BadTexts : public testing::TestWithParam<BadText> {};

TEST_P(BadTexts, AreRefusedWithTheirLine) {
  const TemporaryFolder folder;
  write_model(folder.path(), sample_model(), ModelFormat::text);
  write_file(folder / GetParam().file, GetParam().text);
  expect_error([&] { (void)read_model(folder.path()); },
               (folder / GetParam().file).string() + ": " + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadTexts,
    testing::Values(
        BadText{"cameras.txt", "1 PINHOL 1 1 1 1 1 1\n", "line 1: camera 1: 'PINHOL' is no camera"},
        BadText{"cameras.txt", "#\n1 PINHOLE 1 1 1 1 1\n",
                "line 2: camera 1: 3 parameters, PINHOLE has 4"},
        BadText{"cameras.txt", "1 PINHOLE 1 1 1 1 1 1 1\n",
                "line 1: camera 1: 5 parameters, PINHOLE has"},
        BadText{"cameras.txt", "1 PINHOLE 1 1 1 1 1 1x\n",
                "line 1: PARAMS is '1x', must be a number"},
        BadText{"cameras.txt", "-1 PINHOLE 1 1 1 1 1 1\n",
                "line 1: CAMERA_ID is '-1', must be a whole"},
        BadText{"cameras.txt", "4294967296 PINHOLE 1 1 1 1 1 1\n",
                "line 1: CAMERA_ID is '4294967296'"},
        BadText{"cameras.txt", "1 PINHOLE 1 1 nan 1 1 1\n", "camera 1: a parameter is not finite"},
        BadText{"cameras.txt", "1 PINHOLE 0 1 1 1 1 1\n", "camera 1: 0 x 1 px, must be 1 to"},
        BadText{"images.txt", "1 1 0 0 0 1 2 3 1\n", "line 1: NAME is missing"},
        BadText{"images.txt", "1 1 0 0 0 1 2 3 1 a.jpg\n1 2\n", "line 2: POINT3D_ID is missing"},
        BadText{"images.txt", "1 1 0 0 0 1 2 3 1 a.jpg\n1 2 -2\n", "line 2: POINT3D_ID is '-2'"},
        BadText{"points3D.txt", "1 0 0 0 256 0 0 0\n",
                "line 1: RGB is '256', must be a whole number from 0"},
        BadText{"points3D.txt", "1 0 0 0 0 0 0 0 1\n", "line 1: POINT2D_IDX is missing"},
        BadText{"rigs.txt", "1 2 CAMERA 1 LIDAR 2 0\n", "line 1: SENSOR_TYPE is 'LIDAR'"},
        BadText{"rigs.txt", "1 2 CAMERA 1 CAMERA 4 2\n", "line 1: HAS_POSE is '2', must be 0 or 1"},
        BadText{"rigs.txt", "1 1 CAMERA 1 5\n", "line 1: '5' after its last item"},
        BadText{"rigs.txt", "1 4000000000 CAMERA 1\n", "line 1: SENSOR_TYPE is missing"},
        BadText{"frames.txt", "1 7 1 0 0 0 0 0 0 4000000000\n", "line 1: SENSOR_TYPE is missing"}));

TEST(ModelDamage, MissingFilesAreNamed) {
  const TemporaryFolder folder;
  const auto expect = [&](const std::string& name, const std::string& part) {
    expect_error([&] { (void)read_model(folder / name); }, part);
  };
  expect("none", "none: there is no such folder");
  std::filesystem::create_directory(folder / "empty");
  expect("empty", "empty: has no model: cameras, images and points3D");
  write_file(folder / "file", "x");
  expect("file", "file: is a file; a model is a folder");
  write_model(folder / "a", sample_model(), ModelFormat::binary);
  std::filesystem::remove(folder / "a/rigs.bin");
  expect("a", "rigs.bin: there is no such file, but there is frames.bin");
  std::filesystem::remove(folder / "a/images.bin");
  expect("a", "images.bin: there is no such file");
}

}  // namespace
}  // namespace bifocal::test
