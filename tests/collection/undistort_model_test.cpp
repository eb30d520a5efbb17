// SPDX-License-Identifier: BSD-3-Clause
// Undistorted photographs and models.
#include <gtest/gtest.h>
#include <bifocal/camera.hpp>
#include <bifocal/colmap/undistort.hpp>
#include <bifocal/error.hpp>
#include <bifocal/rectify.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string>

#include "io/exif_block.hpp"
#include "support/data.hpp"

namespace bifocal::test {
namespace {

namespace fs = std::filesystem;
using colmap::Model;
using colmap::ModelCamera;

constexpr int kWidth = 320, kHeight = 240;

ModelCamera camera_of(std::string_view model, std::vector<double> params) {
  ModelCamera camera;
  camera.id = 1, camera.model = colmap::model_number(model);
  camera.width = kWidth, camera.height = kHeight, camera.params = std::move(params);
  return camera;
}

ModelCamera barrel() { return camera_of("SIMPLE_RADIAL", {250, 162, 118, -0.12}); }

std::vector<ModelCamera> lenses() {
  return {barrel(),
          camera_of("SIMPLE_RADIAL", {250, 160, 120, 0.15}),
          camera_of("OPENCV", {240, 250, 150, 125, -0.1, 0.02, 0.003, -0.002}),
          camera_of("OPENCV_FISHEYE", {150, 150, 160, 120, 0.01, -0.02, 0, 0}),
          camera_of("FOV", {200, 200, 160, 120, 0.6}),
          camera_of("SIMPLE_DIVISION", {230, 160, 120, -0.1})};
}

LensCamera lens_of(const ModelCamera& camera) {
  return {colmap::model_name(camera.model), camera.params, camera.width, camera.height};
}
Intrinsics pinhole_of(const ModelCamera& camera) {
  return {camera.params[0], camera.params[1], camera.params[2], camera.params[3]};
}

// Brightness of the ray through the normalised point (x, y).
double brightness(double x, double y) {
  return 128 + 60 * std::sin(9 * x + 4 * y) + 50 * std::cos(7 * y - 3 * x);
}

// The picture of a camera, by the ray of every pixel.
ImageU8 photograph(const ModelCamera& camera) {
  const LensCamera lens = lens_of(camera);
  const Intrinsics& K = lens.pinhole();
  ImageU8 image(kWidth, kHeight, 1);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const Vec2 p = lens.undistort({double(x), double(y)});
      const double value = brightness((p[0] - K.cx) / K.fx, (p[1] - K.cy) / K.fy);
      image.at(x, y) = std::isfinite(value) ? std::uint8_t(std::lround(value)) : std::uint8_t{0};
    }
  return image;
}

// A model of three images of a camera, whose points all images see.
Model model_of(const ModelCamera& camera) {
  const LensCamera lens = lens_of(camera);
  const Intrinsics& K = lens.pinhole();
  Model model;
  model.cameras = {camera};
  for (unsigned i = 0; i < 3; ++i) {
    colmap::ModelImage& image = model.images.emplace_back();
    image.id = i + 1, image.name = "place/" + std::to_string(i) + ".png", image.camera_id = 1;
    image.cam_from_world.translation = {0.1 * i, 0, 0};
  }
  for (int k = 0; k < 25; ++k) {
    colmap::ModelPoint& point = model.points.emplace_back();
    point.id = static_cast<colmap::PointId>(k + 1);
    point.xyz = {0.25 * (k % 5 - 2), 0.2 * (k / 5 - 2), 2 + 0.1 * (k % 3)};
    for (colmap::ModelImage& image : model.images) {
      const double x = (point.xyz[0] + image.cam_from_world.translation[0]) / point.xyz[2],
                   y = point.xyz[1] / point.xyz[2];
      const Vec2 px = lens.distort({K.fx * x + K.cx, K.fy * y + K.cy});
      point.track.push_back({image.id, static_cast<std::uint32_t>(image.observations.size())});
      image.observations.push_back({px[0], px[1], point.id});
    }
  }
  return model;
}

void write_photographs(const fs::path& folder, const Model& model) {
  fs::create_directories(folder / "place");
  for (const colmap::ModelImage& image : model.images)
    write_png(folder / image.name, photograph(model.cameras[0]));
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(UndistortedCamera, HasTheLargestRectangleWithoutBlankPixels) {
  for (const ModelCamera& camera : lenses()) {
    SCOPED_TRACE(colmap::model_name(camera.model));
    const LensCamera lens = lens_of(camera);
    const ModelCamera out = colmap::undistorted_camera(camera);
    EXPECT_EQ(colmap::model_name(out.model), "PINHOLE");
    EXPECT_EQ(out.params[0], lens.intrinsics().fx);
    EXPECT_EQ(out.params[1], lens.intrinsics().fy);
    const auto blanks = [&](int left, int top, int right, int bottom) {
      Intrinsics K = pinhole_of(out);
      K.cx += left, K.cy += top;
      const SamplingMap map = sampling_map(lens, K, static_cast<int>(out.width) + left + right,
                                           static_cast<int>(out.height) + top + bottom);
      return std::ranges::count(map.x, -1);
    };
    EXPECT_EQ(blanks(0, 0, 0, 0), 0);
    for (const auto& [left, top, right, bottom] :
         {std::array{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 0, 0, 2}})
      EXPECT_GT(blanks(left, top, right, bottom), 0);
  }
}

TEST(UndistortedCamera, OfALensThatFoldsHasNoBlankPixels) {
  for (const double k : {-0.15, -0.25, -0.6}) {
    SCOPED_TRACE(k);
    const ModelCamera camera = camera_of("SIMPLE_RADIAL", {160, 160, 120, k});
    const ModelCamera out = colmap::undistorted_camera(camera);
    const SamplingMap map = sampling_map(lens_of(camera), pinhole_of(out),
                                         static_cast<int>(out.width), static_cast<int>(out.height));
    EXPECT_EQ(std::ranges::count(map.x, -1), 0);
    EXPECT_GT(out.width, 100);
    EXPECT_GT(out.height, 80);
  }
}

TEST(UndistortedCamera, OfAPinholeIsThePinhole) {
  const ModelCamera out = colmap::undistorted_camera(camera_of("SIMPLE_PINHOLE", {300, 170, 110}));
  EXPECT_EQ(out.params, (std::vector<double>{300, 300, 170, 110}));
  EXPECT_EQ(out.width, kWidth);
  EXPECT_EQ(out.height, kHeight);
}

TEST(UndistortedCamera, OfAWideFisheyeIsAtMostTwiceAsWide) {
  const ModelCamera out =
      colmap::undistorted_camera(camera_of("OPENCV_FISHEYE", {90, 90, 160, 120, 0, 0, 0, 0}));
  EXPECT_LE(out.width, 2 * kWidth);
  EXPECT_GT(out.width, kWidth);
  EXPECT_LE(out.height, 2 * kHeight);
}

TEST(UndistortModel, MovesObservationsToTheProjectionsOfThePinhole) {
  for (const ModelCamera& camera : lenses()) {
    SCOPED_TRACE(colmap::model_name(camera.model));
    const TemporaryFolder folder;
    const Model model = model_of(camera);
    write_photographs(folder / "photographs", model);
    const auto result = colmap::undistort_model(model, folder / "photographs", folder / "out");
    const Model out = colmap::read_model(folder / "out/sparse/0");
    EXPECT_TRUE(result.left_out.empty());
    ASSERT_EQ(out.points.size(), model.points.size());
    const Intrinsics K = pinhole_of(out.cameras[0]);
    for (const colmap::ModelImage& image : out.images)
      for (std::size_t k = 0; k < image.observations.size(); ++k) {
        const Vec3& X = model.points[k].xyz;
        const double x = (X[0] + image.cam_from_world.translation[0]) / X[2], y = X[1] / X[2];
        EXPECT_NEAR(image.observations[k].x, K.fx * x + K.cx, 1e-6);
        EXPECT_NEAR(image.observations[k].y, K.fy * y + K.cy, 1e-6);
      }
    for (const colmap::ModelPoint& point : out.points) EXPECT_LT(point.error, 1e-6);
  }
}

TEST(UndistortModel, WritesThePictureOfThePinhole) {
  for (const ModelCamera& camera : lenses()) {
    SCOPED_TRACE(colmap::model_name(camera.model));
    const TemporaryFolder folder;
    const Model model = model_of(camera);
    write_photographs(folder / "photographs", model);
    (void)colmap::undistort_model(model, folder / "photographs", folder / "out");
    const ModelCamera out = colmap::undistorted_camera(camera);
    const Intrinsics K = pinhole_of(out);
    const ImageU8 image = read_image(folder / "out/images/place/1.png");
    ASSERT_EQ(image.width, out.width);
    ASSERT_EQ(image.height, out.height);
    double largest = 0;
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x)
        largest = std::max(
            largest, std::abs(image.at(x, y) - brightness((x - K.cx) / K.fx, (y - K.cy) / K.fy)));
    EXPECT_LT(largest, 3);
  }
}

TEST(UndistortModel, CopiesPhotographsOfAPinhole) {
  const TemporaryFolder folder;
  const Model model = model_of(camera_of("PINHOLE", {250, 255, 160, 120}));
  write_photographs(folder / "photographs", model);
  (void)colmap::undistort_model(model, folder / "photographs", folder / "out");
  EXPECT_EQ(read_file(folder / "out/images/place/2.png"),
            read_file(folder / "photographs/place/2.png"));
}

TEST(UndistortModel, ReadsStoredPixelsWithoutRotation) {
  const TemporaryFolder folder;
  Model model = model_of(barrel());
  for (colmap::ModelImage& image : model.images) image.name += ".jpg";
  fs::create_directories(folder / "photographs/place");
  const std::string jpeg = encode_jpeg(photograph(barrel()), 95);
  for (const colmap::ModelImage& image : model.images)
    write_file(folder / "photographs" / image.name,
               with_exif(jpeg, exif_block({.orientation = 6})));
  const auto result = colmap::undistort_model(model, folder / "photographs", folder / "out");
  EXPECT_TRUE(result.left_out.empty());
  const ModelCamera out = colmap::undistorted_camera(barrel());
  EXPECT_EQ(read_image(folder / "out/images/place/0.png.jpg").width, out.width);
}

TEST(UndistortModel, LeavesOutUnreadablePhotographs) {
  const TemporaryFolder folder;
  Model model = model_of(barrel());
  model.points[3].track.resize(2);  // of the images 1 and 2
  model.images[2].observations[3].point_id = colmap::kNoPoint;
  write_photographs(folder / "photographs", model);
  fs::remove(folder / "photographs/place/0.png");
  std::int64_t done = 0;
  const auto result = colmap::undistort_model(
      model, folder / "photographs", folder / "out",
      {.progress = [&](std::int64_t finished, std::int64_t) { done = finished; }});
  EXPECT_EQ(done, 3);
  ASSERT_EQ(result.left_out.size(), 1U);
  EXPECT_EQ(result.left_out[0].name, "place/0.png");
  EXPECT_NE(result.left_out[0].reason.find("place/0.png"), std::string::npos);
  const Model out = colmap::read_model(folder / "out/sparse/0");
  EXPECT_EQ(out.images.size(), 2U);
  EXPECT_EQ(out.points.size(), model.points.size() - 1);  // without the point of one observation
  EXPECT_FALSE(fs::exists(folder / "out/images/place/0.png"));
}

// Images 1 and 2 are of one frame, image 3 is alone.
Model rig_model() {
  using colmap::SensorType;
  Model model = model_of(barrel());
  model.cameras.push_back(barrel());
  model.cameras[1].id = 2, model.images[1].camera_id = 2;
  model.has_frames = true;
  const colmap::ModelPose shift{{1, 0, 0, 0}, {0.1, 0, 0}};
  model.rigs = {{7, {{{SensorType::camera, 1}, {}}, {{SensorType::camera, 2}, shift}}}};
  model.frames = {{1, 7, {}, {{{SensorType::camera, 1}, 1}, {{SensorType::camera, 2}, 2}}},
                  {2, 7, {{1, 0, 0, 0}, {0.2, 0, 0}}, {{{SensorType::camera, 1}, 3}}}};
  return model;
}

TEST(UndistortModel, KeepsFramesOfSeveralImages) {
  const auto whole = [](Model&, const fs::path&) {};
  const auto without_pose = [](Model& model, const fs::path&) {
    model.rigs[0].sensors[1].sensor_from_rig.reset();
  };
  const auto without_image = [](Model&, const fs::path& photographs) {
    fs::remove(photographs / "place/1.png");
  };
  const std::vector<std::function<void(Model&, const fs::path&)>> variants = {whole, without_pose,
                                                                              without_image};
  for (const auto& change : variants) {
    const TemporaryFolder folder;
    Model model = rig_model();
    write_photographs(folder / "photographs", model);
    change(model, folder / "photographs");
    const auto result = colmap::undistort_model(model, folder / "photographs", folder / "out");
    const Model out = colmap::read_model(folder / "out/sparse/0");
    EXPECT_EQ(out.images.size(), 3 - result.left_out.size());
    EXPECT_TRUE(out.rigs == model.rigs);
    ASSERT_EQ(out.frames.size(), 2U);
    EXPECT_EQ(out.frames[0].data.size(), 2 - result.left_out.size());
    for (const ModelCamera& camera : out.cameras)
      EXPECT_EQ(colmap::model_name(camera.model), "PINHOLE");
    for (const colmap::ModelPoint& point : out.points) EXPECT_LT(point.error, 1e-6);
  }
}

TEST(UndistortModel, RefusesFoldersAndNamesThatWouldDestroyFiles) {
  const TemporaryFolder folder;
  Model model = model_of(barrel());
  const fs::path photographs = folder / "scene/images";
  write_photographs(photographs, model);
  const auto undistort = [&](const fs::path& out) {
    return message_of([&] { (void)colmap::undistort_model(model, photographs, out); });
  };
  EXPECT_NE(undistort(folder / "scene").find("would be among the photographs"), std::string::npos);
  EXPECT_EQ(undistort(folder / "out"), "no error");
  EXPECT_NE(undistort(folder / "out").find("there is a model already"), std::string::npos);
  EXPECT_NE(message_of([&] {
              (void)colmap::undistort_model(model, folder / "nothing", folder / "other");
            }).find("is no folder of photographs"),
            std::string::npos);
  write_file(folder / "file", "no folder");
  EXPECT_NE(undistort(folder / "file").find("is a file"), std::string::npos);
  model.images[1].name = "../../escaped.png";
  EXPECT_NE(undistort(folder / "next").find("image 2: the name"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "next"));
  EXPECT_FALSE(fs::exists(folder / "escaped.png"));
}

// An original under the name of an output, a name that gets another ending, and a linked folder.
TEST(UndistortModel, KeepsFilesThatItDidNotMake) {
  const TemporaryFolder folder;
  Model model = model_of(barrel());
  write_photographs(folder / "reduced", model);
  const auto undistort = [&](const fs::path& out, bool overwrite) {
    return message_of([&] {
      (void)colmap::undistort_model(model, folder / "reduced", out, {.overwrite = overwrite});
    });
  };
  const fs::path original = folder / "project/images/place/1.png";
  fs::create_directories(original.parent_path());
  write_file(original, "an original");
  write_file(folder / "project/images/place/9.png", "another one");
  EXPECT_NE(undistort(folder / "project", false).find("place/1.png: exists already"),
            std::string::npos);
  EXPECT_EQ(read_file(original), "an original");
  EXPECT_FALSE(fs::exists(folder / "project/sparse"));
  EXPECT_EQ(undistort(folder / "project", true), "no error");
  EXPECT_NE(read_file(original), "an original");
  EXPECT_EQ(read_file(folder / "project/images/place/9.png"), "another one");
  fs::create_directory(folder / "linked");
  fs::create_directory_symlink(folder / "project/images", folder / "linked/images");
  EXPECT_NE(undistort(folder / "linked", false).find("place/0.png: exists already"),
            std::string::npos);
  fs::rename(folder / "reduced/place/2.png", folder / "reduced/place/2.bmp");
  model.images[2].name = "place/2.bmp";
  fs::create_directories(folder / "next/images/place");
  write_file(folder / "next/images/place/2.bmp.png", "an original");
  EXPECT_NE(undistort(folder / "next", false).find("place/2.bmp.png: exists already"),
            std::string::npos);
}

TEST(UndistortModel, KeepsSixteenBits) {
  const TemporaryFolder folder;
  const Model model = model_of(barrel());
  write_photographs(folder / "photographs", model);
  const ImageU8 shallow = photograph(barrel());
  ImageU16 deep(kWidth, kHeight, 1);
  for (std::size_t i = 0; i < deep.pixels.size(); ++i)
    deep.pixels[i] = static_cast<std::uint16_t>(200 * shallow.pixels[i] + 77);
  write_png(folder / "photographs/place/1.png", deep);
  (void)colmap::undistort_model(model, folder / "photographs", folder / "out");
  const ImageU16 out = read_samples(folder / "out/images/place/1.png");
  const ImageU8 of_8_bits = read_image(folder / "out/images/place/0.png");
  ASSERT_EQ(out.pixels.size(), of_8_bits.pixels.size());
  int fine = 0;
  for (std::size_t i = 0; i < out.pixels.size(); ++i) {
    EXPECT_NEAR(out.pixels[i], 200.0 * of_8_bits.pixels[i] + 77, 110);
    fine += out.pixels[i] % 257 != 0;
  }
  EXPECT_GT(fine, 1000);
}

TEST(UndistortModel, NeedsAReadablePhotograph) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "photographs");
  const std::string message = message_of([&] {
    (void)colmap::undistort_model(model_of(barrel()), folder / "photographs", folder / "out");
  });
  EXPECT_NE(message.find("none of the 3 photographs can be used"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "out/sparse"));
}

TEST(UndistortModel, SaysThatAPhotographHasAnotherSize) {
  const TemporaryFolder folder;
  const Model model = model_of(barrel());
  write_photographs(folder / "photographs", model);
  write_png(folder / "photographs/place/1.png", ImageU8(10, 20, 1));
  const auto result = colmap::undistort_model(model, folder / "photographs", folder / "out");
  ASSERT_EQ(result.left_out.size(), 1U);
  EXPECT_NE(result.left_out[0].reason.find("has 10 x 20 px, its camera 320 x 240"),
            std::string::npos);
}

}  // namespace
}  // namespace bifocal::test
